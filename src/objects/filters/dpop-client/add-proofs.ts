import { createHash, randomUUID } from 'node:crypto'
import { markProofSent, type Secret, type SecretsProvider } from '#contracts'
import type { Exchange, Filter, Request, Response } from '#http'
import { type SignatureAlgorithm, signJwt } from '#jose'
import type { JsonObject } from '#json'
import type { Clock } from '#schema'
import { publicJwk } from '#secrets'
import { ServerNonces } from './server-nonces.ts'

/** Settings of proofs of possession. */
interface ProofSettings {
  readonly provider: SecretsProvider
  readonly secretId: string
  readonly algorithm: SignatureAlgorithm
  readonly clock: Clock
}

/** RFC 6750 section 2.1 and RFC 9449 section 7.1. */
const CREDENTIALS = /^(?:Bearer|DPoP) +(\S+)$/i

/**
 * Adds a proof to each request (RFC 9449 section 4). An access token in `Authorization` is sent with the scheme DPoP, and its hash is
 * in the proof. If the server demands a nonce, the request is sent again with it (sections 8 and 9).
 */
export function addProofs(settings: ProofSettings): Filter {
  const nonces = new ServerNonces()
  return async (exchange, next) => {
    markProofSent(exchange)
    const origin = exchange.request.uri.authority
    const nonce = nonces.get(origin)
    const response = await next(await withProof(exchange, nonce, settings))
    const given = response.headers.get('dpop-nonce')
    if (given === null || given === nonce || !nonces.set(origin, given)) return response
    if (!wantsNonce(response) || !exchange.request.body.isBuffered || exchange.aborted) return response
    response.body.cancel()
    return next(await withProof(exchange, given, settings))
  }
}

/** A copy of the exchange with a proof; replaces a proof sent by the client. */
async function withProof(exchange: Exchange, nonce: string | null, settings: ProofSettings): Promise<Exchange> {
  const request = exchange.request.clone()
  const token = CREDENTIALS.exec(request.headers.get('authorization') ?? '')?.[1] ?? null
  if (token !== null) request.headers.set('Authorization', `DPoP ${token}`)
  request.headers.set('DPoP', await proof(request, token, nonce, settings))
  return exchange.withRequest(request)
}

async function proof(
  { method, uri }: Request,
  token: string | null,
  nonce: string | null,
  { provider, secretId, algorithm, clock }: ProofSettings,
): Promise<string> {
  const secret = await provider.active({ secretId, purpose: 'SIGN' })
  const claims: JsonObject = {
    jti: randomUUID(),
    htm: method,
    // Without query and fragment (section 4.2).
    htu: `${uri.scheme}://${uri.authority}${uri.rawPath === '' ? '/' : uri.rawPath}`,
    iat: Math.floor(clock.now() / 1_000),
    ...(token !== null && { ath: createHash('sha256').update(token).digest('base64url') }),
    ...(nonce !== null && { nonce }),
  }
  return signJwt(secret, claims, { algorithm, typ: 'dpop+jwt', includeKeyId: false, header: { jwk: jwkOf(secret) } })
}

const publicJwks = new WeakMap<Secret, JsonObject>()

/** The public key, which is part of the proof. */
function jwkOf(secret: Secret): JsonObject {
  const jwk = publicJwks.get(secret)
  if (jwk !== undefined) return jwk
  const key = secret.publicOrSecretKey
  if (key === null) throw new TypeError(`the secret id "${secret.secretId}" has no key`)
  const made = publicJwk(key) as unknown as JsonObject
  publicJwks.set(secret, made)
  return made
}

/** Whether a response may demand a nonce: 400 of an authorization server, 401 of a resource server. */
function wantsNonce({ status }: Response): boolean {
  return status === 400 || status === 401
}
