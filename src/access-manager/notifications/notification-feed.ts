import { UpgradeRefusedError } from '#client'
import type { Executor, Notification, NotificationListener, Notifications } from '#contracts'
import type { Logger } from '#logging'
import type { Clock, Counter, Gauge } from '#schema'
import { EVENTS } from '../log-events.ts'
import { Backoff } from './backoff.ts'
import { isLimited } from './heartbeat.ts'
import { NotificationListeners } from './notification-listeners.ts'
import { type OpenSettings, SubscriptionOpener } from './open-subscription.ts'
import type { SubscribedConnection } from './subscribed-connection.ts'

/** Settings of a feed; times in milliseconds. */
interface FeedSettings extends OpenSettings {
  readonly executor: Executor
  readonly clock: Clock
  readonly logger: Logger
  readonly reconnectDelay: number
  /** Age at which a connection is replaced by a new one; 0 and `Infinity` for never. */
  readonly renewalDelay: number
  /** Attempts before the feed counts as degraded; `Infinity` for never. */
  readonly initialAttempts: number
  readonly metrics: FeedMetrics
  /** Whether the REST API of the server responds now. */
  isServing(): Promise<boolean>
  /** Called when the state changes; `detail` is for operators. */
  state(state: 'starting' | 'up' | 'degraded', detail: string): void
  random?(): number
}

interface FeedMetrics {
  readonly connected: Gauge
  readonly reconnects: Counter
  readonly messages: Counter
  readonly unreadable: Counter
}

const WARN_INTERVAL = 60_000
/** Minimum time between attempts caused by `requestReconnect`. */
const MIN_PAUSE = 1_000
/** Responses to an upgrade from a server without the endpoint, if it serves other requests. */
const NO_ENDPOINT: ReadonlySet<number> = new Set([404, 501])
/** Pause between attempts at a server without the endpoint: an upgrade of the server may add it. */
const ABSENT_PAUSE = 60_000

/**
 * Notifications of the access manager, over one connection that is reopened whenever it is lost. A connection that has reached
 * its maximum age is replaced when the new one has every subscription; until then notifications of both are processed, so that
 * none is lost.
 */
export class NotificationFeed implements Notifications {
  readonly #settings: FeedSettings
  readonly #backoff: Backoff
  readonly #opener: SubscriptionOpener
  readonly #listeners: NotificationListeners
  readonly #stop = new AbortController()
  /** Replaced connections, until they have closed. */
  readonly #closing = new Set<SubscribedConnection>()
  #current: SubscribedConnection | null = null
  #connectedAt = 0
  #everConnected = false
  #failures = 0
  #attempting = false
  #lastAttempt = Number.NEGATIVE_INFINITY
  #isAbsent = false
  #cancelNext = (): void => {}

  constructor(settings: FeedSettings) {
    this.#settings = settings
    this.#backoff = new Backoff(settings.reconnectDelay, settings.random)
    this.#opener = new SubscriptionOpener(settings)
    this.#listeners = new NotificationListeners(settings.logger)
  }

  get connected(): boolean {
    return this.#current !== null
  }

  get isAbsent(): boolean {
    return this.#isAbsent
  }

  listen(listener: NotificationListener): () => void {
    return this.#listeners.add(listener)
  }

  /** Begins to connect; resolves when the first attempt has ended, successful or not. */
  start(): Promise<void> {
    this.#settings.metrics.connected.set(0)
    this.#settings.state('starting', 'notifications: connecting')
    return this.#attempt()
  }

  /** Connects now instead of after the backoff: requests are denied while the feed is disconnected. */
  requestReconnect(): void {
    if (this.#current !== null || this.#attempting || this.#stopped) return
    if (this.#settings.clock.monotonic() - this.#lastAttempt < MIN_PAUSE) return
    this.#cancelNext()
    void this.#attempt()
  }

  close(): void {
    this.#stop.abort()
    this.#cancelNext()
    this.#settings.metrics.connected.set(0)
    for (const closing of this.#closing) closing.destroy()
    const current = this.#current
    this.#current = null
    current?.destroy()
    this.#listeners.clear()
  }

  get #stopped(): boolean {
    return this.#stop.signal.aborted
  }

  async #attempt(): Promise<void> {
    if (this.#attempting || this.#stopped) return
    this.#attempting = true
    try {
      const connection = await this.#open()
      this.#attempting = false
      if (this.#stopped) connection.destroy()
      else this.#replace(connection)
    } catch (error) {
      const status = await this.#missingEndpoint(error)
      this.#attempting = false
      this.#lastAttempt = this.#settings.clock.monotonic()
      if (this.#stopped) return
      if (status !== null && this.#current === null) this.#onAbsent(status)
      else this.#onFailure(error as Error)
    }
  }

  #open(): Promise<SubscribedConnection> {
    const { logger } = this.#settings
    const events = {
      notified: (notification: Notification) => this.#onNotification(notification),
      unreadable: (problem: string) => this.#onUnreadable(problem),
      topicRefused: (topic: string) => logger.limited(topic, WARN_INTERVAL).warn({ topic }, EVENTS.TOPIC_UNSUPPORTED),
    }
    return this.#opener.open(events, (connection, reason) => this.#onClosed(connection, reason), this.#stop.signal)
  }

  /** The status of a server that serves, but has no notification endpoint; null for any other failure. */
  async #missingEndpoint(error: unknown): Promise<number | null> {
    if (!(error instanceof UpgradeRefusedError) || !NO_ENDPOINT.has(error.status)) return null
    // A server that is being deployed answers 404 to everything.
    return (await this.#settings.isServing()) ? error.status : null
  }

  #onAbsent(status: number): void {
    const { logger, state } = this.#settings
    this.#schedule(ABSENT_PAUSE)
    if (this.#isAbsent) return
    this.#isAbsent = true
    logger.warn({ status }, EVENTS.NOTIFICATIONS_UNSUPPORTED)
    state('degraded', `notifications: the access manager has none (${status}); caches live by time alone`)
    this.#listeners.emit((listener) => listener.absent?.())
  }

  #replace(connection: SubscribedConnection): void {
    const { logger, metrics, clock, state, renewalDelay } = this.#settings
    const before = this.#current
    this.#current = connection
    this.#connectedAt = clock.monotonic()
    this.#failures = 0
    this.#isAbsent = false
    if (before === null) {
      logger.info('notifications are connected')
      if (this.#everConnected) metrics.reconnects.add()
      this.#everConnected = true
      metrics.connected.set(1)
      state('up', 'notifications: connected')
      this.#listeners.emit((listener) => listener.connected?.())
    } else {
      logger.debug('connection for notifications replaced by a new one')
      this.#closing.add(before)
      before.close()
    }
    this.#cancelNext()
    if (isLimited(renewalDelay)) this.#schedule(renewalDelay)
  }

  #onFailure(error: Error): void {
    const { logger, initialAttempts, state } = this.#settings
    const pause = this.#scheduleBackoff()
    // The state already says that the server has no notifications.
    if (this.#isAbsent) return
    if (this.#current !== null) {
      logger.warn({ error, pause }, EVENTS.NOTIFICATIONS_NOT_REPLACED)
      return
    }
    this.#failures++
    const attempt = this.#failures
    // Attempts are repeated without limit: only the first failure is logged unconditionally.
    const log = attempt <= 1 ? logger : logger.limited('', WARN_INTERVAL)
    log.warn({ error, attempt, pause }, EVENTS.NOTIFICATIONS_UNREACHABLE)
    if (this.#everConnected || attempt < Math.max(1, initialAttempts)) return
    if (attempt === Math.max(1, initialAttempts)) {
      logger.error({ error, attempts: attempt }, EVENTS.NOTIFICATIONS_DEGRADED)
    }
    state('degraded', `notifications: no connection after ${attempt} attempts: ${publicReason(error)}`)
  }

  #onClosed(connection: SubscribedConnection, reason: string): void {
    this.#closing.delete(connection)
    if (connection !== this.#current || this.#stopped) return
    const { logger, metrics, clock, reconnectDelay, state } = this.#settings
    this.#current = null
    this.#lastAttempt = clock.monotonic()
    metrics.connected.set(0)
    // A connection that closes at once does not reset the backoff.
    if (clock.monotonic() - this.#connectedAt >= reconnectDelay) this.#backoff.reset()
    logger.warn({ reason }, EVENTS.NOTIFICATIONS_DISCONNECTED)
    state('degraded', 'notifications: disconnected')
    this.#listeners.emit((listener) => listener.disconnected?.())
    if (!this.#attempting) this.#scheduleBackoff()
  }

  #scheduleBackoff(): number {
    const pause = this.#backoff.next()
    this.#schedule(pause)
    return Math.round(pause)
  }

  #schedule(pause: number): void {
    this.#cancelNext()
    try {
      this.#cancelNext = this.#settings.executor.schedule(pause, () => this.#attempt())
    } catch (error) {
      // The executor has stopped: the gateway is shutting down.
      this.#settings.logger.debug({ error }, 'no further attempt to connect notifications is scheduled')
    }
  }

  #onNotification(notification: Notification): void {
    this.#settings.metrics.messages.add()
    this.#listeners.emit((listener) => listener.notified?.(notification))
  }

  /** The message may have been about anything: caches act as after a lost connection. */
  #onUnreadable(problem: string): void {
    const { logger, metrics } = this.#settings
    metrics.unreadable.add()
    logger.limited('', WARN_INTERVAL).warn({ problem }, EVENTS.NOTIFICATION_UNREADABLE)
    if (this.#current === null) return
    this.#listeners.emit((listener) => listener.disconnected?.())
    this.#listeners.emit((listener) => listener.connected?.())
  }
}

/** The reason on health pages, which may be public: no address, no response. */
function publicReason(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}
