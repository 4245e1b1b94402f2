import type { Logger } from '#logging'
import { EVENTS } from '../log-events.ts'
import { SpoolFull } from './spool.ts'
import { SpoolLocked } from './spool-lock.ts'

/** Condition of a handler for health: no address and no secret is in the reason. */
export interface DeliveryState {
  readonly isUp: boolean
  readonly reason: string | null
}

const UP: DeliveryState = { isUp: true, reason: null }
const ERROR_CODE = /^[A-Z][A-Z0-9_]{1,40}$/

/** Logs the begin and the end of each outage of a handler, once. */
export class DeliveryLog {
  readonly #logger: Logger
  readonly #handler: string
  #outage: { readonly reason: string; readonly lost: number } | null = null
  #spoolProblem: string | null = null
  #isDropping = false

  constructor(logger: Logger, handler: string) {
    this.#logger = logger
    this.#handler = handler
  }

  get state(): DeliveryState {
    const reason =
      this.#outage?.reason ?? this.#spoolProblem ?? (this.#isDropping ? 'the queue is full, events are dropped' : null)
    return reason === null ? UP : { isUp: false, reason }
  }

  get isOutage(): boolean {
    return this.#outage !== null
  }

  /** `lost`: how many records were lost before. */
  failed(error: unknown, lost: number): void {
    if (this.#outage !== null) return
    this.#outage = { reason: `delivery failed${codeIn(error)}`, lost }
    this.#logger.error({ handler: this.#handler, ...fieldsOf(error) }, EVENTS.DELIVERY_FAILED)
  }

  /** The destination accepts records. */
  recovered(queued: number, lost: number): void {
    if (this.#outage === null) return
    const lostMeanwhile = lost - this.#outage.lost
    this.#outage = null
    this.#logger.info({ handler: this.#handler, queued, lost: lostMeanwhile }, 'audit events are delivered again')
  }

  /** Records found no room. */
  dropped(): void {
    if (this.#isDropping) return
    this.#isDropping = true
    this.#logger.error({ handler: this.#handler }, EVENTS.QUEUE_FULL)
  }

  /** There is room again. */
  accepting(lost: number): void {
    if (!this.#isDropping) return
    this.#isDropping = false
    this.#logger.info({ handler: this.#handler, lost }, 'audit events are queued again')
  }

  refused(error: Error): void {
    this.#logger.limited(error.message).warn({ handler: this.#handler, error }, EVENTS.EVENT_REFUSED)
  }

  tooLarge(events: number): void {
    this.#logger.limited('too large').warn({ handler: this.#handler, events }, EVENTS.EVENT_TOO_LARGE)
  }

  spoolFailed(error: unknown): void {
    if (this.#spoolProblem !== null) return
    this.#spoolProblem = error instanceof SpoolFull ? 'the spool is full' : `the spool is unavailable${codeIn(error)}`
    const fields = { handler: this.#handler, ...fieldsOf(error) }
    if (error instanceof SpoolFull) this.#logger.error(fields, EVENTS.SPOOL_FULL)
    else if (error instanceof SpoolLocked) this.#logger.error(fields, EVENTS.SPOOL_LOCKED)
    else this.#logger.error(fields, EVENTS.SPOOL_FAILED)
  }

  spoolRecovered(): void {
    if (this.#spoolProblem === null) return
    this.#spoolProblem = null
    this.#logger.info({ handler: this.#handler }, 'the spool of audit events is written again')
  }

  unreadable(events: number): void {
    this.#logger.limited().error({ handler: this.#handler, events }, EVENTS.SPOOL_UNREADABLE)
  }

  lostAtClose(events: number): void {
    this.#logger.error({ handler: this.#handler, events }, EVENTS.EVENTS_LOST)
  }

  closeFailed(): void {
    this.#logger.warn({ handler: this.#handler }, EVENTS.CLOSE_FAILED)
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
