import type { MessageConnector, MessageRequest, MessageSocket } from '#client'
import type { Notification } from '#contracts'
import { Heartbeat, type HeartbeatSettings } from './heartbeat.ts'
import { readIncoming } from './incoming.ts'

/** What a connection is opened with. */
export interface SubscriptionSettings {
  readonly connector: MessageConnector
  readonly topics: readonly string[]
  /** Topics without which the connection is of no use. */
  readonly requiredTopics: ReadonlySet<string>
  /** Longest wait for the subscriptions to be acknowledged, in milliseconds. */
  readonly acknowledgeTimeout: number
  readonly heartbeat: HeartbeatSettings
}

/** Events of a connection. */
export interface SubscriptionEvents {
  notified(notification: Notification): void
  /** A message that can not be understood: it may have been news. */
  unreadable(problem: string): void
  /** A topic that the server does not know. */
  topicRefused(topic: string): void
  /** Once, after it was open. */
  closed(reason: string): void
}

/** A connection to the notification endpoint of which every subscription was acknowledged. */
export class SubscribedConnection {
  readonly #settings: SubscriptionSettings
  readonly #events: SubscriptionEvents
  /** Subscriptions by id that are not answered yet. */
  readonly #open = new Map<string, string>()
  readonly #acknowledged = Promise.withResolvers<void>()
  #registered = 0
  #socket: MessageSocket | null = null
  #heartbeat: Heartbeat | null = null
  #settled = false
  #ended = false

  private constructor(settings: SubscriptionSettings, events: SubscriptionEvents) {
    this.#settings = settings
    this.#events = events
    this.#acknowledged.promise.catch(() => {})
  }

  /** Resolves when news of every topic arrive. Nothing is left open where it rejects. */
  static async open(
    settings: SubscriptionSettings,
    request: MessageRequest,
    events: SubscriptionEvents,
    signal: AbortSignal,
  ): Promise<SubscribedConnection> {
    const connection = new SubscribedConnection(settings, events)
    const socket = await settings.connector.open(
      request,
      {
        message: (text) => connection.#take(text),
        activity: () => connection.#heartbeat?.heard(),
        closed: (reason) => connection.#end(reason),
      },
      signal,
    )
    connection.#socket = socket
    const giveUp = () => connection.#acknowledged.reject(new Error('the connection is not wanted any more'))
    const cancelTimeout = settings.heartbeat.executor.schedule(settings.acknowledgeTimeout, () =>
      connection.#acknowledged.reject(new Error('the subscriptions were not acknowledged in time')),
    )
    signal.addEventListener('abort', giveUp)
    if (signal.aborted) giveUp()
    try {
      connection.#subscribe()
      await connection.#acknowledged.promise
      if (connection.#ended) throw new Error('the connection ended')
      connection.#settled = true
      return connection
    } catch (error) {
      connection.destroy()
      throw error
    } finally {
      cancelTimeout()
      signal.removeEventListener('abort', giveUp)
    }
  }

  /** Ends it politely: what the server has sent before still arrives. */
  close(): void {
    this.#heartbeat?.stop()
    this.#socket?.close()
  }

  destroy(): void {
    this.#heartbeat?.stop()
    this.#socket?.destroy()
  }

  #subscribe(): void {
    const { topics, heartbeat } = this.#settings
    this.#heartbeat = new Heartbeat(
      heartbeat,
      () => this.#socket?.ping(),
      (reason) => this.#dead(reason),
    )
    for (const [at, topic] of topics.entries()) {
      const id = String(at + 1)
      this.#open.set(id, topic)
      this.#socket?.send(JSON.stringify({ action: 'subscribe', topic, id }))
    }
  }

  #take(text: string | null): void {
    const incoming = readIncoming(text)
    if (incoming.type === 'notification') this.#events.notified(incoming.notification)
    else if (incoming.type === 'registered') this.#answered(incoming.id ?? this.#idOf(incoming.topic), true)
    else if (incoming.type === 'refused') this.#answered(incoming.id, false)
    else this.#events.unreadable(incoming.problem)
  }

  #idOf(topic: string | null): string | null {
    for (const [id, open] of this.#open) if (open === topic) return id
    return null
  }

  #answered(id: string | null, registered: boolean): void {
    const topic = id === null ? undefined : this.#open.get(id)
    // An error without an id can only be about what was sent: the subscriptions.
    if (topic === undefined) {
      if (!registered) this.#acknowledged.reject(new Error('the server did not accept a subscription'))
      return
    }
    this.#open.delete(id as string)
    if (registered) this.#registered++
    else if (this.#settings.requiredTopics.has(topic)) {
      this.#acknowledged.reject(new Error(`the server did not accept the subscription to ${topic}`))
    } else this.#events.topicRefused(topic)
    if (this.#open.size > 0) return
    if (this.#registered > 0) this.#acknowledged.resolve()
    else this.#acknowledged.reject(new Error('the server did not accept any subscription'))
  }

  #dead(reason: string): void {
    this.#socket?.destroy()
    this.#end(reason)
  }

  #end(reason: string): void {
    if (this.#ended) return
    this.#ended = true
    this.#heartbeat?.stop()
    this.#acknowledged.reject(new Error(`the connection ended: ${reason}`))
    if (this.#settled) this.#events.closed(reason)
  }
}
