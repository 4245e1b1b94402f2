import { createHash, timingSafeEqual, type X509Certificate } from 'node:crypto'
import { ByteReader } from './byte-reader.ts'
import { readCertificate } from './certificate-chain.ts'
import type { Contents, KeyStoreEntry } from './entries.ts'
import { javaChars, openJavaKey } from './java-key-protection.ts'
import { type JavaObject, readJavaObject } from './java-serialization.ts'
import { at, corrupt, entryPlace, KeyStoreError, unsupported, wrongPassword } from './keystore-error.ts'
import { Budget, checkLimit, limits } from './limits.ts'
import { privateKeyOf } from './private-key.ts'
import { openSealedSecret } from './sealed-secret.ts'

/** The first four bytes of the two formats. */
export const javaMagic = { JKS: 0xfeedfeed, JCEKS: 0xcececece } as const

const DIGEST_BYTES = 20
/** Constant that is part of the digest. */
const WHITENER = Buffer.from('Mighty Aphrodite')
const tags = { key: 1, trusted: 2, secret: 3 } as const

type Item = { readonly alias: string; readonly created: Date } & (
  | { readonly kind: 'key'; readonly encrypted: Buffer; readonly chain: readonly X509Certificate[] }
  | { readonly kind: 'trusted'; readonly certificate: X509Certificate }
  | { readonly kind: 'secret'; readonly sealed: JavaObject }
)

/** Reads a JKS or JCEKS file, whose last 20 bytes are a keyed digest of the others. */
export function readJavaKeyStore(bytes: Buffer, type: 'JKS' | 'JCEKS', password: string | null): Contents {
  if (bytes.length < 12 + DIGEST_BYTES) throw corrupt(`${bytes.length} bytes are too few for ${type}`)
  const storePassword = password ?? ''
  const body = bytes.subarray(0, -DIGEST_BYTES)
  const digest = createHash('sha1').update(javaChars(storePassword)).update(WHITENER).update(body).digest()
  const intact = timingSafeEqual(digest, bytes.subarray(-DIGEST_BYTES))
  const items = readItems(new ByteReader(body), type)
  if (!intact) throw notVouchedFor(items, storePassword)
  return { entries: items.map((item) => entryOf(item, storePassword)), warnings: [] }
}

/** The digest does not distinguish a wrong password from changed bytes; a key that the password decrypts does. */
function notVouchedFor(items: readonly Item[], password: string): KeyStoreError {
  const key = items.find((item) => item.kind === 'key')
  if (key !== undefined && opens(key.encrypted, password)) {
    return corrupt('the password is right, but the integrity check fails: the file was changed or damaged')
  }
  if (password === '') return wrongPassword('protected by a password, and none was given')
  return wrongPassword('the password is wrong, or the file was changed')
}

function opens(encrypted: Buffer, password: string): boolean {
  try {
    openJavaKey(encrypted, password)
    return true
  } catch (error) {
    if (error instanceof KeyStoreError) return false
    throw error
  }
}

function readItems(reader: ByteReader, type: 'JKS' | 'JCEKS'): readonly Item[] {
  const budget = new Budget()
  reader.int('magic number')
  const version = reader.int('version')
  if (version !== 1 && version !== 2) throw unsupported(`version ${version} of ${type}; 1 and 2 are supported`)
  const count = reader.int('number of entries')
  checkLimit('entries', count, limits.entries)
  const items: Item[] = []
  while (items.length < count) {
    items.push(at(`entry ${items.length + 1} of ${count}`, () => readItem(reader, type, version, budget)))
  }
  if (reader.left > 0) throw corrupt(`${reader.left} bytes follow the last entry`)
  return items
}

function readItem(reader: ByteReader, type: 'JKS' | 'JCEKS', version: number, budget: Budget): Item {
  const tag = reader.int('kind of entry')
  const alias = reader.text('alias')
  const created = readDate(reader)
  return at(entryPlace(alias), () => {
    if (tag === tags.key) {
      const length = reader.int('encrypted key')
      checkLimit('bytes of an encrypted key', length, limits.privateKeyBytes)
      const encrypted = reader.take(length, 'encrypted key')
      return { kind: 'key', alias, created, encrypted, chain: readChain(reader, version, budget) }
    }
    if (tag === tags.trusted)
      return { kind: 'trusted', alias, created, certificate: nextCertificate(reader, version, budget) }
    if (tag === tags.secret && type === 'JCEKS')
      return { kind: 'secret', alias, created, sealed: readJavaObject(reader) }
    throw corrupt(`a kind of entry with number ${tag}, which ${type} does not have`)
  })
}

function readDate(reader: ByteReader): Date {
  const date = new Date(Number(reader.long('date')))
  if (Number.isNaN(date.getTime())) throw corrupt('date: out of range')
  return date
}

function readChain(reader: ByteReader, version: number, budget: Budget): readonly X509Certificate[] {
  const count = reader.int('certificates of the chain')
  checkLimit('certificates of a chain', count, limits.chainLength)
  return Array.from({ length: count }, () => nextCertificate(reader, version, budget))
}

function nextCertificate(reader: ByteReader, version: number, budget: Budget): X509Certificate {
  const type = version === 1 ? 'X.509' : reader.text('type of certificate')
  if (type !== 'X.509') throw unsupported('a certificate that is not X.509')
  return readCertificate(reader.take(reader.int('certificate'), 'certificate'), budget)
}

function entryOf(item: Item, storePassword: string): KeyStoreEntry {
  const { alias, created } = item
  if (item.kind === 'trusted') return { kind: 'trusted', alias, created, certificate: item.certificate }
  if (item.kind === 'secret') {
    const { sealed } = item
    const secret = (password: string | null) =>
      at(entryPlace(alias), () => openSealedSecret(sealed, password ?? storePassword))
    return { kind: 'secret', alias, created, secret }
  }
  const { encrypted, chain } = item
  const privateKey = (password: string | null) =>
    at(entryPlace(alias), () => privateKeyOf(openJavaKey(encrypted, password ?? storePassword), chain[0]))
  return { kind: 'key', alias, created, chain, privateKey }
}
