import { getCiphers } from 'node:tls'
import { didYouMean } from '#schema'

/** Pre-shared keys and SRP can not be configured. */
const OTHER_KEYS = /(?:^|-)(?:psk|srp)(?:-|$)/

/**
 * The registered name (which Java uses) of an OpenSSL suite: `ECDHE-RSA-AES128-GCM-SHA256` is
 * `TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256`; a name without key exchange means RSA, one without mode means CBC.
 */
export function registeredName(openssl: string): string {
  if (openssl.startsWith('TLS_')) return openssl
  const [, exchange = 'RSA', cipher = openssl] = /^((?:ECDHE|DHE)-(?:RSA|ECDSA))-(.+)$/.exec(openssl) ?? []
  return `TLS_${exchange.replace('-', '_')}_WITH_${cipherName(cipher)}`
}

function cipherName(cipher: string): string {
  if (cipher === 'CHACHA20-POLY1305') return 'CHACHA20_POLY1305_SHA256'
  const [, bits, mode = 'CBC', hash] = /^AES(\d+)-(?:(GCM|CCM8?)-)?(SHA\d*)$/.exec(cipher) ?? []
  return bits === undefined ? cipher.replaceAll('-', '_') : `AES_${bits}_${mode}_${hash}`
}

const openSslNames = getCiphers()
  .filter((name) => !OTHER_KEYS.test(name))
  .map((name) => name.toUpperCase())

/** OpenSSL names by every accepted name, in capitals. */
const spellings = new Map(
  openSslNames.flatMap((name) => {
    const registered = registeredName(name)
    // Java names the suites that TLS took over from SSL `SSL_...`.
    return [
      [name, name],
      [registered, name],
      [registered.replace(/^TLS/, 'SSL'), name],
    ] as const
  }),
)

/** The OpenSSL name of a suite, or why it is unknown. */
export function cipherSuite(name: string): { readonly suite: string } | { readonly problem: string } {
  const suite = spellings.get(name.toUpperCase())
  if (suite !== undefined) return { suite }
  const known = openSslNames.flatMap((each) => [registeredName(each), each])
  return {
    problem: `expected a cipher suite that this platform has, got ${JSON.stringify(name)}${didYouMean(name, known)}`,
  }
}
