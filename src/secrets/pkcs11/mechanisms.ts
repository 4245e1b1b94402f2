import { createHash } from 'node:crypto'
import { sized, uint32, ulong } from './rpc-values.ts'

/** A mechanism in the encoding of the protocol, and the digest that is computed before the call; null for none. */
interface Mechanism {
  readonly encoded: Buffer
  readonly hash: string | null
}

const CKM_RSA_PKCS_OAEP = 0x09
const CKM_RSA_PKCS_PSS = 0x0d
const CKM_ECDSA = 0x1041
const CKZ_DATA_SPECIFIED = 1

/** Numbers of a digest as mechanism, and of the mask generation function with it. */
const DIGESTS = { sha1: [0x220, 1], sha256: [0x250, 2], sha384: [0x260, 3], sha512: [0x270, 4] } as const

type Digest = keyof typeof DIGESTS

const plain = (type: number, hash: Digest | null = null): Mechanism => ({
  encoded: Buffer.concat([uint32(type), sized(null)]),
  hash,
})

function pss(hash: Digest, saltLength: number): Mechanism {
  const [digest, mask] = DIGESTS[hash]
  return { encoded: Buffer.concat([uint32(CKM_RSA_PKCS_PSS), ulong(digest), ulong(mask), ulong(saltLength)]), hash }
}

function oaep(hash: Digest): Buffer {
  const [digest, mask] = DIGESTS[hash]
  return Buffer.concat([uint32(CKM_RSA_PKCS_OAEP), ulong(digest), ulong(mask), ulong(CKZ_DATA_SPECIFIED), sized(null)])
}

/** By JWA name. Signatures of ECDSA have the same form in PKCS #11 and in JOSE. */
const SIGNATURES: Readonly<Record<string, Mechanism>> = {
  RS256: plain(0x40),
  RS384: plain(0x41),
  RS512: plain(0x42),
  PS256: pss('sha256', 32),
  PS384: pss('sha384', 48),
  PS512: pss('sha512', 64),
  ES256: plain(CKM_ECDSA, 'sha256'),
  ES384: plain(CKM_ECDSA, 'sha384'),
  ES512: plain(CKM_ECDSA, 'sha512'),
}

const DECRYPTIONS: Readonly<Record<string, Buffer>> = {
  'RSA-OAEP': oaep('sha1'),
  'RSA-OAEP-256': oaep('sha256'),
  'RSA-OAEP-384': oaep('sha384'),
  'RSA-OAEP-512': oaep('sha512'),
}

/** The mechanism of a signature, and the bytes that the module signs by it; null for an algorithm that modules do not have. */
export function signatureInput(algorithm: string, data: Buffer): { encoded: Buffer; input: Buffer } | null {
  const mechanism = SIGNATURES[algorithm]
  if (mechanism === undefined) return null
  const { encoded, hash } = mechanism
  return { encoded, input: hash === null ? data : createHash(hash).update(data).digest() }
}

/** The mechanism that decrypts the key of a token. */
export function decryptionMechanism(algorithm: string): Buffer | null {
  return DECRYPTIONS[algorithm] ?? null
}
