import { createSecureContext, type SecureContext } from 'node:tls'
import { authorityOptions, type ClientTls, identityOptions } from '#contracts'

/** Defaults without `tls`: platform trust, host names verified, no client certificate. */
export const DEFAULT_TLS: ClientTls = {
  minVersion: 'TLSv1.2',
  maxVersion: 'TLSv1.3',
  ciphers: null,
  alpn: true,
  keys: null,
  trust: null,
  hostnames: 'STRICT',
}

/** Keys and trust of connections. */
export interface OutboundContext {
  readonly context: SecureContext
  readonly verifiesChain: boolean
}

/** The TLS context of new connections, created on first use and after each change of keys or trust. */
export class OutboundContexts {
  readonly tls: ClientTls
  readonly #stops: (() => void)[] = []
  #current: Promise<OutboundContext> | null = null

  constructor(tls: ClientTls, onChange: () => void) {
    this.tls = tls
    const changed = () => {
      this.#current = null
      onChange()
    }
    for (const source of [tls.keys, tls.trust]) if (source !== null) this.#stops.push(source.onChange(changed))
  }

  current(): Promise<OutboundContext> {
    if (this.#current !== null) return this.#current
    const made = contextOf(this.tls)
    this.#current = made
    // Failures are not cached: the next connection retries.
    made.catch(() => {
      if (this.#current === made) this.#current = null
    })
    return made
  }

  stop(): void {
    for (const stop of this.#stops) stop()
  }
}

async function contextOf({ keys, trust, minVersion, maxVersion, ciphers }: ClientTls): Promise<OutboundContext> {
  const identities = (await keys?.identities()) ?? []
  const authorities = (await trust?.authorities()) ?? 'platform'
  const context = createSecureContext({
    minVersion,
    maxVersion,
    ...(ciphers === null ? {} : { ciphers }),
    ...identityOptions(identities),
    ...authorityOptions(authorities),
  })
  return { context, verifiesChain: authorities !== 'anything' }
}
