import { hash } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { networkOf } from '#http'
import type { Clock } from '#schema'

/** Wrong guesses that cost no time, and milliseconds that each further comparison takes. */
interface Limit {
  readonly burst: number
  readonly refill: number
}

/** Limits of an address and of all together; null for no limit of all. */
interface Limits {
  readonly address: Limit
  readonly all: Limit | null
}

/** Log-ins to the Studio. All addresses together have a limit too: an IPv6 client has many. */
const LOG_IN_LIMITS: Limits = { address: { burst: 10, refill: 250 }, all: { burst: 200, refill: 100 } }

/** Requests of programs: addresses of others do not delay them. */
export const API_LIMITS: Limits = { address: { burst: 50, refill: 250 }, all: null }

const MAX_ADDRESSES = 1_000
/** Requests of one address that wait for a comparison: about ten seconds. */
const MOST_WAITING = 40
const MOST_WAITING_IN_ALL = 400
/** Wrong guesses of an address that are remembered. */
const MOST_GUESSES = 8

interface Bucket {
  failures: number
  /** Time of `failures`. */
  at: number
}

interface Guesser extends Bucket {
  /** Hashes, the least recent first. */
  readonly guesses: Set<string>
}

/** Requests of an address that wait, first in, first out. */
interface Line {
  waiting: number
  last: Promise<void>
  /** Time of the next comparison. */
  next: number
}

/** Waits; ends early where the request is aborted. */
type Pause = (milliseconds: number, signal: AbortSignal) => Promise<void>

const pauseOf: Pause = (milliseconds, signal) =>
  setTimeout(milliseconds, undefined, { ref: false, signal }).catch(() => {})

/**
 * A wrong guess, for comparison with later ones: the credentials, and the password that they were compared with, since a
 * changed one may make them right.
 */
export function guessOf(credentials: readonly string[], password: string | null): string {
  return hash('sha256', JSON.stringify([credentials, password]))
}

/**
 * Slows a search for the password down: beyond a number of wrong guesses, the credentials of an address are compared one after
 * the other. Right ones wait for their turn too, or the limit would not slow the search; they are accepted then. The same wrong
 * guess again is no search, and costs nothing: a program with an old password does not delay others at its address.
 */
export class LogInAttempts {
  readonly #clock: Pick<Clock, 'monotonic'>
  readonly #limits: Limits
  readonly #pause: Pause
  readonly #all: Bucket = { failures: 0, at: 0 }
  /** The least recent failure first. */
  readonly #byAddress = new Map<string, Guesser>()
  /** Addresses of log-ins, the least recent first: failures of others do not delay them. */
  readonly #succeeded = new Set<string>()
  readonly #lines = new Map<string, Line>()
  #waiting = 0

  constructor(clock: Pick<Clock, 'monotonic'>, limits = LOG_IN_LIMITS, pause = pauseOf) {
    this.#clock = clock
    this.#limits = limits
    this.#pause = pause
  }

  /** Whether credentials of this address have to wait until they are compared. */
  isLimited(address: string): boolean {
    const key = networkOf(address)
    return this.#lines.has(key) || this.#delay(key) > 0
  }

  /** Whether a guess was wrong a moment ago, so that it is not compared again. */
  isKnown(address: string, guess: () => string): boolean {
    return this.#byAddress.get(networkOf(address))?.guesses.has(guess()) === true
  }

  /**
   * Resolves when credentials of this address may be compared, to 0; to milliseconds until another try where too many requests
   * wait, and where this one was aborted.
   */
  async turn(address: string, signal: AbortSignal): Promise<number> {
    const key = networkOf(address)
    if (!this.isLimited(address)) return 0
    const line = this.#lines.get(key) ?? { waiting: 0, last: Promise.resolve(), next: 0 }
    const retry = Math.max(this.#delay(key), this.#limits.address.refill)
    if (line.waiting >= MOST_WAITING || this.#waiting >= MOST_WAITING_IN_ALL) return retry
    this.#lines.set(key, line)
    line.waiting++
    this.#waiting++
    line.last = line.last.then(() => this.#untilDue(key, line, signal))
    await line.last
    line.waiting--
    this.#waiting--
    if (line.waiting === 0) this.#lines.delete(key)
    return signal.aborted ? retry : 0
  }

  failed(address: string, guess: string): void {
    const key = networkOf(address)
    const { address: limit, all } = this.#limits
    const guesser = this.#byAddress.get(key) ?? { failures: 0, at: this.#clock.monotonic(), guesses: new Set() }
    this.#byAddress.delete(key)
    this.#byAddress.set(key, guesser)
    if (this.#byAddress.size > MAX_ADDRESSES) this.#byAddress.delete(first(this.#byAddress.keys()))
    if (guesser.guesses.has(guess)) return
    guesser.guesses.add(guess)
    if (guesser.guesses.size > MOST_GUESSES) guesser.guesses.delete(first(guesser.guesses))
    this.#drain(guesser, limit)
    guesser.failures++
    if (all === null) return
    this.#drain(this.#all, all)
    this.#all.failures++
  }

  /** Takes back a guess that was counted as wrong. */
  forgive(address: string, guess: string): void {
    const guesser = this.#byAddress.get(networkOf(address))
    if (guesser?.guesses.delete(guess) === true) guesser.failures = Math.max(0, guesser.failures - 1)
  }

  succeeded(address: string): void {
    const key = networkOf(address)
    this.#byAddress.delete(key)
    this.#succeeded.delete(key)
    this.#succeeded.add(key)
    if (this.#succeeded.size > MAX_ADDRESSES) this.#succeeded.delete(first(this.#succeeded))
  }

  async #untilDue(key: string, line: Line, signal: AbortSignal): Promise<void> {
    const wait = Math.max(this.#delay(key), line.next - this.#clock.monotonic())
    if (wait > 0 && !signal.aborted) await this.#pause(wait, signal)
    if (!signal.aborted) line.next = this.#clock.monotonic() + this.#limits.address.refill
  }

  /** Milliseconds until the next comparison; 0 for now. */
  #delay(key: string): number {
    const { address, all } = this.#limits
    const one = this.#byAddress.get(key)
    const own = one === undefined ? 0 : this.#wait(one, address)
    return all === null || this.#succeeded.has(key) ? own : Math.max(own, this.#wait(this.#all, all))
  }

  #wait(bucket: Bucket, limit: Limit): number {
    this.#drain(bucket, limit)
    return bucket.failures < limit.burst ? 0 : Math.ceil((bucket.failures - limit.burst + 1) * limit.refill)
  }

  #drain(bucket: Bucket, { refill }: Limit): void {
    const now = this.#clock.monotonic()
    bucket.failures = Math.max(0, bucket.failures - Math.max(0, now - bucket.at) / refill)
    bucket.at = now
  }
}

function first(keys: Iterable<string>): string {
  const [key] = keys
  return key as string
}
