import { createHash } from 'node:crypto'
import { equalsConstantTime, type Uri } from '#http'
import {
  claim,
  numericDate,
  parseSignedToken,
  readClaims,
  type SignatureKey,
  type SignedToken,
  TOKEN_KINDS,
  TokenError,
  type TokenHeader,
  violations,
} from '#jose'
import type { JsonObject, JsonValue } from '#json'
import { DPOP_ALGORITHMS } from '../../lib/tokens/dpop-algorithms.ts'
import { type ProofKeys, readProofKey } from './proof-keys.ts'
import { isTarget } from './target-uri.ts'

interface ProofRequirements {
  readonly method: string
  readonly target: Uri
  readonly token: string
  /** The thumbprint of the key to which the token is bound (`cnf.jkt`). */
  readonly thumbprint: string
  /** Milliseconds since the epoch. */
  readonly now: number
  readonly maxAge: number
}

/** Values of a valid proof for the checks of nonce and replay. */
export interface Proof {
  readonly jti: string
  readonly nonce: string | null
  /** Milliseconds since the epoch. */
  readonly madeAt: number
}

/** Allowed clock skew of a client into the future. */
export const CLOCK_AHEAD = TOKEN_KINDS.dpopProof.issuedAhead

const LONGEST_PROOF = 8_192
const LONGEST_JTI = 512

/**
 * Checks a proof of possession (RFC 9449 section 4.3), except nonce and replay. Throws TokenError with a message for the client. The key
 * in the proof is trusted only because its thumbprint is in the access token. The signature is verified last, so that an invalid
 * proof costs little.
 */
export function checkProof(text: string, requirements: ProofRequirements, keys: ProofKeys): Proof {
  if (text.length > LONGEST_PROOF) throw new TokenError(`the proof is longer than ${LONGEST_PROOF} characters`)
  const token = parseSignedToken(text)
  const { alg, members } = token.header
  if (!DPOP_ALGORITHMS.some((each) => each === alg)) {
    throw new TokenError('the proof is signed by an unsupported algorithm')
  }
  const proofKey = readProofKey(claim(members, 'jwk'))
  if (!equalsConstantTime(proofKey.thumbprint, requirements.thumbprint)) {
    throw new TokenError('the proof is by another key than the access token is bound to')
  }
  const proof = checkClaims(token.header, readClaims(token.payload), requirements)
  checkSignature(token, keys.get(proofKey))
  return proof
}

function checkSignature(token: SignedToken, key: SignatureKey): void {
  if (!key.suits(token.header.alg)) throw new TokenError('the algorithm of the proof does not suit its key')
  if (!key.verifies(token)) throw new TokenError('the signature of the proof is not valid')
}

function checkClaims(header: TokenHeader, claims: JsonObject, requirements: ProofRequirements): Proof {
  const { now, maxAge } = requirements
  const [violation] = violations(header, claims, { kind: 'dpopProof', times: { now, maxAge } })
  if (violation !== undefined) throw new TokenError(violation.message)
  const jti = claim(claims, 'jti') as string
  if (jti.length > LONGEST_JTI) throw new TokenError(`the proof has a "jti" of more than ${LONGEST_JTI} characters`)
  if (claim(claims, 'htm') !== requirements.method) throw new TokenError('the proof is for another method')
  if (!isTarget(claim(claims, 'htu') as string, requirements.target))
    throw new TokenError('the proof is for another URI')
  if (!equalsConstantTime(claim(claims, 'ath') as string, digestOf(requirements.token))) {
    throw new TokenError('the proof is for another access token')
  }
  const nonce = claim(claims, 'nonce')
  if (nonce !== undefined && typeof nonce !== 'string') throw new TokenError('the proof has a "nonce" that is not text')
  return { jti, nonce: nonce ?? null, madeAt: numericDate(claim(claims, 'iat') as JsonValue) as number }
}

/** `ath`: the SHA-256 of the token (RFC 9449 section 4.2). */
function digestOf(token: string): string {
  return createHash('sha256').update(token, 'ascii').digest('base64url')
}
