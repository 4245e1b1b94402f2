import { createSecretKey } from 'node:crypto'
import { providerOf, Secret, type SecretsProvider } from '#contracts'
import type { Handler } from '#http'
import { type KeySource, parseSignedToken, TokenError, verifySignature } from '#jose'
import { OpenIdError } from '#openid'
import type { Environment } from '#schema'
import { fetchJwkSet, RemoteKeys } from '#secrets'

const TWO_MINUTES = 120_000
const LEASE = 60 * 60_000

/** The published keys of a server, fetched when the first token is verified. */
export function publishedKeys(jwksUri: () => Promise<string>, handler: Handler, env: Environment): KeySource {
  const store = new RemoteKeys({
    source: env.name,
    secretIds: null,
    place: 'the issuer',
    cacheTimeout: TWO_MINUTES,
    missCacheTime: 10_000,
    lease: LEASE,
    clock: env.clock,
    logger: env.logger,
    fetch: async () => fetchJwkSet(await jwksUri(), handler, env.logger),
  })
  return { provider: providerOf([store]), secretId: 'id token' }
}

/** Keys of a configured secret id. */
export function configuredKeys(provider: SecretsProvider, secretId: string): KeySource {
  return { provider, secretId }
}

/**
 * Why a signature is invalid; null for a valid one. Throws OpenIdError where the keys are unavailable. The type of key decides which
 * algorithms are allowed: a published key is never used as a shared secret (threats B37).
 */
export async function signatureProblem(
  idToken: string,
  keys: KeySource,
  sharedSecret: Buffer | null,
): Promise<string | null> {
  try {
    const token = parseSignedToken(idToken)
    if (sharedSecret !== null && token.header.alg.startsWith('HS')) return problemOf(token, sharedKey(sharedSecret))
    return problemOf(token, keys)
  } catch (error) {
    if (error instanceof TokenError) return error.message
    throw error
  }
}

async function problemOf(token: ReturnType<typeof parseSignedToken>, keys: KeySource): Promise<string | null> {
  const verification = await verifySignature(token, keys)
  if (verification.outcome === 'unavailable')
    throw new OpenIdError('temporarily_unavailable', verification.reason, true)
  return verification.outcome === 'verified' ? null : verification.reason
}

function sharedKey(bytes: Buffer): KeySource {
  const secret = new Secret({ secretId: 'client secret', key: createSecretKey(bytes) })
  return {
    provider: providerOf([{ find: async () => [secret], onChange: () => () => {} }]),
    secretId: 'client secret',
  }
}
