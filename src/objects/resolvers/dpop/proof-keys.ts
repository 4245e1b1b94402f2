import { createHash } from 'node:crypto'
import { claim, SignatureKey, TokenError } from '#jose'
import { isPlainObject, type JsonObject, type JsonValue } from '#json'
import { decodeJwk } from '#secrets'

/** Members of private and symmetric keys (RFC 7518 section 6), which a proof must not contain. */
const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']

/** The members of a thumbprint, in order (RFC 7638 section 3.2, RFC 8037 section 2). */
const THUMBPRINT_MEMBERS: ReadonlyMap<string, readonly string[]> = new Map([
  ['EC', ['crv', 'kty', 'x', 'y']],
  ['OKP', ['crv', 'kty', 'x']],
  ['RSA', ['e', 'kty', 'n']],
])

// The client chooses its key: with larger numbers, each proof takes up to a hundred times as long to verify. BoringSSL has the
// same limit of exponents.
const MAX_MODULUS_BITS = 8192
const MAX_EXPONENT = 2n ** 33n

/** The key of a proof, not validated yet. */
interface ProofKey {
  readonly members: Readonly<Record<string, string>>
  readonly thumbprint: string
}

/** Reads the members for the thumbprint from the key in the header of a proof. Throws TokenError. */
export function readProofKey(jwk: JsonValue | undefined): ProofKey {
  if (!isPlainObject(jwk)) throw new TokenError('the proof holds no key')
  if (PRIVATE_MEMBERS.some((name) => Object.hasOwn(jwk, name))) throw new TokenError('the proof holds a private key')
  const kty = claim(jwk as JsonObject, 'kty')
  const names = typeof kty === 'string' ? THUMBPRINT_MEMBERS.get(kty) : undefined
  if (names === undefined) throw unusable()
  const members: Record<string, string> = {}
  for (const name of names) {
    const value = claim(jwk as JsonObject, name)
    if (typeof value !== 'string') throw unusable()
    members[name] = value
  }
  return { members, thumbprint: createHash('sha256').update(JSON.stringify(members)).digest('base64url') }
}

/** LRU cache of decoded keys: decoding costs as much as a verification. */
export class ProofKeys {
  readonly #keys = new Map<string, SignatureKey>()
  readonly #limit: number

  constructor(limit = 1_000) {
    this.#limit = limit
  }

  /** The decoded key. Call only for a key whose thumbprint is in the access token. Throws TokenError. */
  get({ members, thumbprint }: ProofKey): SignatureKey {
    const key = this.#keys.get(thumbprint) ?? signatureKeyOf(members)
    // The most recently used key is last.
    this.#keys.delete(thumbprint)
    this.#keys.set(thumbprint, key)
    if (this.#keys.size > this.#limit) this.#keys.delete(this.#keys.keys().next().value as string)
    return key
  }
}

function signatureKeyOf(members: Readonly<Record<string, string>>): SignatureKey {
  const { key } = decoded(members)
  if (key === undefined) throw unusable()
  // Checked before any other use of its numbers.
  const { modulusLength = 0, publicExponent = 0n } = key.asymmetricKeyDetails ?? {}
  if (modulusLength > MAX_MODULUS_BITS || publicExponent > MAX_EXPONENT) throw unusable()
  const made = new SignatureKey(key, null)
  if (made.symmetric || made.refusal !== null) throw unusable()
  return made
}

function decoded(members: Readonly<Record<string, string>>): ReturnType<typeof decodeJwk> {
  try {
    return decodeJwk(members, 'public')
  } catch (cause) {
    throw unusable(cause)
  }
}

function unusable(cause?: unknown): TokenError {
  return new TokenError('the proof holds a key that can not be used', { cause })
}
