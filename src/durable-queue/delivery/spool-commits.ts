import { RetryDelay } from '#timing'
import { Spool } from '../spool/spool.ts'
import { SpoolLocked } from '../spool/spool-lock.ts'
import { type Backlog, MAX_COMMIT_BYTES } from './backlog.ts'
import type { DeliveryLog } from './delivery-log.ts'
import type { DeliveryTiming } from './delivery-timing.ts'
import type { QueueClock, SpoolPlan } from './queue-bounds.ts'

const SHORTEST_RETRY = 100
const LONGEST_RETRY = 10_000

/** Opens the spool of a backlog, and writes undelivered records to it. */
export class SpoolCommits {
  readonly #plan: SpoolPlan
  readonly #backlog: Backlog
  readonly #log: DeliveryLog
  readonly #clock: QueueClock
  readonly #interval: number
  /** Until then a lock is one of a delivery that is being replaced. */
  readonly #lockedUntil: number
  readonly #onOpened: () => void
  readonly #onStored: () => void
  readonly #retry = new RetryDelay(SHORTEST_RETRY, LONGEST_RETRY)
  readonly #attempted = Promise.withResolvers<void>()
  #spool: Spool | null = null
  #timer: NodeJS.Timeout | null = null
  #reopen: NodeJS.Timeout | null = null
  #committing: Promise<void> | null = null
  #failedUntil = Number.NEGATIVE_INFINITY
  #isClosed = false

  /** `onOpened`: the spool has records of an earlier process and waits for `attach`. `onStored`: memory was released. */
  constructor(
    plan: SpoolPlan,
    backlog: Backlog,
    env: { log: DeliveryLog; clock: QueueClock; timing: DeliveryTiming; onOpened: () => void; onStored: () => void },
  ) {
    this.#plan = plan
    this.#backlog = backlog
    this.#log = env.log
    this.#clock = env.clock
    this.#interval = env.timing.commitInterval
    this.#lockedUntil = env.clock.monotonic() + env.timing.startLimit
    this.#onOpened = env.onOpened
    this.#onStored = env.onStored
    void this.#open()
  }

  /** Resolves when the first attempt to open the spool has ended. */
  get attempted(): Promise<void> {
    return this.#attempted.promise
  }

  /** Hands an opened spool to the backlog, between two calls of `send`; true where the order in memory changed. */
  attach(): boolean {
    const spool = this.#spool
    if (spool === null || this.#backlog.hasSpool) return false
    this.#backlog.attach(spool)
    this.added()
    return true
  }

  /** Records were added. */
  added(): void {
    if (this.#backlog.tailBytes > MAX_COMMIT_BYTES) void this.commitAll()
    if (this.#timer === null) this.#schedule(this.#interval)
  }

  /** Whether an opened spool waits for `attach`. */
  get isOpened(): boolean {
    return this.#spool !== null && !this.#backlog.hasSpool
  }

  /** Like `commitAll`, also shortly after a failure. */
  async commitNow(): Promise<void> {
    await this.attempted
    await this.#committing
    this.#failedUntil = Number.NEGATIVE_INFINITY
    await this.commitAll()
  }

  /** Writes all records to the disk that are not there yet, as far as it allows. */
  commitAll(): Promise<void> {
    this.#committing ??= this.#commitAll().finally(() => {
      this.#committing = null
    })
    return this.#committing
  }

  /** Ends all attempts; the backlog closes an attached spool. */
  async close(): Promise<void> {
    this.#isClosed = true
    if (this.#timer !== null) clearTimeout(this.#timer)
    if (this.#reopen !== null) clearTimeout(this.#reopen)
    this.#attempted.resolve()
    if (this.isOpened) await this.#spool?.close(0)
  }

  async #open(): Promise<void> {
    this.#reopen = null
    try {
      const spool = await Spool.open(this.#plan, (error) => this.#log.journalUnreadable(error))
      if (this.#isClosed) return await spool.close(0)
      this.#spool = spool
      this.#retry.reset()
      this.#log.spoolRecovered()
      if (spool.hasUnread) this.#onOpened()
      else this.attach()
    } catch (error) {
      const isReplacing = error instanceof SpoolLocked && this.#clock.monotonic() < this.#lockedUntil
      if (!this.#isClosed)
        this.#reopen = setTimeout(() => void this.#open(), isReplacing ? SHORTEST_RETRY : this.#retry.next())
      if (isReplacing) return
      this.#backlog.spoolUnavailable()
      this.#log.spoolFailed(error)
    }
    this.#attempted.resolve()
  }

  #schedule(delay: number): void {
    if (this.#isClosed) return
    this.#timer = setTimeout(() => void this.#tick(), delay)
  }

  async #tick(): Promise<void> {
    const started = this.#clock.monotonic()
    if (this.#backlog.hasSpool && this.#backlog.needsCommit()) await this.commitAll()
    this.#timer = null
    if (this.#backlog.volatile === 0) {
      if (this.#backlog.hasSpool) this.#log.spoolUnused()
      return
    }
    this.#schedule(Math.max(0, this.#interval - (this.#clock.monotonic() - started)))
  }

  async #commitAll(): Promise<void> {
    if (this.#clock.monotonic() < this.#failedUntil) return
    try {
      while (await this.#backlog.commit()) {
        this.#retry.reset()
        this.#log.spoolRecovered()
        this.#onStored()
      }
    } catch (error) {
      this.#log.spoolFailed(error)
      this.#failedUntil = this.#clock.monotonic() + this.#retry.next()
    }
  }
}
