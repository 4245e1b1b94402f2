import { generateKeyPairSync } from 'node:crypto'
import { altName, selfSigned, writePkcs12 } from '@identity-gateway/jvm-keystores'
import type { Workspace } from './workspace.ts'

const password = 'bench'

/** A certificate for localhost in the formats of nginx and the gateway. */
export interface Identity {
  readonly certificate: string
  readonly key: string
  readonly keystore: string
}

export function benchIdentity(workspace: Workspace): Identity {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const [notBefore, notAfter] = [new Date(Date.now() - 3_600_000), new Date(Date.now() + 86_400_000)]
  const altNames = ['localhost', '127.0.0.1'].map(altName)
  const certificate = selfSigned({ ...pair, commonName: 'localhost', altNames, notBefore, notAfter })
  const keystore = writePkcs12({ alias: 'server', key: pair.privateKey, chain: [certificate] }, password)
  return {
    certificate: workspace.write('server.pem', certificate.toString()),
    key: workspace.write('server.key', pair.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string),
    keystore: workspace.write('server.p12', keystore),
  }
}

/** TLS of a connector with the identity. */
export function identityFields({ keystore }: Identity): { tls: string; heap: unknown[] } {
  return {
    tls: 'https',
    heap: [
      { name: 'keystore', type: 'KeyStore', config: { url: keystore, password } },
      { name: 'keys', type: 'KeyManager', config: { keystore: 'keystore' } },
      { name: 'https', type: 'ServerTlsOptions', config: { keyManager: 'keys' } },
    ],
  }
}
