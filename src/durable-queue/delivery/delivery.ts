import { setImmediate as nextTurn } from 'node:timers/promises'
import { boundedWait, RetryDelay } from '#timing'
import { Backlog } from './backlog.ts'
import { BoundedSend, SendTimedOut } from './bounded-send.ts'
import { CloseDeadline } from './close-deadline.ts'
import { type DeliveryCounts, DeliveryTotals, type LossReason } from './delivery-counts.ts'
import { DeliveryLog, type DeliveryState, type DeliveryWording } from './delivery-log.ts'
import { DELIVERY_TIMING, type DeliveryTiming } from './delivery-timing.ts'
import { FlushWaiters } from './flush-waiters.ts'
import { LoopPause } from './loop-pause.ts'
import type { QueueBounds, QueueClock } from './queue-bounds.ts'
import { QueueFullness } from './queue-fullness.ts'
import { SpoolCommits } from './spool-commits.ts'
import {
  type QueuedRecord,
  RecordRefused,
  RecordsDiscarded,
  SendDeferred,
  type Transport,
  type TransportEnv,
} from './transport.ts'

/** Services and callbacks of a delivery. */
export interface DeliveryEnv extends TransportEnv {
  /** Of the destination, for the field `handler` of log entries. */
  readonly name: string
  /** The queue became nearly full, or has room again. */
  readonly onFullChange?: (isFull: boolean) => void
  /** Milliseconds from the oldest record of a batch to its acceptance. */
  readonly onDelay?: (delay: number) => void
  readonly timing?: Partial<DeliveryTiming>
  readonly wording: DeliveryWording
}

const NONE: readonly QueuedRecord[] = []
const BATCHES_PER_TURN = 4
/** With everything on disk, a shutdown waits this long for the destination. */
const CLOSE_WITH_SPOOL = 2_000
const LONGEST_RETRY_AT_CLOSE = 1_000
/** Milliseconds after which a failure is not that of a connection that was closed before. */
const LONG_ATTEMPT = 1_000

/**
 * Delivers records in the order in which they were added, at least once. Records wait in memory up to a bound,
 * then on disk where the plan has a spool. Failed batches are repeated; no caller waits for the destination.
 */
export class Delivery {
  readonly #transport: Transport
  readonly #clock: QueueClock
  readonly #env: DeliveryEnv
  readonly #timing: DeliveryTiming
  readonly #backlog: Backlog
  readonly #commits: SpoolCommits | null
  readonly #log: DeliveryLog
  readonly #totals = new DeliveryTotals()
  readonly #waiters = new FlushWaiters()
  readonly #retry: RetryDelay
  readonly #fullness: QueueFullness
  readonly #pause = new LoopPause()
  readonly #run: Promise<void>
  /** Records that entered the backlog, and those of them that were delivered or lost. */
  #added = 0
  #settled = 0
  /** The batch that is repeated until it is accepted. */
  #batch = NONE
  #sending: BoundedSend | null = null
  /** Of the monotonic clock. */
  #sendingSince = 0
  /** Calls of `send` so far. */
  #calls = 0
  #consecutiveFailures = 0
  #isEnded = false
  #closing: Promise<void> | null = null
  #deadline: CloseDeadline | null = null
  #isStarting = true

  constructor(transport: Transport, plan: QueueBounds, env: DeliveryEnv) {
    this.#transport = transport
    this.#clock = env.clock
    this.#env = env
    this.#timing = { ...DELIVERY_TIMING, ...env.timing }
    this.#log = new DeliveryLog(env.name, env)
    this.#retry = new RetryDelay(this.#timing.shortestRetry, this.#timing.longestRetry)
    this.#fullness = new QueueFullness(env.onFullChange)
    this.#backlog = new Backlog(plan)
    this.#commits =
      plan.spool &&
      new SpoolCommits(plan.spool, this.#backlog, {
        log: this.#log,
        clock: env.clock,
        timing: this.#timing,
        onOpened: () => this.#pause.resume(),
        onStored: () => this.#released(),
      })
    this.#run = this.#deliver()
  }

  get counts(): DeliveryCounts {
    const { delivered, lost, failures } = this.#totals
    const { length: queued, spooledBytes, first } = this.#backlog
    const oldestAge = first === undefined ? 0 : Math.max(0, this.#clock.now() - first.time)
    return { delivered, lost, failures, queued, spooledBytes, oldestAge }
  }

  get state(): DeliveryState {
    const sending = this.#sending === null ? 0 : this.#clock.monotonic() - this.#sendingSince
    return this.#log.state(Math.max(sending, this.counts.oldestAge))
  }

  /** Whether callers of `add` should wait. */
  get isFull(): boolean {
    return this.#fullness.isFull
  }

  /** Records that have entered the queue. */
  get added(): number {
    return this.#added
  }

  /** Those of them that the end of the process does not lose: the first ones. */
  get safe(): number {
    return this.#added - this.#backlog.volatile
  }

  /** Adds records to the queue; those beyond its bounds are counted as lost. */
  add(records: readonly QueuedRecord[]): void {
    if (records.length === 0) return
    if (this.#closing !== null) {
      this.#lose('closed', records.length)
      return
    }
    const { full, tooLarge } = this.#backlog.add(records)
    if (full > 0) {
      this.#log.dropped(this.#totals.lost.full)
      this.#lose('full', full)
    }
    if (tooLarge > 0) {
      this.#lose('too_large', tooLarge)
      this.#log.tooLarge(tooLarge)
    }
    this.#added += records.length - full - tooLarge
    this.#commits?.added()
    this.#fullness.update(this.#backlog.usage)
    if (this.#pause.isIdle) this.#pause.resume()
  }

  /** True when everything that was added before is accepted or lost, false after the limit in milliseconds. */
  flush(limit: number): Promise<boolean> {
    return this.#flush(limit, null)
  }

  /** Like `flush`, and false as soon as an attempt that follows has failed. */
  attempt(limit: number): Promise<boolean> {
    return this.#flush(limit, this.#calls)
  }

  async reopen(): Promise<void> {
    await this.#transport.reopen?.()
  }

  /** Delivers or stores the records within the limit in milliseconds, and releases everything; never rejects. A later call shortens it. */
  close(limit: number): Promise<void> {
    this.#deadline?.shorten(limit)
    this.#deadline ??= new CloseDeadline(limit, this.#clock)
    this.#closing ??= this.#close(this.#deadline)
    return this.#closing
  }

  #flush(limit: number, attempt: number | null): Promise<boolean> {
    if (this.#isSettled(this.#added)) return Promise.resolve(true)
    if (this.#isEnded) return Promise.resolve(false)
    this.#pause.resume()
    return this.#waiters.wait(this.#added, limit, attempt)
  }

  #isSettled(target: number): boolean {
    return this.#settled >= target && !this.#isReplaying
  }

  /** Whether records of an earlier process are left, or may be. */
  get #isReplaying(): boolean {
    return this.#isStarting || this.#commits?.isOpened === true || this.#backlog.isReplaying
  }

  async #deliver(): Promise<void> {
    if (this.#commits !== null) await boundedWait(this.#commits.attempted, this.#timing.startLimit)
    this.#isStarting = false
    this.#notifyWaiters()
    for (let batches = 1; !this.#isEnded; batches++) {
      if (this.#commits?.attach()) this.#batch = NONE
      if (this.#batch.length === 0) this.#batch = await this.#nextBatch()
      if (this.#batch.length === 0) await this.#idle()
      else await this.#attemptBatch()
      if (batches % BATCHES_PER_TURN === 0) await nextTurn()
    }
  }

  async #nextBatch(): Promise<readonly QueuedRecord[]> {
    const { batchLimits } = this.#transport
    const batch = this.#backlog.batch(batchLimits)
    if (batch.length > 0 || this.#backlog.isEmpty) return batch
    try {
      const { lost, settled } = await this.#backlog.refill()
      if (lost > 0) this.#unreadable(lost, settled)
      this.#notifyWaiters()
    } catch (error) {
      this.#log.readFailed(error, this.#totals.allLost)
      this.#waiters.failed(this.#calls + 1)
      await this.#wait(this.#retry.next())
    }
    return this.#backlog.batch(batchLimits)
  }

  async #attemptBatch(): Promise<void> {
    const records = this.#batch
    const sending = new BoundedSend(this.#timing)
    this.#sending = sending
    this.#sendingSince = this.#clock.monotonic()
    this.#calls++
    try {
      await sending.send(this.#transport, records)
      this.#accepted(records, records.length)
    } catch (error) {
      if (isRefusalOf(error, records)) this.#refused(records, error)
      else if (error instanceof RecordsDiscarded) this.#discarded(records, error)
      else if (error instanceof SendDeferred) await this.#waitToRepeat(error, error.wait)
      else await this.#failed(error)
    } finally {
      this.#sending = null
    }
  }

  #accepted(records: readonly QueuedRecord[], count: number): void {
    this.#batch = NONE
    this.#consecutiveFailures = 0
    this.#retry.reset()
    this.#log.recovered(this.#backlog.length, this.#totals.allLost)
    if (count === 0) return
    this.#log.accepted()
    this.#totals.addDelivered(records, count)
    this.#env.onDelay?.(Math.max(0, this.#clock.now() - (records[0] as QueuedRecord).time))
    this.#settle(count)
  }

  #refused(records: readonly QueuedRecord[], error: RecordRefused): void {
    this.#accepted(records, error.index)
    this.#lose('refused', 1)
    this.#log.refused(error)
    this.#settle(1)
  }

  #discarded(records: readonly QueuedRecord[], error: RecordsDiscarded): void {
    const lost = Math.min(Math.max(Math.trunc(error.count) || 0, 0), records.length)
    this.#accepted(records, records.length - lost)
    this.#lose('refused', lost)
    this.#log.refused(error)
    this.#settle(lost)
  }

  /**
   * The first failure is followed by another attempt at once: an idle connection may have been closed by the peer. One that takes long
   * is a peer that does not read, which may accept a connection, and as many records as its buffer takes, again and again.
   */
  async #failed(error: unknown): Promise<void> {
    this.#totals.failures++
    this.#consecutiveFailures++
    const isLong = error instanceof SendTimedOut || this.#clock.monotonic() - this.#sendingSince >= LONG_ATTEMPT
    if (this.#consecutiveFailures === 1 && !isLong) return
    if (!this.#isEnded) await this.#waitToRepeat(error, this.#retry.next())
  }

  async #waitToRepeat(error: unknown, delay: number): Promise<void> {
    this.#log.failed(error, this.#totals.allLost)
    if (this.#waiters.failed(this.#calls)) return
    await this.#wait(this.#closing === null ? delay : Math.min(delay, LONGEST_RETRY_AT_CLOSE))
  }

  #settle(count: number): void {
    this.#settled += this.#backlog.settle(count)
    this.#released()
    this.#notifyWaiters()
  }

  #unreadable(lost: number, settled: number): void {
    this.#lose('unreadable', lost)
    this.#log.unreadable(lost)
    this.#settled += settled
  }

  #notifyWaiters(): void {
    if (!this.#isReplaying) this.#waiters.settled(this.#settled)
  }

  #lose(reason: LossReason, count: number): void {
    this.#totals.lost[reason] += count
  }

  /** Memory was released. */
  #released(): void {
    this.#fullness.update(this.#backlog.usage)
    if (!this.isFull) this.#log.accepting(this.#totals.lost.full)
  }

  async #idle(): Promise<void> {
    // A microtask may have added records since the last check.
    if (this.#isEnded || !this.#backlog.isEmpty || this.#commits?.isOpened) return
    await this.#pause.idle()
  }

  async #wait(delay: number): Promise<void> {
    if (!this.#isEnded) await this.#pause.wait(delay)
  }

  async #close(deadline: CloseDeadline): Promise<void> {
    const { reached, left } = deadline
    const stored = this.#commits?.commitNow() ?? Promise.resolve()
    const first = this.#commits === null ? left : Math.min(left, CLOSE_WITH_SPOOL)
    if ((await Promise.race([this.attempt(first), reached])) !== true) {
      await Promise.race([stored, reached])
      if (!this.#backlog.hasSpool || this.#backlog.volatile > 0)
        await Promise.race([this.flush(deadline.left), reached])
    }
    deadline.stop()
    this.#isEnded = true
    this.#pause.resume()
    this.#sending?.abort(this.#timing.closeGrace / 2)
    await boundedWait(this.#run, this.#timing.closeGrace)
    await this.#release()
  }

  async #closeTransport(): Promise<boolean> {
    try {
      await this.#transport.close()
      return true
    } catch {
      return false
    }
  }

  async #release(): Promise<void> {
    const { closeGrace } = this.#timing
    if (this.#backlog.volatile > 0) await boundedWait(this.#commits?.commitNow() ?? Promise.resolve(), closeGrace)
    this.#lose('closed', this.#backlog.volatile)
    if (this.#totals.lost.closed > 0) this.#log.lostAtClose(this.#totals.lost.closed, this.#commits !== null)
    await boundedWait(Promise.all([this.#commits?.close(), this.#backlog.close()]), closeGrace)
    if (!(await boundedWait(this.#closeTransport(), closeGrace))) this.#log.closeFailed()
    this.#waiters.end()
  }
}

/** The index of a refusal must be one of the batch: a wrong one is an ordinary failure. */
function isRefusalOf(error: unknown, records: readonly QueuedRecord[]): error is RecordRefused {
  return error instanceof RecordRefused && Number.isInteger(error.index) && records[error.index] !== undefined
}
