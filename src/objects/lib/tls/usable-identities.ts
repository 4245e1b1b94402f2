import { createSecureContext } from 'node:tls'
import { identityOptions, SecretError, type TlsIdentity } from '#contracts'

/** Curves with a signature scheme in TLS; those of Brainpool in TLS 1.3 only (RFC 8734). */
const CURVES: ReadonlySet<string | undefined> = new Set([
  'prime256v1',
  'secp384r1',
  'secp521r1',
  'brainpoolP256r1',
  'brainpoolP384r1',
  'brainpoolP512r1',
])

/**
 * Throws where every handshake of a server with these identities would fail: a renewal with such a key would replace a certificate
 * that works. A keystore may have keys for other purposes beside one for TLS.
 */
export function checkServerIdentities(identities: readonly TlsIdentity[]): void {
  const problems = identities.map(({ key }) => schemeProblem(key))
  const [first] = problems
  if (first && !problems.includes(null)) throw new SecretError(first)
  checkIdentities(identities)
}

/** Throws where OpenSSL rejects an identity, because of a short key for example: no connection could be opened at all. */
export function checkIdentities(identities: readonly TlsIdentity[]): void {
  try {
    createSecureContext(identityOptions(identities))
  } catch (cause) {
    throw new SecretError(`OpenSSL rejects the key or its certificate for TLS: ${reasonOf(cause)}`, { cause })
  }
}

/** Why TLS has no signatures with this key; null where it has. */
function schemeProblem({ asymmetricKeyType: type, asymmetricKeyDetails }: TlsIdentity['key']): string | null {
  if (type === 'dsa') return 'TLS has no cipher suites for a DSA key; use an RSA or EC key'
  const curve = asymmetricKeyDetails?.namedCurve
  if (type !== 'ec' || CURVES.has(curve)) return null
  return `TLS has no signatures with a key on the curve ${curve}; use prime256v1 or secp384r1`
}

/** Without the prefix of OpenSSL: `ee key too small`. */
function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message.replace(/^error:[0-9A-F]+:[^:]*:[^:]*:/, '') : String(error)
}
