import type { LoginMoment } from '#http'
import type { Clock } from '#schema'
import { isBefore } from './login-moment.ts'

const POLL_INTERVAL = 1_000
/** Watched logins that are checked one by one, at the same time, where the list of recent revocations is not enough. */
const CHECKED_AT_ONCE = 100

/** A login that something depends on for longer than a request. */
interface WatchedLogin {
  readonly subjects: readonly string[]
  readonly login: LoginMoment
  readonly onRevoked: () => void
}

/** Where a watch looks. */
interface WatchSource {
  /** Revocations of at least the last `covered` milliseconds. */
  recent(): Promise<readonly (readonly [string, LoginMoment])[]>
  isRevoked(subjects: readonly string[], login: LoginMoment): Promise<boolean>
  readonly covered: number
  readonly clock: Clock
}

/** Polls for revocations while logins are watched: a few messages a second, however many logins there are. */
export class RevocationWatch {
  readonly #source: WatchSource
  readonly #bySubject = new Map<string, Set<WatchedLogin>>()
  /** Added since the last poll: time may have passed since their request was let in. */
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
      // After an outage of the store or a stalled event loop the list may lack some.
      const isLate = began - this.#polledAt >= this.#source.covered
      await this.#check(isLate ? this.#all() : [...this.#added])
      for (const [subject, revocation] of await this.#source.recent())
        for (const watched of [...(this.#bySubject.get(subject) ?? [])])
          if (isBefore(watched.login, revocation)) this.#end(watched)
      this.#polledAt = began
    } catch {
      // The next poll checks all that this one missed; requests meanwhile get 503, which says so.
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
