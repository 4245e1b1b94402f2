import { CertificatePool } from './certificate-chain.ts'
import { Der } from './der.ts'
import type { Contents, KeyStoreEntry } from './entries.ts'
import { at, corrupt, entryPlace, KeyStoreError, unsupported, wrongPassword } from './keystore-error.ts'
import { Budget, checkLimit, limits } from './limits.ts'
import { readEncryption } from './password-encryption.ts'
import { type Bag, readBags } from './pkcs12-bags.ts'
import { type Mac, readMac } from './pkcs12-mac.ts'
import { type PasswordForm, passwordForms } from './pkcs12-password.ts'
import { privateKeyOf, readKeyInfo } from './private-key.ts'
import { secretKeyNames } from './secret-key-names.ts'

const DATA = '1.2.840.113549.1.7.1'
const SIGNED_DATA = '1.2.840.113549.1.7.2'
const ENVELOPED_DATA = '1.2.840.113549.1.7.3'
const ENCRYPTED_DATA = '1.2.840.113549.1.7.6'

/** Reads a PKCS #12 file (RFC 7292): the integrity check first, then the content. */
export function readPkcs12(bytes: Buffer, password: string | null): Contents {
  const budget = new Budget()
  const [version, authSafe, macData] = Der.read(bytes, budget).sequence('PKCS #12 file', 2, 3)
  const found = version!.count('version')
  if (found !== 3) throw unsupported(`version ${found} of PKCS #12; 3 is supported`)
  const content = dataOf(authSafe!, 'PKCS #12 content')
  const forms = passwordForms(password)
  const mac = macData === undefined ? undefined : at('integrity check', () => readMac(macData))
  const proven = mac === undefined ? forms : [verified(mac, content, forms, budget)]
  const bags = readSafes(content, proven, budget)
  const { entries, warnings } = assembled(bags, forms)
  if (mac !== undefined || password === null || password === '') return { entries, warnings }
  return {
    entries,
    warnings: [
      'the keystore has a password but no integrity check (MAC), so nothing shows whether it was changed',
      ...warnings,
    ],
  }
}

function dataOf(contentInfo: Der, what: string): Buffer {
  const [id, value] = contentInfo.sequence(what, 1, 2)
  const type = id!.oid(what)
  if (type === SIGNED_DATA) throw unsupported(`${what}: signed instead of protected by a password`)
  if (type !== DATA || value === undefined) throw corrupt(`${what}: expected data, found content type ${type}`)
  return value.explicit(0, what).octets(what)
}

/** The form of the password that passes the integrity check; throws where none does. */
function verified(mac: Mac, content: Buffer, forms: readonly PasswordForm[], budget: Budget): PasswordForm {
  const form = forms.find((candidate) => mac(content, candidate, budget))
  if (form !== undefined) return form
  // A MAC does not distinguish a wrong password from changed bytes; a password that decrypts the content is right.
  if (forms.some((candidate) => opensContent(content, candidate, budget))) {
    throw corrupt('the password is right, but the integrity check fails: the file was changed or damaged')
  }
  if (forms.length > 1) throw wrongPassword('protected by a password, and none was given')
  throw wrongPassword('the password is wrong, or the file was changed')
}

/** Throws where the content is no PKCS #12, with any password. */
function opensContent(content: Buffer, form: PasswordForm, budget: Budget): boolean {
  const safes = Der.read(content, budget).sequence('authenticated safe')
  const encrypted = safes.find((safe) => safe.sequence('content')[0]?.oid('content type') === ENCRYPTED_DATA)
  if (encrypted === undefined) return false
  try {
    return readBags(openSafe(encrypted, [form], budget), budget).length > 0
  } catch (error) {
    if (error instanceof KeyStoreError) return false
    throw error
  }
}

function readSafes(content: Buffer, forms: readonly PasswordForm[], budget: Budget): readonly Bag[] {
  const safes = Der.read(content, budget).sequence('authenticated safe')
  checkLimit('parts', safes.length, limits.entries)
  return safes.flatMap((safe, index) => at(`part ${index + 1}`, () => readBags(openSafe(safe, forms, budget), budget)))
}

function openSafe(safe: Der, forms: readonly PasswordForm[], budget: Budget): Der {
  const [id, value] = safe.sequence('content', 1, 2)
  const type = id!.oid('content type')
  if (type === DATA) return Der.read(dataOf(safe, 'content'), budget)
  if (type === ENVELOPED_DATA) throw unsupported('encrypted for a public key instead of with a password')
  if (type !== ENCRYPTED_DATA || value === undefined) throw corrupt(`content type ${type}`)
  return decrypted(value.explicit(0, 'encrypted data'), forms, budget)
}

/** EncryptedData (RFC 5652 section 8). */
function decrypted(encryptedData: Der, forms: readonly PasswordForm[], budget: Budget): Der {
  const info = encryptedData.sequence('encrypted data', 2, 3)[1]!
  const [, algorithm, content] = info.sequence('encrypted content', 2, 3)
  if (content === undefined) throw corrupt('encrypted content: it is not in the file')
  const decrypt = readEncryption(algorithm!)
  const ciphertext = content.taggedOctets(0, 'encrypted content')
  let failure: unknown
  for (const form of forms) {
    try {
      return Der.read(decrypt(ciphertext, form, budget), budget)
    } catch (error) {
      if (!(error instanceof KeyStoreError) || error.code === 'GW_KEYSTORE_LIMIT') throw error
      failure = error
    }
  }
  if (failure instanceof KeyStoreError && failure.code !== 'GW_KEYSTORE_CORRUPT') throw failure
  throw wrongPassword('the password is wrong, or the content was changed')
}

/** Entries as in Java: keys with their chains, trusted certificates, secret keys. */
function assembled(bags: readonly Bag[], forms: readonly PasswordForm[]): Contents {
  const certificates = bags.filter((bag) => bag.kind === 'certificate')
  const untrusted = certificates.filter((bag) => !bag.trusted)
  const pool = new CertificatePool(certificates.map((bag) => bag.certificate))
  const byKeyId = new Map(untrusted.filter((bag) => bag.keyId !== null).map((bag) => [bag.keyId, bag]))
  const keys = bags.filter((bag) => bag.kind === 'key')
  const used = new Set<string>()
  let nameless = 0

  const entryOf = (bag: Bag): KeyStoreEntry | undefined => {
    if (bag.kind === 'unknown' || (bag.kind === 'certificate' && !bag.trusted)) return undefined
    // As in Java, entries without a name are numbered.
    const alias = bag.name ?? String(++nameless)
    const named = { alias, created: timeOf(bag.keyId) }
    if (bag.kind === 'certificate') return { ...named, kind: 'trusted', certificate: bag.certificate }
    const passwords = (password: string | null) => (password === null ? forms : passwordForms(password))
    if (bag.kind === 'secret') {
      return {
        ...named,
        kind: 'secret',
        secret: (password) => at(entryPlace(alias), () => secretOf(bag.sealed(passwords(password)))),
      }
    }
    const leaf = bag.keyId !== null ? byKeyId.get(bag.keyId) : leafWithoutId(bag, untrusted, keys.length)
    const chain = leaf === undefined ? [] : pool.chainFrom(leaf.certificate)
    for (const certificate of chain) used.add(certificate.fingerprint256)
    const privateKey = (password: string | null) =>
      at(entryPlace(alias), () => privateKeyOf(bag.sealed(passwords(password)), chain[0]))
    return { ...named, kind: 'key', chain, privateKey }
  }

  const entries = bags.map(entryOf).filter((entry) => entry !== undefined)
  return {
    entries,
    warnings: oversights(bags, untrusted.filter((bag) => !used.has(bag.certificate.fingerprint256)).length),
  }
}

/** Some tools write no ids: the certificate is then that of the key's name, or the first one for a single key, as in Java. */
function leafWithoutId<C extends Bag>(key: Bag, certificates: readonly C[], keys: number): C | undefined {
  const named = key.name === null ? undefined : certificates.find((bag) => bag.name === key.name)
  return named ?? (keys === 1 ? certificates[0] : undefined)
}

function oversights(bags: readonly Bag[], idle: number): readonly string[] {
  const unknown = new Set(bags.filter((bag) => bag.kind === 'unknown').map((bag) => bag.type))
  return [
    ...(idle === 0 ? [] : [`${idle} certificates belong to no key and are not marked as trusted; they are left out`]),
    ...[...unknown].slice(0, 10).map((type) => `items of type ${type} are not known and left out`),
  ]
}

function secretOf(encoded: Buffer): { algorithm: string; bytes: Buffer } {
  const { algorithm, bytes } = readKeyInfo(encoded)
  return { algorithm: secretKeyNames.get(algorithm) ?? algorithm, bytes: Buffer.from(bytes) }
}

/** Java stores the creation time as local key id, `Time 1700000000000`. */
function timeOf(keyId: string | null): Date | null {
  const match = keyId === null ? null : /^Time (\d{1,15})$/.exec(Buffer.from(keyId, 'hex').toString('latin1'))
  return match === null ? null : new Date(Number(match[1]))
}
