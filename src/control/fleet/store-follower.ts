import { setTimeout as delay } from 'node:timers/promises'
import { EtcdError, type EtcdErrorKind } from '#etcd'
import type { LogEvent, Logger } from '#logging'
import { type Divergence, type EtcdReleases, type LocalState, type Pointer, ReleaseError } from '#releases'
import { EVENTS } from '../log-events.ts'
import { onSilence, SILENCE, StoreHeartbeat } from './store-heartbeat.ts'

const FIRST_PAUSE = 200
/** Also the longest time after an outage until the store is followed again. */
const LONGEST_PAUSE = 2_000

/** A watch that lasted this long was not refused: the next one begins at once. */
const SOUND_AFTER = 1_000

const SILENT = new EtcdError(
  'unavailable',
  `etcd: expected a response within ${SILENCE} ms, got none from any endpoint; check the members and the network`,
)

/** What the store has. */
export interface StoreState {
  /** Null where the store has no release. */
  readonly pointer: Pointer | null
  readonly divergence: Divergence | null
}

/** Whether the store can be read. */
export type Connection =
  | { readonly state: 'connecting' | 'connected' }
  | {
      readonly state: 'disconnected'
      /** With addresses: for the log, and those who may read it. */
      readonly reason: string
      readonly kind: EtcdErrorKind | 'content'
      readonly since: number
    }

/** Input of a follower. */
interface FollowerInput {
  readonly releases: EtcdReleases
  readonly logger: Logger
  readonly clock: { now(): number; monotonic(): number }
  /** What this instance has. */
  local(): LocalState | null
  /** The store has this state now; called in order. Must not throw. */
  changed(state: StoreState): void
  connectionChanged(): void
}

/** Follows the pointer of the store: reads it, watches it, and begins again when the watch ends. */
export class StoreFollower {
  readonly #input: FollowerInput
  readonly #ending = new AbortController()
  #connection: Connection = { state: 'connecting' }
  #watch: Disposable | null = null
  #wake: (() => void) | null = null
  #endWatch: (() => void) | null = null
  #pointerRevision = 0n
  /** As of the last read. */
  #isDiverged = false
  #running: Promise<void> | null = null

  constructor(input: FollowerInput) {
    this.#input = input
  }

  get connection(): Connection {
    return this.#connection
  }

  start(): void {
    this.#running ??= this.#run()
  }

  /** Ends the pause before the next attempt. */
  wake(): void {
    this.#wake?.()
  }

  /** Reads the state of the store now; rejects where it can not be read. */
  async refresh(): Promise<void> {
    this.#wake?.()
    await this.#read()
  }

  async close(): Promise<void> {
    this.#ending.abort()
    this.#endWatch?.()
    this.#wake?.()
    await this.#running
  }

  async #run(): Promise<void> {
    const { signal } = this.#ending
    let failures = 0
    while (!signal.aborted) {
      try {
        const { revision } = await this.#read()
        const begin = this.#input.clock.monotonic()
        const error = await this.#watchFrom(revision + 1n)
        const isSound = error === null || this.#input.clock.monotonic() - begin > SOUND_AFTER
        failures = isSound ? 0 : failures + 1
        if (error instanceof ReleaseError) this.#disconnected(error)
      } catch (error) {
        if (signal.aborted) return
        failures++
        this.#disconnected(error)
      }
      if (failures > 0) await this.#pause(failures)
    }
  }

  async #read(): Promise<{ readonly revision: bigint }> {
    const known = this.#pointerRevision
    const { head, divergence } = await this.#heard(this.#input.releases.check(this.#input.local()))
    this.#ending.signal.throwIfAborted()
    this.#connected()
    // A change may be known from the watch, or another read, before the response to an earlier one.
    const isOutdated = this.#pointerRevision !== known && head.pointerRevision < this.#pointerRevision
    if (isOutdated) return head
    this.#pointerRevision = head.pointerRevision
    this.#isDiverged = divergence !== null
    this.#input.changed({ pointer: head.pointer, divergence })
    return head
  }

  /** Whether the store still answers, and nothing was missed: a watch is silent while nothing changes. */
  async #ask(): Promise<void> {
    try {
      const { pointerRevision } = await this.#heard(this.#input.releases.head())
      if (this.#ending.signal.aborted) return
      if (pointerRevision === this.#pointerRevision) this.#connected()
      else await this.#read()
    } catch (error) {
      if (!this.#ending.signal.aborted) this.#disconnected(error)
    }
  }

  /** The outcome of a read; where it is late the store counts as disconnected until then. */
  async #heard<T>(answer: Promise<T>): Promise<T> {
    using _ = onSilence(() => this.#disconnected(SILENT))
    return await answer
  }

  /** Resolves when the watch has ended, with its error. */
  #watchFrom(from: bigint): Promise<unknown> {
    const { releases, local, changed } = this.#input
    if (this.#ending.signal.aborted) return Promise.resolve(null)
    return new Promise((resolve) => {
      const heartbeat = new StoreHeartbeat({
        ask: () => this.#ask(),
        isQuick: () => this.#connection.state === 'disconnected',
      })
      const end = (error: unknown): void => {
        heartbeat[Symbol.dispose]()
        this.#watch?.[Symbol.dispose]()
        this.#watch = null
        resolve(error)
      }
      this.#endWatch = () => end(null)
      this.#watch = releases.follow(from, {
        moved: (pointer, revision) => {
          // Events may be older than what was read meanwhile.
          if (revision <= this.#pointerRevision) return
          this.#pointerRevision = revision
          const own = local()
          // What these mean for this instance needs a read of its record. A store that contradicts the local copy may reach its
          // number with a release of another write.
          const isOther = pointer === null || (own !== null && pointer.store !== own.store)
          if (isOther || this.#isDiverged) return end(null)
          // An own write that is newer than this event: its event follows.
          if (own !== null && pointer.last < own.release) return
          changed({ pointer, divergence: null })
        },
        ended: end,
      })
    })
  }

  #connected(): void {
    const before = this.#connection
    if (before.state === 'connected') return
    this.#connection = { state: 'connected' }
    this.#input.logger.info(
      before.state === 'disconnected' ? { unavailableFor: Math.round(this.#input.clock.now() - before.since) } : {},
      before.state === 'disconnected'
        ? 'the configuration store is available again'
        : 'connected to the configuration store',
    )
    this.#input.connectionChanged()
  }

  #disconnected(error: unknown): void {
    const reason = reasonOf(error)
    const before = this.#connection
    const since = before.state === 'disconnected' ? before.since : this.#input.clock.now()
    const kind = error instanceof EtcdError ? error.kind : 'content'
    this.#connection = { state: 'disconnected', reason, kind, since }
    if (before.state === 'disconnected' && before.reason === reason) return
    // Members of a cluster fail with different messages: one line for the outage, not for each of them.
    if (before.state !== 'disconnected' || !(error instanceof EtcdError && error.kind === 'unavailable'))
      this.#input.logger.error({ reason }, this.#unavailable)
    this.#input.connectionChanged()
  }

  /** Before the first release, none can be served. */
  get #unavailable(): LogEvent {
    if (this.#input.local() !== null) return EVENTS.STORE_UNAVAILABLE
    return EVENTS.STORE_UNAVAILABLE.withMessage(
      'the configuration store can not be read, and this gateway has no release of it yet; it tries again',
    )
  }

  async #pause(failures: number): Promise<void> {
    const longest = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** Math.min(failures - 1, 10))
    const woken = new AbortController()
    this.#wake = () => woken.abort()
    const signal = AbortSignal.any([this.#ending.signal, woken.signal])
    await delay(longest * (0.5 + Math.random() / 2), undefined, { signal, ref: false }).catch(() => {})
    this.#wake = null
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof EtcdError || error instanceof ReleaseError) return error.message
  return `unexpected: ${(error as Error).message}`
}
