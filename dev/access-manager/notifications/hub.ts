import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import type { Clock } from '#schema'
import { headerOf } from '../http/call.ts'
import type { Family } from '../settings.ts'
import type { Sessions } from '../state/sessions.ts'
import { refuseUpgrade } from './refusal.ts'
import { readFrame } from './subscription.ts'

/** The only version of the protocol. */
export const SUBPROTOCOL = 'v1.notifications.forgerock.org'

const MOST_BYTES = 64 * 1024
const MOST_TOPICS = 100
const MOST_QUEUED_BYTES = 4 * 1024 * 1024
/** A socket without a pong for two pings is closed with the next notification. */
const SILENT_PINGS = 2

interface HubSettings {
  readonly family: Family
  readonly cookieName: string
  readonly pingInterval: number
  readonly sockets: number
}

interface Subscriber {
  readonly topics: Set<string>
  /** Real time: a clock advanced by a test must not close sockets. */
  heardAt: number
}

/** `WS /notifications`: agents subscribe to topics and receive notifications. */
export class NotificationHub {
  readonly #settings: HubSettings
  readonly #sessions: Sessions
  readonly #clock: Clock
  readonly #server = new WebSocketServer({
    noServer: true,
    maxPayload: MOST_BYTES,
    perMessageDeflate: false,
    handleProtocols: (offered) => (offered.has(SUBPROTOCOL) ? SUBPROTOCOL : false),
  })
  readonly #subscribers = new Map<WebSocket, Subscriber>()
  readonly #pinging: NodeJS.Timeout
  readonly #waiting = new Set<() => void>()
  #refusal: number | null = null
  #isLosing = false

  constructor(settings: HubSettings, sessions: Sessions, clock: Clock) {
    this.#settings = settings
    this.#sessions = sessions
    this.#clock = clock
    this.#pinging = setInterval(() => this.#ping(), settings.pingInterval).unref()
  }

  /** Number of open sockets. */
  get size(): number {
    return this.#subscribers.size
  }

  /** Rejects further upgrades with a status; null accepts them again. */
  refuseUpgrades(status: number | null): void {
    this.#refusal = status
  }

  /** Silently drops further notifications, as OpenAM does with some while it sends others. */
  loseNotifications(isLosing: boolean): void {
    this.#isLosing = isLosing
  }

  /** Accepts agents; rejects other clients with a status. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const status = this.#refusal ?? this.#evaluateCondition(request)
    if (status !== null) refuseUpgrade(socket, status)
    else this.#server.handleUpgrade(request, socket, head, (opened) => this.#opened(opened))
  }

  /** Sends to all subscribers of the topic. */
  publish(topic: string, body: object): void {
    if (this.#isLosing) return
    const text = JSON.stringify({ topic, timestamp: new Date(this.#clock.now()).toISOString(), body })
    const limit = performance.now() - SILENT_PINGS * this.#settings.pingInterval
    for (const [socket, { topics, heardAt }] of this.#subscribers) {
      if (!topics.has(topic)) continue
      if (heardAt < limit || socket.bufferedAmount > MOST_QUEUED_BYTES) socket.close(1001)
      else socket.send(text)
    }
  }

  /** Resolves when this many sockets are subscribed to the topic. */
  async subscribed(topic: string, sockets = 1): Promise<void> {
    while (this.#count(topic) < sockets) await new Promise<void>((resolve) => this.#waiting.add(resolve))
  }

  /** Resolves when at most this many sockets are open. */
  async dwindled(sockets = 0): Promise<void> {
    while (this.size > sockets) await new Promise<void>((resolve) => this.#waiting.add(resolve))
  }

  /** Destroys every connection, or closes them by a close frame with this code. */
  dropSockets(code?: number): void {
    for (const socket of this.#subscribers.keys()) {
      if (code === undefined) socket.terminate()
      else socket.close(code)
    }
  }

  close(): void {
    clearInterval(this.#pinging)
    this.dropSockets()
    this.#server.close()
  }

  #evaluateCondition({ headers }: IncomingMessage): number | null {
    // Only the header is accepted, not the cookie.
    const session = this.#sessions.find(headerOf(headers, this.#settings.cookieName))
    if (session === undefined) return 401
    if (session.owner.kind !== 'agent') return 403
    return this.size >= this.#settings.sockets ? 503 : null
  }

  #opened(socket: WebSocket): void {
    const subscriber: Subscriber = { topics: new Set(), heardAt: performance.now() }
    this.#subscribers.set(socket, subscriber)
    const heard = (): void => {
      subscriber.heardAt = performance.now()
    }
    socket.on('pong', heard)
    socket.on('ping', heard)
    socket.on('error', () => socket.terminate())
    socket.on('close', () => {
      this.#subscribers.delete(socket)
      this.#changed()
    })
    socket.on('message', (data, isBinary) => {
      heard()
      if (isBinary) return socket.close(1003)
      socket.send(JSON.stringify(this.#answer(subscriber, data.toString())))
      this.#changed()
    })
    this.#changed()
  }

  #answer({ topics }: Subscriber, text: string): object {
    const spoken = readFrame(text)
    if ('error' in spoken) return spoken
    if (topics.size >= MOST_TOPICS) return { error: 'too many topics', id: spoken.id }
    topics.add(spoken.topic)
    return { topic: spoken.topic, message: 'subscription registered', id: spoken.id }
  }

  #ping(): void {
    for (const socket of this.#subscribers.keys()) socket.ping()
  }

  #count(topic: string): number {
    return this.#subscribers
      .values()
      .filter(({ topics }) => topics.has(topic))
      .toArray().length
  }

  #changed(): void {
    for (const resolve of this.#waiting) resolve()
    this.#waiting.clear()
  }
}
