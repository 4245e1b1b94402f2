import { CachedValue } from '#cache'
import type { TlsIdentity } from '#contracts'
import type { Environment } from '#schema'
import { EVENTS } from './log-events.ts'
import { checkServerIdentities } from './usable-identities.ts'

type Identities = readonly TlsIdentity[]

/** Where identities come from. */
export interface IdentitySource {
  read(): Promise<Identities>
  /** Why it fails while `read` still returns the last good ones: a store keeps them for its lease. */
  problem(): Error | null
}

/**
 * The TLS identities of one source, read again when it changes. While the source fails, the last good ones stay in use without a time
 * limit: a certificate file that is broken during a renewal must not become an outage.
 */
export class CachedIdentities {
  readonly name: string
  readonly #identities: CachedValue<Identities>
  readonly #source: IdentitySource
  readonly #events: IdentityEvents
  /** Of the last read; null before the first identities. */
  #failure: Error | null = null
  #reported: string | null = null

  constructor(name: string, source: IdentitySource, events: IdentityEvents) {
    this.name = name
    this.#source = source
    this.#events = events
    this.#identities = new CachedValue({
      staleTtl: Number.POSITIVE_INFINITY,
      // With identities to serve, only a change of the source or `refresh` reads it again.
      failurePause: () => (this.#identities.last === null ? 0 : Number.POSITIVE_INFINITY),
      load: async () => {
        const identities = await source.read()
        const { last } = this.#identities
        if (last !== null && areSame(last, identities)) return last
        checkServerIdentities(identities)
        return identities
      },
      onFailure: (error) => {
        if (this.#identities.last === null) return
        this.#failure = error
        this.report()
      },
      onRecovery: () => {
        this.#failure = null
        this.report()
      },
    })
  }

  /** Why the source fails while the last good identities are served; null where it does not. */
  get problem(): Error | null {
    return this.#failure ?? this.#source.problem()
  }

  /** Reports a problem once, and its end. */
  report(): void {
    const { problem } = this
    const message = problem?.message ?? null
    if (message === this.#reported) return
    this.#reported = message
    if (problem === null) this.#events.recovered(this)
    else this.#events.failed(this, problem)
  }

  /** The identities that are in use; none before they were read. */
  get last(): Identities {
    return this.#identities.last ?? []
  }

  /** When the first of the certificates expires, in seconds since the epoch; NaN before they were read. */
  get notAfter(): number {
    const ends = this.last.map(({ chain }) => (chain[0]?.validToDate.getTime() ?? Number.NaN) / 1_000)
    return ends.length === 0 ? Number.NaN : Math.min(...ends)
  }

  /** Returns the same list until other identities were read. */
  get(): Promise<Identities> {
    return this.#identities.get()
  }

  async refresh(): Promise<void> {
    await this.#identities.reload()
  }

  /** The source may have changed: the next call of `get` reads it. */
  invalidate(): void {
    this.#identities.invalidate()
  }
}

interface IdentityEvents {
  failed(identities: CachedIdentities, error: Error): void
  recovered(identities: CachedIdentities): void
}

function areSame(some: Identities, others: Identities): boolean {
  return (
    some.length === others.length &&
    some.every(({ key, chain }, at) => {
      const other = others[at]!
      return (
        key.equals(other.key) &&
        chain.map(({ fingerprint256 }) => fingerprint256).join() ===
          other.chain.map(({ fingerprint256 }) => fingerprint256).join()
      )
    })
  )
}

/** Log, health and metrics of the identities of one object. */
export class IdentityReports implements IdentityEvents {
  readonly #env: ReportingEnvironment
  readonly #failing = new Set<CachedIdentities>()

  constructor(env: ReportingEnvironment) {
    this.#env = env
  }

  measure(identities: CachedIdentities): void {
    const { metrics, name } = this.#env
    const labels = { name, certificate: identities.name }
    metrics.reading(
      'gw_tls_certificate_not_after_seconds',
      'When a certificate of a connector ends, in seconds since 1970.',
      {
        labels,
        read: () => identities.notAfter,
        merge: 'max',
      },
    )
    metrics.reading(
      'gw_tls_certificate_stale',
      'Whether the source of a certificate fails, so that the last good one is used.',
      {
        labels,
        read: () => (identities.problem === null ? 0 : 1),
        merge: 'max',
      },
    )
  }

  failed(identities: CachedIdentities, error: Error): void {
    this.#failing.add(identities)
    this.#env.logger.error({ error, certificate: identities.name }, EVENTS.CERTIFICATE_UNREADABLE)
    this.#report()
  }

  recovered(identities: CachedIdentities): void {
    this.#failing.delete(identities)
    this.#env.logger.info({ certificate: identities.name }, 'a certificate of the connector can be read again')
    this.#report()
  }

  #report(): void {
    const names = [...this.#failing].map(({ name }) => name).sort()
    if (names.length === 0) this.#env.reportState('up', 'all certificates can be read')
    else this.#env.reportState('degraded', `last good certificate in use, its source fails: ${names.join(', ')}`)
  }
}

type ReportingEnvironment = Pick<Environment, 'name' | 'logger' | 'metrics' | 'reportState'>
