import { generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { altName, selfSigned, writePkcs12 } from '@identity-gateway/jvm-keystores'
import { makeDirectory } from '#files'

/** Supported types of keys. */
export const KEY_TYPES = ['rsa', 'ec', 'ed25519'] as const

/** Options of a keystore. */
export interface KeystoreOptions {
  readonly out: string
  readonly alias: string
  readonly type: (typeof KEY_TYPES)[number]
  readonly hosts: readonly string[]
  readonly days: number
  readonly passwordFile: string
}

/** A generated keystore. */
export interface GeneratedKeystore {
  readonly fingerprint: string
  readonly notAfter: Date
  readonly passwordIsNew: boolean
}

const DAY = 86_400_000
/** Validity before now: clocks of clients may be behind. */
const EARLIER = 3_600_000

/** Creates a key, a self-signed certificate, and a keystore of both. Never overwrites a file. */
export function generateKeystore(options: KeystoreOptions, now: Date): GeneratedKeystore {
  const { privateKey, publicKey } = keyPair(options.type)
  const certificate = selfSigned({
    privateKey,
    publicKey,
    commonName: options.hosts[0] as string,
    altNames: options.hosts.map(altName),
    notBefore: new Date(now.getTime() - EARLIER),
    notAfter: new Date(now.getTime() + options.days * DAY),
  })
  const known = passwordIn(options.passwordFile)
  const password = known ?? randomBytes(24).toString('base64url')
  const keystore = writePkcs12({ alias: options.alias, key: privateKey, chain: [certificate] }, password)
  writeNew(options.out, keystore)
  try {
    if (known === null) writeNew(options.passwordFile, password)
  } catch (error) {
    // Its password is lost.
    rmSync(options.out)
    throw error
  }
  return { fingerprint: certificate.fingerprint256, notAfter: certificate.validToDate, passwordIsNew: known === null }
}

function keyPair(type: KeystoreOptions['type']): { privateKey: KeyObject; publicKey: KeyObject } {
  if (type === 'rsa') return generateKeyPairSync('rsa', { modulusLength: 3072 })
  if (type === 'ec') return generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return generateKeyPairSync('ed25519')
}

/** The password in the file; null if the file does not exist. */
function passwordIn(file: string): string | null {
  try {
    const password = readFileSync(file, 'utf8')
    if (password === '' || /[\r\n]/.test(password)) {
      throw new Error(`${file}: expected one password without a line break, as secret stores expect it`)
    }
    return password
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/** Readable by the owner only; throws for an existing file. */
function writeNew(path: string, content: string | Uint8Array): void {
  makeDirectory(dirname(path))
  writeFileSync(path, content, { flag: 'wx', mode: 0o600 })
}
