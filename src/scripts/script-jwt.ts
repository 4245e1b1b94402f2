// Signed tokens of scripts, with keys of `secrets`.
import {
  parseSignedToken,
  readClaims,
  SIGNATURE_ALGORITHMS,
  type SignatureAlgorithm,
  signatureSuitability,
  signJwt,
  TokenError,
  verifySignature,
  violations,
} from '#jose'
import { isPlainObject, type JsonObject } from '#json'
import { InvalidCallError } from './errors.ts'
import { ScriptSecret } from './script-secrets.ts'

/** A token whose signature is valid. */
interface VerifiedJwt {
  readonly header: JsonObject
  readonly claims: JsonObject
}

/** `secret.signJwt(claims, options)` of JavaScript. */
export async function signScriptJwt(secret: unknown, input: unknown): Promise<string> {
  const { claims, options } = input as { claims: unknown; options: unknown }
  if (!isPlainObject(claims)) throw new InvalidCallError('signJwt: expected an object of claims')
  const { algorithm, header, ...unknown } = isPlainObject(options) ? options : {}
  const [extra] = Object.keys(unknown)
  if (extra !== undefined)
    throw new InvalidCallError(`signJwt: unknown option "${extra}"; expected algorithm or header`)
  if (header !== undefined && !isPlainObject(header))
    throw new InvalidCallError('signJwt: expected header to be an object')
  return sign(secretOf(secret), claims as JsonObject, (header ?? {}) as JsonObject, algorithm)
}

/** Signs claims; without an algorithm with the first one that suits the key. */
async function sign(
  { active }: ScriptSecret,
  claims: JsonObject,
  header: JsonObject,
  algorithm: unknown = header['alg'],
): Promise<string> {
  return signJwt(active, claims, { algorithm: signatureAlgorithm(algorithm) ?? defaultAlgorithm(active), header })
}

/** An algorithm by its name; null where none is given. `none` is not among them. */
function signatureAlgorithm(name: unknown): SignatureAlgorithm | null {
  if (name === undefined || name === null) return null
  const found = SIGNATURE_ALGORITHMS.find((each) => each === name)
  if (found !== undefined) return found
  throw new InvalidCallError(`expected an algorithm of ${SIGNATURE_ALGORITHMS.join(', ')}, got ${JSON.stringify(name)}`)
}

function defaultAlgorithm(secret: ScriptSecret['active']): SignatureAlgorithm {
  const { algorithm } = secret
  const key = secret.privateOrSecretKey ?? secret.publicOrSecretKey
  const [first] = key === null ? [] : signatureSuitability(key, algorithm).algorithms
  // `signJwt` rejects an unsuitable key with its reason.
  return first ?? 'RS256'
}

/**
 * `secret.verifyJwt(token)` of JavaScript: null where the token is malformed, not signed by the key, expired or not valid yet.
 * Throws where the key is not available.
 */
export async function verifyScriptJwt(secret: unknown, token: string, now: number): Promise<VerifiedJwt | null> {
  try {
    const parsed = parseSignedToken(token)
    const verification = await verifySignature(parsed, secretOf(secret).source)
    if (verification.outcome === 'unavailable') throw new Error(verification.reason)
    if (verification.outcome === 'invalid') return null
    const claims = readClaims(parsed.payload)
    if (violations(parsed.header, claims, { kind: 'jwt', times: { now } }).length > 0) return null
    return { header: parsed.header.members, claims }
  } catch (error) {
    if (error instanceof TokenError) return null
    throw error
  }
}

function secretOf(value: unknown): ScriptSecret {
  if (value instanceof ScriptSecret) return value
  throw new InvalidCallError('expected a secret of secrets.get')
}
