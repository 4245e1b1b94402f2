import { spawnSync } from 'node:child_process'
import type { Issued } from './certificates.ts'

/** The password of every keystore of a test. */
const PASSWORD = 'word'

/** A PKCS12 file beside the key, with the key and its certificate under the name `server`. */
export function keystoreOf({ keyFile, certificateFile }: Issued): string {
  const out = `${keyFile}.p12`
  const input = ['-inkey', keyFile, '-in', certificateFile, '-name', 'server', '-passout', `pass:${PASSWORD}`]
  const { status, stderr } = spawnSync('openssl', ['pkcs12', '-export', ...input, '-out', out], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`openssl pkcs12: ${stderr}`)
  return out
}

/** The heap of admin.json for connectors with `"tls": "https"`; `fields` are further ones of its ServerTlsOptions. */
export function secureHeap(issued: Issued, fields: Readonly<Record<string, unknown>> = {}): object[] {
  return [
    { name: 'keystore', type: 'KeyStore', config: { url: keystoreOf(issued), password: PASSWORD } },
    { name: 'keys', type: 'KeyManager', config: { keystore: 'keystore' } },
    { name: 'https', type: 'ServerTlsOptions', config: { keyManager: 'keys', ...fields } },
  ]
}
