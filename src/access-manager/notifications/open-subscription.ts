import { UpgradeRefusedError } from '#client'
import { TransactionId } from '#http'
import type { AgentSession } from '../agent-session.ts'
import { TRANSACTION_HEADER } from '../rest-call.ts'
import { SubscribedConnection, type SubscriptionEvents, type SubscriptionSettings } from './subscribed-connection.ts'
import { NOTIFICATION_PROTOCOL } from './topics.ts'

/** Settings of connections to the notification endpoint. */
export interface OpenSettings {
  readonly url: string
  readonly subscription: SubscriptionSettings
  readonly session: Pick<AgentSession, 'token' | 'renewed'>
  readonly transactionIdHeader: string
  cookieName(): Promise<string>
}

/** Opens subscribed connections with the agent's session, and renews the session once where the server rejects it. */
export class SubscriptionOpener {
  readonly #settings: OpenSettings
  #hasRenewedAfter403 = false

  constructor(settings: OpenSettings) {
    this.#settings = settings
  }

  /** `onClosed` is called once, after the connection was open. */
  async open(
    events: Omit<SubscriptionEvents, 'closed'>,
    onClosed: (connection: SubscribedConnection, reason: string) => void,
    signal: AbortSignal,
  ): Promise<SubscribedConnection> {
    const { session } = this.#settings
    const open = async (token: string) => {
      let connection: SubscribedConnection | null = null
      const closed = (reason: string) => {
        if (connection !== null) onClosed(connection, reason)
      }
      connection = await this.#openWith(token, { ...events, closed }, signal)
      this.#hasRenewedAfter403 = false
      return connection
    }
    const token = await session.token()
    try {
      return await open(token)
    } catch (error) {
      if (!this.#mayRenew(error) || signal.aborted) throw error
      return open(await session.renewed(token))
    }
  }

  /** 401 is an unknown session; a restarted server responds 403 to old sessions. */
  #mayRenew(error: unknown): boolean {
    if (!(error instanceof UpgradeRefusedError)) return false
    if (error.status === 401) return true
    if (error.status !== 403 || this.#hasRenewedAfter403) return false
    this.#hasRenewedAfter403 = true
    return true
  }

  async #openWith(token: string, events: SubscriptionEvents, signal: AbortSignal): Promise<SubscribedConnection> {
    const { subscription, url, cookieName, transactionIdHeader } = this.#settings
    const id = new TransactionId().next()
    const headers = { [await cookieName()]: token, [TRANSACTION_HEADER]: id, [transactionIdHeader]: id }
    const request = { url, protocol: NOTIFICATION_PROTOCOL, headers }
    return SubscribedConnection.open(subscription, request, events, signal)
  }
}
