import type { DecodedSecret } from '#contracts'
import type { Environment } from '#schema'

/** Exports when the certificates of secrets end. */
export class SecretExpiry {
  readonly #env: Pick<Environment, 'metrics' | 'name'>
  readonly #ids = new Set<string>()
  #isDisposed = false

  constructor(env: Pick<Environment, 'metrics' | 'name' | 'onDispose'>) {
    this.#env = env
    env.onDispose(() => {
      this.#isDisposed = true
    })
  }

  /** Exports the end of a secret id, from the first call for which there is one; it is read at each scrape. */
  measure(secretId: string, read: () => number | null): void {
    if (this.#isDisposed || this.#ids.has(secretId) || read() === null) return
    this.#ids.add(secretId)
    const { metrics, name } = this.#env
    metrics.reading('gw_secret_not_after_seconds', 'When the certificate of a secret ends, in seconds since 1970.', {
      labels: { name, secret: secretId },
      read: () => read() ?? Number.NaN,
      merge: 'max',
    })
  }
}

/** End of the certificate of a secret, in seconds since 1970; null for a secret without one. */
export function notAfterOf(secret: Pick<DecodedSecret, 'certificates'> | undefined): number | null {
  const end = secret?.certificates?.[0]?.validToDate.getTime()
  return end === undefined ? null : end / 1_000
}
