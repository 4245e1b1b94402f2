import { JmsError, MessageRefused, reasonOf } from './jms-error.ts'
import type { JmsMessage, JmsProducer, ProducerEnv } from './producer.ts'
import type { ConnectionPlan, Endpoint } from './producer-plan.ts'

/** An open connection to one broker. */
export interface BrokerLink {
  readonly isOpen: boolean
  /** As `JmsProducer.send`; the link is closed when it rejects with anything but MessageRefused. */
  send(messages: readonly JmsMessage[], signal: AbortSignal): Promise<void>
  close(): Promise<void>
}

/** Opens a connection; rejects within its own deadlines, or at once when the signal aborts. */
export type OpenLink = (endpoint: Endpoint, signal: AbortSignal) => Promise<BrokerLink>

/** Share of a delay that is random, so that gateways do not return to a broker at the same time. */
const JITTER = 0.5

/**
 * Sends over a connection to the first broker of the list that can be used. After a failure the next attempt, with all
 * brokers in order, is made no earlier than the back-off allows; it grows until messages are accepted.
 */
export class FailoverProducer implements JmsProducer {
  readonly #plan: ConnectionPlan
  readonly #env: ProducerEnv
  readonly #open: OpenLink
  readonly #closing = new AbortController()
  #link: BrokerLink | null = null
  #failures = 0
  /** Time of the monotonic clock before which no connection is opened. */
  #notBefore = 0

  constructor(plan: ConnectionPlan, env: ProducerEnv, open: OpenLink) {
    this.#plan = plan
    this.#env = env
    this.#open = open
  }

  async send(messages: readonly JmsMessage[], signal: AbortSignal): Promise<void> {
    if (messages.length === 0) return
    const either = AbortSignal.any([signal, this.#closing.signal])
    try {
      const link = await this.#openLink(either)
      await link.send(messages, either)
    } catch (error) {
      if (error instanceof MessageRefused) throw error
      this.#failed()
      throw error instanceof JmsError ? error : new JmsError(reasonOf(error), { cause: error })
    }
    this.#failures = 0
    this.#notBefore = 0
  }

  async close(): Promise<void> {
    const link = this.#link
    this.#link = null
    // Ends a send and a connection that is being opened; an idle connection is closed in good order.
    this.#closing.abort()
    await link?.close()
  }

  async #openLink(signal: AbortSignal): Promise<BrokerLink> {
    if (this.#closing.signal.aborted) throw new JmsError('the producer is closed')
    if (this.#link?.isOpen === true) return this.#link
    this.#link = null
    await pause(this.#notBefore - this.#env.clock.monotonic(), signal)
    const { endpoints, randomize } = this.#plan
    const reasons: string[] = []
    for (const endpoint of randomize ? shuffled(endpoints) : endpoints) {
      try {
        const link = await this.#open(endpoint, signal)
        if (this.#closing.signal.aborted) await link.close()
        else this.#link = link
        this.#env.onConnected?.(nameOf(endpoint))
        return link
      } catch (error) {
        reasons.push(`${nameOf(endpoint)}: ${reasonOf(error)}`)
        if (signal.aborted) break
      }
    }
    throw new JmsError(reasons.join('; '))
  }

  #failed(): void {
    const { initialDelay, maxDelay, multiplier } = this.#plan.reconnect
    const delay = Math.min(maxDelay, initialDelay * multiplier ** this.#failures)
    this.#failures++
    this.#notBefore = this.#env.clock.monotonic() + delay * (1 - JITTER * Math.random())
  }
}

function nameOf({ host, port }: Endpoint): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}

function shuffled<T>(items: readonly T[]): T[] {
  const rest = [...items]
  return items.map(() => rest.splice(Math.floor(Math.random() * rest.length), 1)[0] as T)
}

function pause(delay: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.reject(new JmsError('aborted'))
  if (delay <= 0) return Promise.resolve()
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const onAbort = (): void => {
    clearTimeout(timer)
    reject(new JmsError('aborted'))
  }
  const timer = setTimeout(() => {
    signal.removeEventListener('abort', onAbort)
    resolve()
  }, delay)
  signal.addEventListener('abort', onAbort, { once: true })
  return promise
}
