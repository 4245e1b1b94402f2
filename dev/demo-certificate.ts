import { generateKeyPairSync } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { altName, selfSigned } from '@identity-gateway/jvm-keystores'

const DAY = 86_400_000

/** Writes a self-signed certificate for this host, and its key: `tls.crt` and `tls.key`. */
export function writeDemoCertificate(directory: string): void {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const now = Date.now()
  const certificate = selfSigned({
    privateKey,
    publicKey,
    commonName: 'localhost',
    altNames: ['localhost', '127.0.0.1', '::1'].map(altName),
    notBefore: new Date(now - DAY),
    // Long enough that the gateway does not warn of its expiry.
    notAfter: new Date(now + 90 * DAY),
  })
  writeFileSync(join(directory, 'tls.crt'), certificate.toString())
  writeFileSync(join(directory, 'tls.key'), privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 })
}
