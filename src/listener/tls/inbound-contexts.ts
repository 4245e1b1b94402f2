import { constants } from 'node:crypto'
import { createSecureContext, type SecureContext, type SecureContextOptions } from 'node:tls'
import { CachedValue } from '#cache'
import { authorityOptions, identityOptions, type ServerTls, TICKET_PERIOD, type TlsIdentity } from '#contracts'

/** Only suites with forward secrecy and authenticated encryption. */
const DEFAULT_SUITES = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':')

/** Mozilla's intermediate profile, preceded by a post-quantum group where OpenSSL has it. */
const KEY_EXCHANGE_GROUPS = '?X25519MLKEM768:X25519:prime256v1:secp384r1'

/** The TLS contexts of a connector, one for each set of identities, created on first use. */
export class InboundContexts {
  readonly #tls: ServerTls
  readonly #sessionIdContext: string | undefined
  #contexts = new Map<readonly TlsIdentity[], Promise<SecureContext>>()
  readonly #trust = new CachedValue({ load: () => this.#readTrust() })
  /** False where the trust accepts any client certificate. */
  #verifying = true

  constructor(tls: ServerTls, sessionIdContext?: string) {
    this.#tls = tls
    this.#sessionIdContext = sessionIdContext
  }

  get verifiesClients(): boolean {
    return this.#verifying
  }

  /** For clients without SNI. */
  async defaultOptions(): Promise<SecureContextOptions> {
    return this.#options(await this.#tls.identitiesFor(null))
  }

  async contextFor(serverName: string): Promise<SecureContext> {
    const identities = await this.#tls.identitiesFor(serverName)
    return this.#contexts.get(identities) ?? this.#make(identities)
  }

  /** Keys or trust have changed. */
  invalidate(): void {
    this.#contexts = new Map()
    this.#trust.invalidate()
  }

  #make(identities: readonly TlsIdentity[]): Promise<SecureContext> {
    const contexts = this.#contexts
    const made = this.#options(identities).then((options) => createSecureContext(options))
    contexts.set(identities, made)
    made.catch(() => contexts.delete(identities))
    return made
  }

  /**
   * Without resumption where client certificates are requested: a resumed session skips their verification, and has no
   * issuers of the certificate (spec gap session-resumption).
   */
  async #options(identities: readonly TlsIdentity[]): Promise<SecureContextOptions> {
    const { minVersion, maxVersion, ciphers, clientAuth } = this.#tls
    return {
      minVersion,
      maxVersion,
      ciphers: ciphers ?? DEFAULT_SUITES,
      ecdhCurve: KEY_EXCHANGE_GROUPS,
      honorCipherOrder: true,
      secureOptions: constants.SSL_OP_NO_RENEGOTIATION | (clientAuth === 'NONE' ? 0 : constants.SSL_OP_NO_TICKET),
      sessionTimeout: TICKET_PERIOD / 1000,
      sessionIdContext: this.#sessionIdContext,
      ...identityOptions(identities),
      ...(await this.#trust.get()),
    }
  }

  async #readTrust(): Promise<SecureContextOptions> {
    const authorities = (await this.#tls.trust?.authorities()) ?? 'platform'
    this.#verifying = authorities !== 'anything'
    return authorityOptions(authorities)
  }
}
