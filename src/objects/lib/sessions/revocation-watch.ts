import type { LoginMoment } from '#http'
import type { Clock } from '#schema'
import { isBefore } from './login-moment.ts'

const POLL_INTERVAL = 1_000
/** Concurrent lookups of watched logins, where the list of recent revocations does not cover the time since the last poll. */
const CHECKED_AT_ONCE = 100

/** A login watched for longer than a request, for example by a WebSocket connection. */
interface WatchedLogin {
  readonly subjects: readonly string[]
  readonly login: LoginMoment
  readonly onRevoked: () => void
}

/** The revocations that a watch polls. */
interface WatchSource {
  /** Revocations of the last `covered` milliseconds, possibly more. */
  recent(): Promise<readonly (readonly [string, LoginMoment])[]>
  isRevoked(subjects: readonly string[], login: LoginMoment): Promise<boolean>
  readonly covered: number
  readonly clock: Clock
}

/** Polls for revocations while logins are watched: a few messages a second, independent of the number of logins. */
export class RevocationWatch {
  readonly #source: WatchSource
  readonly #bySubject = new Map<string, Set<WatchedLogin>>()
  /** Added since the last poll, and checked by the next one: a revocation may have come after the check of the request. */
  readonly #added = new Set<WatchedLogin>()
  #timer: NodeJS.Timeout | null = null
  #polling = false
  /** When the last complete poll began. */
  #polledAt = 0

  constructor(source: WatchSource) {
    this.#source = source
  }

  add(watched: WatchedLogin): () => void {
    for (const subject of watched.subjects) {
      const logins = this.#bySubject.get(subject) ?? new Set()
      this.#bySubject.set(subject, logins.add(watched))
    }
    this.#added.add(watched)
    this.#start()
    return () => this.#remove(watched)
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer)
    this.#timer = null
  }

  #start(): void {
    if (this.#timer !== null) return
    this.#polledAt = this.#source.clock.monotonic()
    this.#timer = setInterval(() => void this.#poll(), POLL_INTERVAL).unref()
  }

  #remove(watched: WatchedLogin): void {
    this.#added.delete(watched)
    for (const subject of watched.subjects) {
      const logins = this.#bySubject.get(subject)
      logins?.delete(watched)
      if (logins?.size === 0) this.#bySubject.delete(subject)
    }
    if (this.#bySubject.size === 0) this.stop()
  }

  async #poll(): Promise<void> {
    if (this.#polling) return
    this.#polling = true
    const began = this.#source.clock.monotonic()
    try {
      // After an outage of the store or a stalled event loop the list may be incomplete.
      const isLate = began - this.#polledAt >= this.#source.covered
      await this.#check(isLate ? this.#all() : [...this.#added])
      for (const [subject, revocation] of await this.#source.recent())
        for (const watched of [...(this.#bySubject.get(subject) ?? [])])
          if (isBefore(watched.login, revocation)) this.#end(watched)
      this.#polledAt = began
    } catch {
      // The next poll checks every login that this one missed; until then the outage shows as 503 responses.
    } finally {
      this.#polling = false
    }
  }

  #all(): readonly WatchedLogin[] {
    return [...new Set([...this.#bySubject.values()].flatMap((logins) => [...logins]))]
  }

  async #check(logins: readonly WatchedLogin[]): Promise<void> {
    for (let from = 0; from < logins.length; from += CHECKED_AT_ONCE) {
      await Promise.all(
        logins.slice(from, from + CHECKED_AT_ONCE).map(async (watched) => {
          if (await this.#source.isRevoked(watched.subjects, watched.login)) this.#end(watched)
          else this.#added.delete(watched)
        }),
      )
    }
  }

  #end(watched: WatchedLogin): void {
    this.#remove(watched)
    watched.onRevoked()
  }
}
