import { constants } from 'node:crypto'
import { createSecureContext, type SecureContext, type SecureContextOptions } from 'node:tls'
import { CachedValue } from '#cache'
import { authorityOptions, identityOptions, type ServerTls, type TlsIdentity } from '#contracts'

/** Forward secrecy and authenticated encryption, or no connection. */
const GOOD_SUITES = [
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

/** Groups for the key exchange: those of Mozilla's intermediate profile; the first where OpenSSL has it. */
const GOOD_GROUPS = '?X25519MLKEM768:X25519:prime256v1:secp384r1'

/** The TLS contexts of a connector: one for each choice of identities, made when it is first needed. */
export class InboundContexts {
  readonly #tls: ServerTls
  #contexts = new Map<readonly TlsIdentity[], Promise<SecureContext>>()
  readonly #trust = new CachedValue({ load: () => this.#readTrust() })
  /** Whether client certificates are judged, as opposed to accepted whatever they say. */
  #judging = true

  constructor(tls: ServerTls) {
    this.#tls = tls
  }

  get judgesClients(): boolean {
    return this.#judging
  }

  /** What the connector shows to clients that ask for no name. */
  async defaultOptions(): Promise<SecureContextOptions> {
    return this.#options(await this.#tls.identitiesFor(null))
  }

  /** The context for a server name. */
  async contextFor(serverName: string): Promise<SecureContext> {
    const identities = await this.#tls.identitiesFor(serverName)
    return this.#contexts.get(identities) ?? this.#make(identities)
  }

  /** Keys or trust have changed: nothing that was made of them is handed out again. */
  forget(): void {
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

  async #options(identities: readonly TlsIdentity[]): Promise<SecureContextOptions> {
    const { minVersion, maxVersion, ciphers } = this.#tls
    return {
      minVersion,
      maxVersion,
      ciphers: ciphers ?? GOOD_SUITES,
      ecdhCurve: GOOD_GROUPS,
      honorCipherOrder: true,
      secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
      ...identityOptions(identities),
      ...(await this.#trust.get()),
    }
  }

  async #readTrust(): Promise<SecureContextOptions> {
    const authorities = (await this.#tls.trust?.authorities()) ?? 'platform'
    this.#judging = authorities !== 'anything'
    return authorityOptions(authorities)
  }
}
