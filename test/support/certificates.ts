import { spawnSync } from 'node:child_process'
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ClientTls, KeyManager, ServerTls, TlsIdentity, TrustManager } from '#contracts'

/** Why tests with certificates cannot run here, or false. */
export const opensslMissing: string | false =
  spawnSync('openssl', ['version']).status === 0 ? false : 'openssl is not on the PATH; nothing was checked against it'

/** A key and its certificate, as files and as text. */
export interface Issued {
  readonly keyFile: string
  readonly certificateFile: string
  readonly key: string
  readonly certificate: string
  /** The certificate and those above it. */
  readonly chain: string
}

/** Subject and names of a certificate. */
export interface Subject {
  readonly name: string
  /** As openssl writes them: `DNS:localhost,IP:127.0.0.1`; null for none at all. */
  readonly altNames?: string | null
  /** The last two can not be used for TLS. */
  readonly keyType?: 'ec' | 'rsa' | 'rsa-1024' | 'secp256k1'
}

/** A certificate authority of one test run, created by openssl. */
export class Authority implements Disposable {
  readonly directory = mkdtempSync(join(tmpdir(), 'gateway-ca-'))
  readonly certificate: string
  readonly certificateFile: string
  #serial = 0

  constructor(name = 'Test Authority') {
    this.certificateFile = join(this.directory, 'ca.pem')
    const keyFile = join(this.directory, 'ca.key')
    openssl('ecparam', '-name', 'prime256v1', '-genkey', '-noout', '-out', keyFile)
    const extensions = ['-addext', 'basicConstraints=critical,CA:TRUE', '-addext', 'keyUsage=critical,keyCertSign']
    openssl(
      'req',
      '-x509',
      '-new',
      '-key',
      keyFile,
      '-subj',
      `/CN=${name}`,
      '-days',
      '30',
      ...extensions,
      '-out',
      this.certificateFile,
    )
    this.certificate = readFileSync(this.certificateFile, 'utf8')
  }

  /** A certificate for servers and clients. */
  issue({ name, altNames = `DNS:${name}`, keyType = 'ec' }: Subject): Issued {
    const at = (ending: string) => join(this.directory, `${this.#serial}.${ending}`)
    this.#serial++
    const [keyFile, requestFile, certificateFile] = [at('key'), at('csr'), at('pem')]
    const curve = keyType === 'ec' ? 'prime256v1' : keyType
    if (keyType.startsWith('rsa')) openssl('genrsa', '-out', keyFile, keyType === 'rsa' ? '2048' : '1024')
    else openssl('ecparam', '-name', curve, '-genkey', '-noout', '-out', keyFile)
    openssl('req', '-new', '-key', keyFile, '-subj', `/CN=${name}`, '-out', requestFile)
    const usage = 'basicConstraints=CA:FALSE\nextendedKeyUsage=serverAuth,clientAuth\n'
    writeFileSync(at('ext'), altNames === null ? usage : `${usage}subjectAltName=${altNames}\n`)
    const signing = ['-CA', this.certificateFile, '-CAkey', join(this.directory, 'ca.key'), '-CAcreateserial']
    openssl(
      'x509',
      '-req',
      '-in',
      requestFile,
      ...signing,
      '-days',
      '30',
      '-extfile',
      at('ext'),
      '-out',
      certificateFile,
    )
    const certificate = readFileSync(certificateFile, 'utf8')
    return {
      keyFile,
      certificateFile,
      key: readFileSync(keyFile, 'utf8'),
      certificate,
      chain: certificate + this.certificate,
    }
  }

  [Symbol.dispose](): void {
    rmSync(this.directory, { recursive: true, force: true })
  }
}

function openssl(...args: string[]): void {
  const { status, stderr } = spawnSync('openssl', args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`openssl ${args[0]}: ${stderr}`)
}

/** An issued certificate as a TlsIdentity. */
export function identityOf({ key, certificate }: Pick<Issued, 'key' | 'certificate'>): TlsIdentity {
  return { key: createPrivateKey(key), chain: [new X509Certificate(certificate)] }
}

/** A value that tests can change, with change listeners. */
export class Changing<T> {
  readonly #listeners = new Set<() => void>()
  value: T

  constructor(value: T) {
    this.value = value
  }

  set(value: T): void {
    this.value = value
    for (const listener of [...this.#listeners]) listener()
  }

  onChange = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}

/** A key manager of a test. */
export function keysOf(changing: Changing<readonly Issued[]>): KeyManager {
  return { identities: async () => changing.value.map(identityOf), onChange: changing.onChange }
}

/** A trust manager of a test that trusts these certificates. */
export function trustIn(...certificates: string[]): TrustManager {
  const authorities = certificates.map((each) => new X509Certificate(each))
  return { authorities: async () => authorities, onChange: () => () => {} }
}

/** TLS of a client under test that trusts the certificates of an authority. */
export function clientTlsOf(
  { certificate }: Pick<Authority, 'certificate'>,
  fields: Partial<ClientTls> = {},
): ClientTls {
  return {
    minVersion: 'TLSv1.2',
    maxVersion: 'TLSv1.3',
    ciphers: null,
    alpn: true,
    keys: null,
    trust: trustIn(certificate),
    hostnames: 'STRICT',
    ...fields,
  }
}

/** TLS of a listener under test with one certificate. */
export function serverTlsOf(issued: Issued | Changing<readonly Issued[]>, fields: Partial<ServerTls> = {}): ServerTls {
  const changing = issued instanceof Changing ? issued : new Changing([issued])
  let known: readonly TlsIdentity[] | null = null
  changing.onChange(() => {
    known = null
  })
  return {
    minVersion: 'TLSv1.2',
    maxVersion: 'TLSv1.3',
    ciphers: null,
    alpn: true,
    identitiesFor: async () => {
      known ??= changing.value.map(identityOf)
      return known
    },
    clientAuth: 'NONE',
    trust: null,
    onChange: changing.onChange,
    ...fields,
  }
}
