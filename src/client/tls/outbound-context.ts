import { createSecureContext, type SecureContext } from 'node:tls'
import { authorityOptions, type ClientTls, identityOptions } from '#contracts'

/** What stands for `tls` where a handler has none: trust as the platform has it, names checked, nothing shown. */
export const DEFAULT_TLS: ClientTls = {
  minVersion: 'TLSv1.2',
  maxVersion: 'TLSv1.3',
  ciphers: null,
  alpn: true,
  keys: null,
  trust: null,
  hostnames: 'STRICT',
}

/** Keys and trust, ready for connections. */
export interface OutboundContext {
  readonly context: SecureContext
  readonly verifiesChain: boolean
}

/** The context for new connections: made when first asked for, and again after keys or trust have changed. */
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
    // A failure is not kept: the next connection tries again.
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
