import type { MessageConnector, MessageRequest, MessageSocket } from '#client'
import type { Notification } from '#contracts'
import { Heartbeat, type HeartbeatSettings } from './heartbeat.ts'
import { readIncoming } from './incoming.ts'

export interface SubscriptionSettings {
  readonly connector: MessageConnector
  readonly topics: readonly string[]
  /** Topics whose refusal closes the connection. */
  readonly requiredTopics: ReadonlySet<string>
  /** Milliseconds until all subscriptions must be acknowledged. */
  readonly acknowledgeTimeout: number
  readonly heartbeat: HeartbeatSettings
}

export interface SubscriptionEvents {
  notified(notification: Notification): void
  /** An unparseable message, which may have been a notification. */
  unreadable(problem: string): void
  /** The server does not support the topic. */
  topicRefused(topic: string): void
  /** Called once, after the connection was open. */
  closed(reason: string): void
}

/** Connection to the notification endpoint whose subscriptions are all acknowledged. */
export class SubscribedConnection {
  readonly #settings: SubscriptionSettings
  readonly #events: SubscriptionEvents
  /** Topics of pending subscriptions, by id. */
  readonly #pending = new Map<string, string>()
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

  /** Resolves when every subscription is acknowledged. The socket is closed where it rejects. */
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
        message: (text) => connection.#onMessage(text),
        activity: () => connection.#heartbeat?.onActivity(),
        closed: (reason) => connection.#end(reason),
      },
      signal,
    )
    connection.#socket = socket
    const abort = () => connection.#acknowledged.reject(new Error('the attempt was aborted'))
    const cancelTimeout = settings.heartbeat.executor.schedule(settings.acknowledgeTimeout, () =>
      connection.#acknowledged.reject(new Error('the subscriptions were not acknowledged in time')),
    )
    signal.addEventListener('abort', abort)
    if (signal.aborted) abort()
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
      signal.removeEventListener('abort', abort)
    }
  }

  /** Closes by the WebSocket handshake: messages that the server has sent before still arrive. */
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
      (reason) => this.#onTimeout(reason),
    )
    for (const [at, topic] of topics.entries()) {
      const id = String(at + 1)
      this.#pending.set(id, topic)
      this.#socket?.send(JSON.stringify({ action: 'subscribe', topic, id }))
    }
  }

  #onMessage(text: string | null): void {
    const incoming = readIncoming(text)
    if (incoming.type === 'notification') this.#events.notified(incoming.notification)
    else if (incoming.type === 'registered') this.#answered(incoming.id ?? this.#idOf(incoming.topic), true)
    else if (incoming.type === 'refused') this.#answered(incoming.id, false)
    else this.#events.unreadable(incoming.problem)
  }

  #idOf(topic: string | null): string | null {
    for (const [id, pending] of this.#pending) if (pending === topic) return id
    return null
  }

  #answered(id: string | null, registered: boolean): void {
    const topic = id === null ? undefined : this.#pending.get(id)
    // Only subscriptions are sent, so that an error without id belongs to one of them.
    if (topic === undefined) {
      if (!registered) this.#acknowledged.reject(new Error('the server did not accept a subscription'))
      return
    }
    this.#pending.delete(id as string)
    if (registered) this.#registered++
    else if (this.#settings.requiredTopics.has(topic)) {
      this.#acknowledged.reject(new Error(`the server did not accept the subscription to ${topic}`))
    } else this.#events.topicRefused(topic)
    if (this.#pending.size > 0) return
    if (this.#registered > 0) this.#acknowledged.resolve()
    else this.#acknowledged.reject(new Error('the server did not accept any subscription'))
  }

  #onTimeout(reason: string): void {
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
