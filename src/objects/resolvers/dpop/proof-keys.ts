import { createHash } from 'node:crypto'
import { claim, SignatureKey, TokenError } from '#jose'
import { isPlainObject, type JsonObject, type JsonValue } from '#json'
import { decodeJwk } from '#secrets'

/** Members of private and of symmetric keys (RFC 7518 section 6): a proof that shows one gives its key away. */
const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']

/** The members that a thumbprint is made of, in order (RFC 7638 section 3.2, RFC 8037 section 2). */
const THUMBPRINT_MEMBERS: ReadonlyMap<string, readonly string[]> = new Map([
  ['EC', ['crv', 'kty', 'x', 'y']],
  ['OKP', ['crv', 'kty', 'x']],
  ['RSA', ['e', 'kty', 'n']],
])

/** A public key as it stands in a proof; not known yet to be one. */
interface ShownKey {
  readonly members: Readonly<Record<string, string>>
  readonly thumbprint: string
}

/** Looks at the key in the header of a proof as far as its thumbprint needs. Throws TokenError. */
export function shownKey(jwk: JsonValue | undefined): ShownKey {
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

/** Keys of clients that come again and again: to make one ready costs as much as to verify with it. */
export class ProofKeys {
  readonly #known = new Map<string, SignatureKey>()
  readonly #limit: number

  constructor(limit = 1_000) {
    this.#limit = limit
  }

  /** The key, to be asked for only where its thumbprint stands in an access token. Throws TokenError. */
  get({ members, thumbprint }: ShownKey): SignatureKey {
    const key = this.#known.get(thumbprint) ?? ready(members)
    // The one that was used last stands last.
    this.#known.delete(thumbprint)
    this.#known.set(thumbprint, key)
    if (this.#known.size > this.#limit) this.#known.delete(this.#known.keys().next().value as string)
    return key
  }
}

function ready(members: Readonly<Record<string, string>>): SignatureKey {
  const { key } = decoded(members)
  if (key === undefined) throw unusable()
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
