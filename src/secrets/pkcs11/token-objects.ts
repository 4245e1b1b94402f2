import { createPublicKey, type KeyObject, X509Certificate } from 'node:crypto'
import type { AttributeForms, AttributeValue } from './rpc-values.ts'
import type { TokenSession } from './token-session.ts'

const CKO_CERTIFICATE = 1
const CKO_PUBLIC_KEY = 2
const CKO_PRIVATE_KEY = 3
const CKO_SECRET_KEY = 4

const CKA_LABEL = 0x03
const CKA_VALUE = 0x11
const CKA_KEY_TYPE = 0x100
const CKA_ID = 0x102
const CKA_DECRYPT = 0x105
const CKA_SIGN = 0x108
const CKA_MODULUS = 0x120
const CKA_PUBLIC_EXPONENT = 0x122
const CKA_EC_PARAMS = 0x180
const CKA_EC_POINT = 0x181
const CKA_ALWAYS_AUTHENTICATE = 0x202

const CKK_RSA = 0
const CKK_EC = 3

const FORMS: AttributeForms = {
  booleans: new Set([CKA_DECRYPT, CKA_SIGN, CKA_ALWAYS_AUTHENTICATE]),
  numbers: new Set([CKA_KEY_TYPE]),
}

const LARGEST_CERTIFICATE = 32 * 1024
const CERTIFICATE = new Map([
  [CKA_VALUE, LARGEST_CERTIFICATE],
  [CKA_ID, 256],
])
const PUBLIC_PARTS: readonly (readonly [number, number])[] = [
  [CKA_KEY_TYPE, 8],
  [CKA_ID, 256],
  [CKA_MODULUS, 2_048],
  [CKA_PUBLIC_EXPONENT, 64],
  [CKA_EC_PARAMS, 256],
  [CKA_EC_POINT, 512],
]
const PUBLIC_KEY = new Map(PUBLIC_PARTS)
const PRIVATE_KEY = new Map([...PUBLIC_PARTS, [CKA_DECRYPT, 1], [CKA_SIGN, 1], [CKA_ALWAYS_AUTHENTICATE, 1]] as const)

/** A private key inside of the token, and what may be done with it. */
interface PrivateKey {
  readonly handle: bigint
  readonly signs: boolean
  readonly decrypts: boolean
}

/** The objects of an alias; the private key stays where it is. */
export interface TokenEntry {
  readonly privateKey: PrivateKey | null
  readonly publicKey: KeyObject
  readonly certificate: X509Certificate | null
}

/**
 * The objects with a label, and those of the same ID: a private key with its public key or certificate, or only one of these.
 * Null where the token has no such object; throws an Error with the reason where they can not be used.
 */
export async function entryOf(session: TokenSession, alias: string): Promise<TokenEntry | null> {
  const labelled = new Map([[CKA_LABEL, Buffer.from(alias)]])
  const certificate = await one(session, CKO_CERTIFICATE, labelled, CERTIFICATE)
  const id = certificate === null ? null : bytesOf(certificate.values, CKA_ID)
  const privateKey =
    (await one(session, CKO_PRIVATE_KEY, labelled, PRIVATE_KEY)) ??
    (id === null ? null : await one(session, CKO_PRIVATE_KEY, new Map([[CKA_ID, id]]), PRIVATE_KEY))
  if (privateKey !== null) return privateEntry(session, privateKey, certificate)
  if (certificate !== null) {
    const parsed = parsedCertificate(certificate)
    return { privateKey: null, publicKey: parsed.publicKey, certificate: parsed }
  }
  const publicKey = await one(session, CKO_PUBLIC_KEY, labelled, PUBLIC_KEY)
  if (publicKey !== null) return { privateKey: null, publicKey: asPublicKey(publicKey.values), certificate: null }
  if ((await session.find(CKO_SECRET_KEY, labelled)).length === 0) return null
  throw new Error('it is a symmetric key; only private keys with a public key or certificate can be used')
}

interface FoundObject {
  readonly handle: bigint
  readonly values: ReadonlyMap<number, AttributeValue>
}

async function privateEntry(
  session: TokenSession,
  { handle, values }: FoundObject,
  labelled: FoundObject | null,
): Promise<TokenEntry> {
  if (values.get(CKA_ALWAYS_AUTHENTICATE) === 1) {
    throw new Error('its key asks for the PIN before each use (CKA_ALWAYS_AUTHENTICATE), which is not supported')
  }
  const id = bytesOf(values, CKA_ID)
  const sameId = id === null ? null : new Map([[CKA_ID, id]])
  const found = labelled ?? (sameId === null ? null : await one(session, CKO_CERTIFICATE, sameId, CERTIFICATE))
  const certificate = found === null ? null : parsedCertificate(found)
  const privateKey = { handle, signs: values.get(CKA_SIGN) === 1, decrypts: values.get(CKA_DECRYPT) === 1 }
  if (certificate !== null) return { privateKey, publicKey: certificate.publicKey, certificate }
  const other = sameId === null ? null : await one(session, CKO_PUBLIC_KEY, sameId, PUBLIC_KEY)
  return { privateKey, publicKey: asPublicKey(other?.values ?? values), certificate: null }
}

/** The only object of a class with these attributes; null where the token has no such object. */
async function one(
  session: TokenSession,
  objectClass: number,
  attributes: ReadonlyMap<number, Buffer>,
  sizes: ReadonlyMap<number, number>,
): Promise<FoundObject | null> {
  const [handle, ...others] = await session.find(objectClass, attributes)
  if (handle === undefined) return null
  if (others.length > 0) {
    throw new Error('several objects of a kind have its label or ID; give each key a label and an ID of its own')
  }
  return { handle, values: await session.attributes(handle, sizes, FORMS) }
}

function bytesOf(values: ReadonlyMap<number, AttributeValue>, type: number): Buffer | null {
  const value = values.get(type)
  return Buffer.isBuffer(value) && value.length > 0 ? value : null
}

function parsedCertificate({ values }: FoundObject): X509Certificate {
  const der = bytesOf(values, CKA_VALUE)
  if (der === null) throw new Error(`its certificate is empty or longer than ${LARGEST_CERTIFICATE} bytes`)
  try {
    return new X509Certificate(der)
  } catch {
    throw new Error('its certificate is malformed')
  }
}

/** Object identifiers of curves in DER, and the bytes of a coordinate. */
const CURVES: Readonly<Record<string, readonly [string, number]>> = {
  '06082a8648ce3d030107': ['P-256', 32],
  '06052b81040022': ['P-384', 48],
  '06052b81040023': ['P-521', 66],
}

function asPublicKey(values: ReadonlyMap<number, AttributeValue>): KeyObject {
  const type = values.get(CKA_KEY_TYPE)
  if (type === CKK_RSA) return rsaKey(bytesOf(values, CKA_MODULUS), bytesOf(values, CKA_PUBLIC_EXPONENT))
  if (type === CKK_EC) return curveKey(bytesOf(values, CKA_EC_PARAMS), bytesOf(values, CKA_EC_POINT))
  throw new Error('its key is neither an RSA key nor one on P-256, P-384 or P-521')
}

const NO_PUBLIC = 'the token has neither a certificate nor a public key of the same ID (CKA_ID), which is needed'

function rsaKey(modulus: Buffer | null, exponent: Buffer | null): KeyObject {
  if (modulus === null || exponent === null) throw new Error(NO_PUBLIC)
  const [n, e] = [modulus.toString('base64url'), exponent.toString('base64url')]
  return createPublicKey({ format: 'jwk', key: { kty: 'RSA', n, e } })
}

function curveKey(parameters: Buffer | null, point: Buffer | null): KeyObject {
  const [crv, bytes] = CURVES[parameters?.toString('hex') ?? ''] ?? []
  if (crv === undefined || bytes === undefined)
    throw new Error('its key is on another curve than P-256, P-384 and P-521')
  // An uncompressed point in an OCTET STRING, which some modules leave out: its two coordinates are at the end.
  if (point === null || point.length < 2 * bytes + 1) throw new Error(NO_PUBLIC)
  const x = point.subarray(-2 * bytes, -bytes).toString('base64url')
  const y = point.subarray(-bytes).toString('base64url')
  return createPublicKey({ format: 'jwk', key: { kty: 'EC', crv, x, y } })
}
