import { createSecureContext, type SecureContext } from 'node:tls'
import { CachedValue } from '#cache'
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
  readonly #context: CachedValue<OutboundContext>

  constructor(tls: ClientTls, onChange: () => void) {
    this.tls = tls
    this.#context = new CachedValue({ load: () => contextOf(tls) })
    const changed = () => {
      this.#context.invalidate()
      onChange()
    }
    for (const source of [tls.keys, tls.trust]) if (source !== null) this.#stops.push(source.onChange(changed))
  }

  current(): Promise<OutboundContext> {
    return this.#context.get()
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
