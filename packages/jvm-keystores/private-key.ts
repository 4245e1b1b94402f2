import { createPrivateKey, type KeyObject, type X509Certificate } from 'node:crypto'
import { Der } from './der.ts'
import { corrupt, KeyStoreError, unsupported } from './keystore-error.ts'
import { Budget, checkLimit, limits } from './limits.ts'

const EC = '1.2.840.10045.2.1'
const DSA = '1.2.840.10040.4.1'

const families: ReadonlyMap<string, string> = new Map([
  ['1.2.840.113549.1.1.1', 'RSA'],
  ['1.2.840.113549.1.1.10', 'RSA-PSS'],
  [EC, 'EC'],
  [DSA, 'DSA'],
  ['1.3.101.110', 'X25519'],
  ['1.3.101.111', 'X448'],
  ['1.3.101.112', 'Ed25519'],
  ['1.3.101.113', 'Ed448'],
])

/** OpenSSL computes the public part of a DSA key on reading, which takes very long with a large modulus. */
const dsaBytes = 2048

/** The algorithm and key bytes of a PrivateKeyInfo (RFC 5208), which Java uses for secret keys too. */
interface KeyInfo {
  readonly algorithm: string
  readonly parameters: Der | undefined
  readonly bytes: Buffer
}

/** Reads a PrivateKeyInfo; throws for other content, such as after a wrong password. */
export function readKeyInfo(encoded: Buffer): KeyInfo {
  return keyInfoOf(Der.read(encoded, new Budget()))
}

/** Whether decrypted bytes are a PrivateKeyInfo: a wrong password gives valid padding once in 256 times. */
export function isKeyInfo(plain: Buffer): boolean {
  try {
    readKeyInfo(plain)
    return true
  } catch (error) {
    if (!(error instanceof KeyStoreError) || error.code === 'GW_KEYSTORE_LIMIT') throw error
    return false
  }
}

function keyInfoOf(element: Der): KeyInfo {
  const [version, algorithm, bytes] = element.sequence('private key', 3, 5)
  if (version!.count('version of the private key') > 1) throw corrupt('version of the private key: expected 0 or 1')
  const [id, parameters] = algorithm!.sequence('algorithm of the private key', 1, 2)
  return { algorithm: id!.oid('algorithm of the private key'), parameters, bytes: bytes!.octets('private key') }
}

/** Decodes a PrivateKeyInfo, and checks that it belongs to the certificate. */
export function privateKeyOf(encoded: Buffer, certificate: X509Certificate | undefined): KeyObject {
  checkLimit('bytes of a private key', encoded.length, limits.privateKeyBytes)
  const { algorithm, parameters } = readKeyInfo(encoded)
  const family = families.get(algorithm)
  if (family === undefined)
    throw unsupported(`private key of algorithm ${algorithm}; RSA, EC and Edwards curves are supported`)
  if (algorithm === EC && !parameters?.isOid) throw unsupported('an EC key on a curve without a name')
  if (algorithm === DSA) checkLimit('bytes of a DSA key', encoded.length, dsaBytes)
  const key = openPrivateKey(encoded, family, parameters)
  if (certificate !== undefined && !certificate.checkPrivateKey(key)) {
    throw corrupt('the private key does not belong to its certificate')
  }
  return key
}

function openPrivateKey(encoded: Buffer, family: string, parameters: Der | undefined): KeyObject {
  try {
    return createPrivateKey({ key: encoded, format: 'der', type: 'pkcs8' })
  } catch {
    // The message of OpenSSL is left out: it names its source files only.
    if (family === 'EC')
      throw unsupported(`an EC key that is damaged, or on a curve OpenSSL lacks (${parameters?.oid('curve')})`)
    throw corrupt(`not a valid ${family} key`)
  }
}
