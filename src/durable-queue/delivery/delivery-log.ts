import type { LogEvent, Logger } from '#logging'
import { SpoolFull } from '../spool/spool.ts'
import { SpoolLocked } from '../spool/spool-lock.ts'
import type { QueueClock } from './queue-bounds.ts'
import type { TransportEnv } from './transport.ts'

/** Condition of a delivery for health: no address and no secret is in the reason. */
export interface DeliveryState {
  readonly isUp: boolean
  readonly reason: string | null
}

/** What log entries and states call the records, and the log events of a delivery. */
export interface DeliveryWording {
  readonly noun: string
  readonly events: Readonly<
    Record<
      | 'CLOSE_FAILED'
      | 'DELIVERY_FAILED'
      | 'EVENT_REFUSED'
      | 'EVENT_TOO_LARGE'
      | 'EVENTS_LOST'
      | 'EVENTS_NOT_STORED'
      | 'JOURNAL_UNREADABLE'
      | 'QUEUE_FULL'
      | 'SPOOL_FAILED'
      | 'SPOOL_FULL'
      | 'SPOOL_LOCKED'
      | 'SPOOL_READ_FAILED'
      | 'SPOOL_UNREADABLE',
      LogEvent
    >
  >
}

const UP: DeliveryState = { isUp: true, reason: null }
const ERROR_CODE = /^[A-Z][A-Z0-9_]{1,40}$/
/** Milliseconds: of outages that begin in shorter intervals only those are logged that last as long. */
const LOG_INTERVAL = 10_000
/** Milliseconds for which records may wait before the delivery counts as degraded. */
const LONGEST_WAIT = 10_000

interface Outage {
  readonly reason: string
  /** Records that were lost before. */
  readonly lost: number
  isLogged: boolean
}

/** Logs the begin and the end of each outage of a destination, once. */
export class DeliveryLog {
  readonly #logger: Logger
  readonly #handler: string
  readonly #clock: QueueClock
  readonly #noun: string
  readonly #events: DeliveryWording['events']
  #outage: Outage | null = null
  #loggedAt = Number.NEGATIVE_INFINITY
  #spoolProblem: string | null = null
  /** Whether the destination refused the last record that it got. */
  #isRefusing = false
  /** Records that were lost before the queue was full; null while it has room. */
  #lostBefore: number | null = null

  constructor(handler: string, { logger, clock, wording }: TransportEnv & { readonly wording: DeliveryWording }) {
    this.#logger = logger.child({ handler })
    this.#handler = handler
    this.#clock = clock
    this.#noun = wording.noun
    this.#events = wording.events
  }

  /** `waiting`: milliseconds for which a record waits, such as for a destination that accepts connections and reads nothing. */
  state(waiting: number): DeliveryState {
    const reason = this.#outage?.reason ?? this.#spoolProblem ?? this.#problem(waiting)
    return reason === null ? UP : { isUp: false, reason }
  }

  #problem(waiting: number): string | null {
    if (this.#lostBefore !== null) return `the queue is full, ${this.#noun} are dropped`
    if (this.#isRefusing) return `the destination refuses ${this.#noun}`
    return waiting < LONGEST_WAIT ? null : `${this.#noun} wait for delivery for ${Math.floor(waiting / 1000)} s`
  }

  get isOutage(): boolean {
    return this.#outage !== null
  }

  /** The destination fails; `lost`: how many records were lost before. */
  failed(error: unknown, lost: number): void {
    this.#outage ??= { reason: `delivery failed${codeIn(error)}`, lost, isLogged: false }
    this.#logOutage(this.#outage, error, this.#events.DELIVERY_FAILED)
  }

  /** The next records can not be read from the disk. */
  readFailed(error: unknown, lost: number): void {
    this.#outage ??= { reason: `the spool can not be read${codeIn(error)}`, lost, isLogged: false }
    this.#logOutage(this.#outage, error, this.#events.SPOOL_READ_FAILED)
  }

  /** The destination accepted a record. */
  accepted(): void {
    this.#isRefusing = false
  }

  /** The destination answers again. */
  recovered(queued: number, lost: number): void {
    if (this.#outage === null) return
    const { isLogged, lost: before } = this.#outage
    const lostMeanwhile = lost - before
    this.#outage = null
    if (!isLogged) return
    this.#logger.info({ queued, lost: lostMeanwhile }, `${this.#noun} are delivered again`)
  }

  /** Records were dropped because the queue is full; `lost`: number of records lost before. */
  dropped(lost: number): void {
    if (this.#lostBefore !== null) return
    this.#lostBefore = lost
    this.#logger.limited(this.#handler).error(this.#events.QUEUE_FULL)
  }

  /** There is room again. */
  accepting(lost: number): void {
    if (this.#lostBefore === null) return
    const fields = { lost: lost - this.#lostBefore }
    this.#lostBefore = null
    this.#logger.limited(this.#handler).info(fields, `${this.#noun} are queued again`)
  }

  refused(error: Error): void {
    this.#isRefusing = true
    this.#logger.limited(`${this.#handler} ${error.message}`).warn({ error }, this.#events.EVENT_REFUSED)
  }

  tooLarge(events: number): void {
    this.#logger.limited(this.#handler).warn({ events }, this.#events.EVENT_TOO_LARGE)
  }

  spoolFailed(error: unknown): void {
    if (this.#spoolProblem !== null) return
    this.#spoolProblem = error instanceof SpoolFull ? 'the spool is full' : `the spool is unavailable${codeIn(error)}`
    const fields = fieldsOf(error)
    const logger = this.#logger.limited(this.#handler)
    if (error instanceof SpoolFull) logger.error(fields, this.#events.SPOOL_FULL)
    else if (error instanceof SpoolLocked) logger.error(fields, this.#events.SPOOL_LOCKED)
    else logger.error(fields, this.#events.SPOOL_FAILED)
  }

  spoolRecovered(): void {
    if (this.#spoolProblem === null) return
    this.#spoolProblem = null
    this.#logger.limited(this.#handler).info(`the spool of ${this.#noun} is written again`)
  }

  /** All records that it could not take are delivered; whether it could take others is not known. */
  spoolUnused(): void {
    if (this.#spoolProblem === null) return
    this.#spoolProblem = null
    this.#logger.limited(this.#handler).info(`the spool of ${this.#noun} has nothing to store`)
  }

  unreadable(events: number): void {
    this.#logger.limited(this.#handler).error({ events }, this.#events.SPOOL_UNREADABLE)
  }

  journalUnreadable(error: Error): void {
    this.#logger.limited(this.#handler).error({ error }, this.#events.JOURNAL_UNREADABLE)
  }

  lostAtClose(events: number, hasSpool: boolean): void {
    this.#logger.error({ events }, hasSpool ? this.#events.EVENTS_NOT_STORED : this.#events.EVENTS_LOST)
  }

  closeFailed(): void {
    this.#logger.warn(this.#events.CLOSE_FAILED)
  }

  #logOutage(outage: Outage, error: unknown, event: LogEvent): void {
    const now = this.#clock.monotonic()
    if (outage.isLogged || now - this.#loggedAt < LOG_INTERVAL) return
    outage.isLogged = true
    this.#loggedAt = now
    this.#logger.error(fieldsOf(error), event)
  }
}

function fieldsOf(error: unknown): { error?: Error; errno?: string } {
  if (!(error instanceof Error)) return {}
  const { code } = error as NodeJS.ErrnoException
  return code === undefined ? { error } : { error, errno: code }
}

function codeIn(error: unknown): string {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined
  return typeof code === 'string' && ERROR_CODE.test(code) ? `: ${code}` : ''
}
