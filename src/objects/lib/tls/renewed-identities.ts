import type { TlsIdentity } from '#contracts'
import type { Environment } from '#schema'

type Identities = readonly TlsIdentity[]

/**
 * The identities of one source, read again when it changes. The last good ones are used without end while the source
 * fails: a certificate file that is broken while another one is renewed must not become an outage.
 */
export class RenewedIdentities {
  readonly name: string
  readonly #read: () => Promise<Identities>
  readonly #events: IdentityEvents
  #good: Identities | null = null
  #problem: string | null = null
  #reading: Promise<Identities> | null = null
  #isOutdated = true
  /** Grows with each reading: of two under way, the later one counts. */
  #turn = 0

  constructor(name: string, read: () => Promise<Identities>, events: IdentityEvents) {
    this.name = name
    this.#read = read
    this.#events = events
  }

  /** Why the source fails while the last good identities are used; null where it does not. */
  get problem(): string | null {
    return this.#problem
  }

  /** When the first of the certificates ends, in seconds since the epoch; NaN before they were read. */
  get notAfter(): number {
    const ends = (this.#good ?? []).map(({ chain }) => (chain[0]?.validToDate.getTime() ?? Number.NaN) / 1_000)
    return ends.length === 0 ? Number.NaN : Math.min(...ends)
  }

  /** The same list until other identities were read. */
  get(): Promise<Identities> {
    if (this.#reading !== null) return this.#reading
    return this.#good !== null && !this.#isOutdated ? Promise.resolve(this.#good) : this.refresh()
  }

  /** Fails only where nothing good was ever read. */
  refresh(): Promise<Identities> {
    if (this.#reading !== null) return this.#reading
    const reading = this.#readOnce(++this.#turn).finally(() => {
      if (this.#reading === reading) this.#reading = null
    })
    this.#reading = reading
    return reading
  }

  /** The source may have changed: what is asked for next is read again. */
  outdate(): void {
    // A reading that has begun may be older than the change.
    this.#reading = null
    this.#isOutdated = true
  }

  async #readOnce(turn: number): Promise<Identities> {
    this.#isOutdated = false
    let identities: Identities
    try {
      identities = await this.#read()
    } catch (error) {
      if (this.#good === null) {
        this.#isOutdated = true
        throw error
      }
      if (turn === this.#turn) this.#fail(error as Error)
      return this.#good
    }
    if (turn !== this.#turn) return this.get()
    if (this.#good === null || !areSame(this.#good, identities)) this.#good = identities
    if (this.#problem !== null) {
      this.#problem = null
      this.#events.recovered(this)
    }
    return this.#good
  }

  #fail(error: Error): void {
    const isKnown = this.#problem === error.message
    this.#problem = error.message
    if (!isKnown) this.#events.failed(this, error)
  }
}

interface IdentityEvents {
  failed(identities: RenewedIdentities, error: Error): void
  recovered(identities: RenewedIdentities): void
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

/** What operators see of the identities of one object: log, health and metrics. */
export class IdentityReports implements IdentityEvents {
  readonly #env: ReportingEnvironment
  readonly #failing = new Set<RenewedIdentities>()

  constructor(env: ReportingEnvironment) {
    this.#env = env
  }

  measure(identities: RenewedIdentities): void {
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

  failed(identities: RenewedIdentities, error: Error): void {
    this.#failing.add(identities)
    this.#env.logger.error(
      { error, certificate: identities.name },
      'a certificate of the connector can not be read; the last good one stays in use',
    )
    this.#report()
  }

  recovered(identities: RenewedIdentities): void {
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
