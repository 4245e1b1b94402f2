import { SessionUnavailableError } from '#contracts'
import type { LoginMoment, SessionRevocations } from '#http'
import type { Clock, SharedRecord, SharedStore } from '#schema'
import { isBefore } from './login-moment.ts'
import { RevocationWatch } from './revocation-watch.ts'

const DAY = 24 * 3_600_000
/** Maximum lifetime of a revocation. Where sessions last longer, a login that is not used for this time ends. */
const LONGEST = 30 * DAY
/** Records outlive the time after which an unchecked login ends, by more than the clock skew of gateways. */
const CLOCK_MARGIN = 60_000
/** Revocations are also listed by time, for watchers: one record for each interval. */
const LIST_INTERVAL = 10_000
const LIST_LIFETIME = 60_000

interface RevocationSettings {
  readonly store: SharedStore
  /** Lifetime of a session in milliseconds. */
  readonly sessionTimeout: number
  readonly isShared: boolean
  readonly clock: Clock
  readonly onDispose: (release: () => void) => void
}

/** Revocations as records of a key-value store: one for each subject, and lists of the recent ones. */
export class StoredRevocations implements SessionRevocations {
  readonly lifetime: number
  readonly isShared: boolean
  readonly #store: SharedStore
  readonly #clock: Clock
  readonly #watch: RevocationWatch

  constructor({ store, sessionTimeout, isShared, clock, onDispose }: RevocationSettings) {
    this.lifetime = Math.min(Math.max(sessionTimeout, DAY), LONGEST)
    this.isShared = isShared
    this.#store = store
    this.#clock = clock
    this.#watch = new RevocationWatch({
      recent: () => this.#recent(),
      isRevoked: (subjects, login) => this.isRevoked(subjects, login),
      covered: LIST_INTERVAL,
      clock,
    })
    onDispose(() => this.#watch.stop())
  }

  async claim(id: string, lifetime: number): Promise<boolean> {
    const claimant = crypto.randomUUID()
    const record = await orUnavailable(this.#store.getOrCreate(`used ${id}`, { claimant }, lifetime))
    return record['claimant'] === claimant
  }

  async release(id: string): Promise<void> {
    await orUnavailable(this.#store.getAndDelete(`used ${id}`))
  }

  async revoke(subjects: readonly string[], moment: LoginMoment): Promise<void> {
    const listed: Record<string, LoginMoment> = {}
    for (const subject of subjects) listed[subject] = await orUnavailable(this.#record(`revoked ${subject}`, moment))
    await orUnavailable(this.#store.update(this.#listOf(this.#clock.now()), { set: { ...listed } }, LIST_LIFETIME))
  }

  /** A token that arrives late, or at a gateway whose clock is behind, leaves the moment of a newer one as it is. */
  async #record(key: string, { issuedAt, at }: LoginMoment): Promise<LoginMoment> {
    const record = await this.#store.get(key)
    const known = record === null ? { issuedAt, at } : momentOf(record)
    const set = { issuedAt: Math.max(issuedAt, known.issuedAt), at: Math.max(at, known.at) }
    await this.#store.update(key, { set }, this.lifetime + CLOCK_MARGIN)
    return set
  }

  async isRevoked(subjects: readonly string[], login: LoginMoment): Promise<boolean> {
    const records = await orUnavailable(Promise.all(subjects.map((subject) => this.#store.get(`revoked ${subject}`))))
    return records.some((record) => record !== null && isBefore(login, momentOf(record)))
  }

  watch(subjects: readonly string[], login: LoginMoment, onRevoked: () => void): () => void {
    return this.#watch.add({ subjects, onRevoked, login })
  }

  /** Revocations of the last 10 to 20 seconds; gateways with a smaller clock skew write into the same lists. */
  async #recent(): Promise<readonly (readonly [string, LoginMoment])[]> {
    const now = this.#clock.now()
    const lists = [now + LIST_INTERVAL, now, now - LIST_INTERVAL].map((time) => this.#store.get(this.#listOf(time)))
    return (await Promise.all(lists)).flatMap((list) =>
      Object.entries(list ?? {}).map(([subject, moment]) => [subject, momentOf(moment as SharedRecord)] as const),
    )
  }

  #listOf(time: number): string {
    return `list ${Math.floor(time / LIST_INTERVAL)}`
  }
}

function momentOf(record: SharedRecord): LoginMoment {
  return { issuedAt: record['issuedAt'] as number, at: record['at'] as number }
}

/** A failure of the store counts as an outage of sessions (503): no session is valid without a check for revocations. */
async function orUnavailable<T>(step: Promise<T>): Promise<T> {
  try {
    return await step
  } catch (cause) {
    if (cause instanceof SessionUnavailableError) throw cause
    throw new SessionUnavailableError('revocations of sessions can not be read or written', { cause })
  }
}
