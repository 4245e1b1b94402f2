import { UpgradeRefusedError } from '#client'
import type { Executor, Notification, NotificationListener, Notifications } from '#contracts'
import { TransactionId } from '#http'
import type { Logger } from '#logging'
import type { Clock, Counter, Gauge } from '#schema'
import type { AgentSession } from '../agent-session.ts'
import { EVENTS } from '../log-events.ts'
import { TRANSACTION_HEADER } from '../rest-call.ts'
import { Backoff } from './backoff.ts'
import { isLimited } from './heartbeat.ts'
import { SubscribedConnection, type SubscriptionEvents, type SubscriptionSettings } from './subscribed-connection.ts'
import { NOTIFICATION_PROTOCOL } from './topics.ts'

/** What a feed lives on; times in milliseconds. */
interface FeedSettings {
  readonly url: string
  readonly subscription: SubscriptionSettings
  readonly session: Pick<AgentSession, 'token' | 'renewed'>
  readonly executor: Executor
  readonly clock: Clock
  readonly logger: Logger
  readonly reconnectDelay: number
  /** Age at which a connection is replaced by a new one; 0 and `Infinity` for never. */
  readonly renewalDelay: number
  /** Attempts before the feed counts as degraded; `Infinity` for never. */
  readonly initialAttempts: number
  readonly transactionIdHeader: string
  readonly metrics: FeedMetrics
  cookieName(): Promise<string>
  /** Whether the server answers requests other than for notifications at this moment. */
  isServing(): Promise<boolean>
  /** Told when the state changes; the detail is for operators. */
  state(state: 'starting' | 'up' | 'degraded', detail: string): void
  random?(): number
}

/** What a feed counts. */
interface FeedMetrics {
  readonly connected: Gauge
  readonly reconnects: Counter
  readonly messages: Counter
  readonly unreadable: Counter
}

const WARN_INTERVAL = 60_000
/** The least time between attempts, however much somebody is in need of one. */
const LEAST_PAUSE = 1_000
/** Answers to an upgrade by which a server says that it has no such endpoint, if it serves requests otherwise. */
const NO_ENDPOINT: ReadonlySet<number> = new Set([404, 501])
/** Between attempts at a server that has no such endpoint: an upgrade of the server may bring it. */
const ABSENT_PAUSE = 60_000

/**
 * News of the access manager, over one connection that is made again for ever. A connection that has reached its age is
 * replaced only when the new one has every subscription: news of both are passed on meanwhile, so that none is missed.
 */
export class NotificationFeed implements Notifications {
  readonly #settings: FeedSettings
  readonly #backoff: Backoff
  readonly #listeners = new Set<NotificationListener>()
  readonly #stop = new AbortController()
  /** Connections that are being replaced, until they have ended. */
  readonly #leaving = new Set<SubscribedConnection>()
  #current: SubscribedConnection | null = null
  #since = 0
  #everConnected = false
  #failures = 0
  #attempting = false
  #lastAttempt = Number.NEGATIVE_INFINITY
  #relogged = false
  #isAbsent = false
  #cancelNext = (): void => {}

  constructor(settings: FeedSettings) {
    this.#settings = settings
    this.#backoff = new Backoff(settings.reconnectDelay, settings.random)
  }

  get connected(): boolean {
    return this.#current !== null
  }

  get isAbsent(): boolean {
    return this.#isAbsent
  }

  listen(listener: NotificationListener): () => void {
    // Wrapped, so that the same listener can listen twice.
    const entry = { ...bound(listener) }
    this.#listeners.add(entry)
    return () => void this.#listeners.delete(entry)
  }

  /** Starts the first attempt, which is followed by others for ever; resolves when the first has ended, well or not. */
  start(): Promise<void> {
    this.#settings.metrics.connected.set(0)
    this.#settings.state('starting', 'notifications: connecting')
    return this.#attempt()
  }

  /**
   * Whoever is turned away while there is no news should not have to wait for a pause that has grown: a server that is
   * back is found within a second or so.
   */
  hurry(): void {
    if (this.#current !== null || this.#attempting || this.#stopped) return
    if (this.#settings.clock.monotonic() - this.#lastAttempt < LEAST_PAUSE) return
    this.#cancelNext()
    void this.#attempt()
  }

  /** Ends every connection and every plan for one. */
  close(): void {
    this.#stop.abort()
    this.#cancelNext()
    this.#settings.metrics.connected.set(0)
    for (const leaving of this.#leaving) leaving.destroy()
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
      const status = await this.#noEndpoint(error)
      this.#attempting = false
      this.#lastAttempt = this.#settings.clock.monotonic()
      if (this.#stopped) return
      if (status !== null && this.#current === null) this.#absent(status)
      else this.#failed(error as Error)
    }
  }

  /** The status by which the server said that it has no notifications; null for any other failure. */
  async #noEndpoint(error: unknown): Promise<number | null> {
    if (!(error instanceof UpgradeRefusedError) || !NO_ENDPOINT.has(error.status)) return null
    // A server that is being deployed answers 404 to everything.
    return (await this.#settings.isServing()) ? error.status : null
  }

  #absent(status: number): void {
    const { logger, state } = this.#settings
    this.#cancelNext()
    this.#plan(ABSENT_PAUSE)
    if (this.#isAbsent) return
    this.#isAbsent = true
    logger.warn({ status }, EVENTS.NOTIFICATIONS_UNSUPPORTED)
    state('degraded', `notifications: the access manager has none (${status}); caches live by time alone`)
    this.#tell((listener) => listener.absent?.())
  }

  async #open(): Promise<SubscribedConnection> {
    const { session } = this.#settings
    const token = await session.token()
    try {
      return await this.#openWith(token)
    } catch (error) {
      if (!this.#mayRelog(error) || this.#stopped) throw error
      return this.#openWith(await session.renewed(token))
    }
  }

  /** A session that the server does not know (any more); a 403 is worth one login, since a restarted server says so too. */
  #mayRelog(error: unknown): boolean {
    if (!(error instanceof UpgradeRefusedError)) return false
    if (error.status === 401) return true
    if (error.status !== 403 || this.#relogged) return false
    this.#relogged = true
    return true
  }

  async #openWith(token: string): Promise<SubscribedConnection> {
    const { subscription, url, cookieName, transactionIdHeader } = this.#settings
    const id = new TransactionId().next()
    const headers = { [await cookieName()]: token, [TRANSACTION_HEADER]: id, [transactionIdHeader]: id }
    let connection: SubscribedConnection | null = null
    const events: SubscriptionEvents = {
      notified: (notification) => this.#notified(notification),
      unreadable: (problem) => this.#unreadable(problem),
      topicRefused: (topic) => {
        const { logger } = this.#settings
        logger.limited(topic, WARN_INTERVAL).warn({ topic }, EVENTS.TOPIC_UNSUPPORTED)
      },
      closed: (reason) => {
        if (connection !== null) this.#ended(connection, reason)
      },
    }
    const request = { url, protocol: NOTIFICATION_PROTOCOL, headers }
    connection = await SubscribedConnection.open(subscription, request, events, this.#stop.signal)
    return connection
  }

  #replace(connection: SubscribedConnection): void {
    const { logger, metrics, clock, state } = this.#settings
    const before = this.#current
    this.#current = connection
    this.#since = clock.monotonic()
    this.#failures = 0
    this.#relogged = false
    this.#isAbsent = false
    if (before === null) {
      logger.info('notifications are connected')
      if (this.#everConnected) metrics.reconnects.add()
      this.#everConnected = true
      metrics.connected.set(1)
      state('up', 'notifications: connected')
      this.#tell((listener) => listener.connected?.())
    } else {
      logger.debug('the connection for notifications was replaced by a new one')
      this.#leaving.add(before)
      before.close()
    }
    this.#planRenewal()
  }

  #planRenewal(): void {
    const { renewalDelay } = this.#settings
    this.#cancelNext()
    if (isLimited(renewalDelay)) this.#plan(renewalDelay)
  }

  #failed(error: Error): void {
    const { logger, initialAttempts, state } = this.#settings
    const pause = this.#pause()
    // Nothing is denied for want of notifications, and the state has told.
    if (this.#isAbsent) return
    if (this.#current !== null) {
      logger.warn({ error, pause }, EVENTS.NOTIFICATIONS_NOT_REPLACED)
      return
    }
    this.#failures++
    const message = 'notifications can not be connected; it is tried again'
    // What is tried for ever would fill the log: failures after the first ones are logged once a minute.
    const attempt = this.#failures
    const log = attempt <= 1 ? logger : logger.limited('', WARN_INTERVAL)
    log.warn({ error, attempt, pause }, EVENTS.NOTIFICATIONS_UNREACHABLE.withMessage(message))
    if (this.#everConnected || attempt < Math.max(1, initialAttempts)) return
    if (attempt === Math.max(1, initialAttempts)) {
      logger.error({ error, attempts: attempt }, EVENTS.NOTIFICATIONS_DEGRADED)
    }
    state('degraded', `notifications: no connection after ${attempt} attempts: ${told(error)}`)
  }

  #ended(connection: SubscribedConnection, reason: string): void {
    this.#leaving.delete(connection)
    if (connection !== this.#current || this.#stopped) return
    const { logger, metrics, clock, reconnectDelay, state } = this.#settings
    this.#current = null
    this.#lastAttempt = clock.monotonic()
    metrics.connected.set(0)
    // One that lived for a moment only has shown nothing: the pauses go on growing.
    if (clock.monotonic() - this.#since >= reconnectDelay) this.#backoff.reset()
    logger.warn({ reason }, EVENTS.NOTIFICATIONS_DISCONNECTED)
    state('degraded', 'notifications: disconnected')
    this.#tell((listener) => listener.disconnected?.())
    if (!this.#attempting) this.#pause()
  }

  #pause(): number {
    const pause = this.#backoff.next()
    this.#cancelNext()
    this.#plan(pause)
    return Math.round(pause)
  }

  #plan(pause: number): void {
    try {
      this.#cancelNext = this.#settings.executor.schedule(pause, () => this.#attempt())
    } catch (error) {
      // An executor that has stopped: so will everything else of the gateway in a moment.
      this.#settings.logger.debug({ error }, 'no further connection for notifications is planned')
    }
  }

  #notified(notification: Notification): void {
    this.#settings.metrics.messages.add()
    this.#tell((listener) => listener.notified?.(notification))
  }

  /** It may have been news of anything: whoever keeps something does as after a lost connection. */
  #unreadable(problem: string): void {
    const { logger, metrics } = this.#settings
    metrics.unreadable.add()
    const message = 'a notification can not be read; it is taken for one of anything'
    logger.limited('', WARN_INTERVAL).warn({ problem }, EVENTS.NOTIFICATION_UNREADABLE.withMessage(message))
    if (this.#current === null) return
    this.#tell((listener) => listener.disconnected?.())
    this.#tell((listener) => listener.connected?.())
  }

  #tell(news: (listener: NotificationListener) => void): void {
    for (const listener of [...this.#listeners]) {
      try {
        news(listener)
      } catch (error) {
        this.#settings.logger.limited(error).error({ error }, EVENTS.NOTIFICATION_LISTENER_FAILED)
      }
    }
  }
}

function bound(listener: NotificationListener): NotificationListener {
  return {
    notified: (notification) => listener.notified?.(notification),
    disconnected: () => listener.disconnected?.(),
    connected: () => listener.connected?.(),
    absent: () => listener.absent?.(),
  }
}

/** What operators are told where anybody may read it: no address, no answer. */
function told(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}
