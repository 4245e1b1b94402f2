import type { Secret } from '#contracts'
import type { SignedToken } from './compact.ts'
import { chooseSecrets, type KeySource, type KeysUnavailable } from './key-choice.ts'
import { type SignatureKey, signatureKeyOf } from './signature-key.ts'

/** Outcome of a verification; the reason of `invalid` may be shown to the bearer. */
type Verification =
  | { readonly outcome: 'verified'; readonly secret: Secret }
  | { readonly outcome: 'invalid'; readonly reason: string }
  | KeysUnavailable

interface Candidate {
  readonly secret: Secret
  readonly key: SignatureKey
}

const NOT_VERIFIED: Verification = { outcome: 'invalid', reason: 'the signature of the token can not be verified' }

/** Verifies the signature of a token with the keys of a secret id. */
export async function verifySignature(token: SignedToken, source: KeySource): Promise<Verification> {
  const chosen = await chooseSecrets(source, 'VERIFY', token.header.kid)
  if (chosen.outcome === 'unavailable') return chosen
  if (mixed(chosen.among)) {
    const reason = `the secret id "${source.secretId}" mixes symmetric keys with public ones; give each an id of its own`
    return { outcome: 'unavailable', reason }
  }
  const short = shortKey(chosen.among)
  if (short !== null) {
    const reason = `the secret id "${source.secretId}" has a key that can verify no token: ${short}`
    return { outcome: 'unavailable', reason }
  }
  const fitting = chosen.secrets.flatMap(candidate).filter(({ key }) => key.suits(token.header.alg))
  if (chosen.named && ambiguous(fitting)) {
    return { outcome: 'unavailable', reason: `the secret id "${source.secretId}" has several keys of one name` }
  }
  const verifier = fitting.find(({ key }) => key.verifies(token))
  return verifier === undefined ? NOT_VERIFIED : { outcome: 'verified', secret: verifier.secret }
}

function candidate(secret: Secret): Candidate[] {
  const key = signatureKeyOf(secret)
  return key === null ? [] : [{ secret, key }]
}

/** Symmetric and public keys in one set would allow a public key to be used as an HMAC secret (RFC 8725 section 2.1). */
function mixed(secrets: readonly Secret[]): boolean {
  if (secrets.length < 2) return false
  const symmetric = secrets.filter((secret) => signatureKeyOf(secret)?.symmetric === true)
  return symmetric.length > 0 && symmetric.length < secrets.length
}

/** Why the only key, a symmetric one, fits no algorithm: then every token fails, through no fault of its own. */
function shortKey(secrets: readonly Secret[]): string | null {
  const [only] = secrets
  if (only === undefined || secrets.length > 1) return null
  const key = signatureKeyOf(only)
  return key?.symmetric === true ? key.refusal : null
}

/** Two keys of the same use with one `kid`: ambiguous. */
function ambiguous(candidates: readonly Candidate[]): boolean {
  const [first, ...others] = candidates
  return first !== undefined && others.some(({ key }) => !key.equals(first.key))
}
