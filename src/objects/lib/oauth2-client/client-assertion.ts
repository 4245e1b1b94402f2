import { randomUUID } from 'node:crypto'
import type { SecretsProvider } from '#contracts'
import type { Filter } from '#http'
import { type KEY_PAIR_ALGORITHMS, signJwt } from '#jose'
import type { JsonObject, JsonValue } from '#json'
import type { Clock } from '#schema'
import { withFormFields } from './form-content.ts'

/** The one value of `client_assertion_type` (RFC 7523 section 2.2). */
const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

interface AssertionSettings {
  readonly clientId: string
  readonly tokenEndpoint: string
  readonly secretsProvider: SecretsProvider
  readonly signingSecretId: string
  /** With a shared secret it would not be private_key_jwt. */
  readonly signingAlgorithm: (typeof KEY_PAIR_ALGORITHMS)[number]
  readonly jwtExpirationTimeout: number
  readonly claims: Readonly<Record<string, JsonValue>>
  readonly clock: Clock
}

/** Puts a signed assertion about the client into the form of each request; another way of authenticating is removed. */
export function assertClient(settings: AssertionSettings): Filter {
  const { clientId, secretsProvider, signingSecretId: secretId, signingAlgorithm: algorithm } = settings
  return async (exchange, next) => {
    const secret = await secretsProvider.active({ secretId, purpose: 'SIGN' })
    const changed = await withFormFields(exchange, {
      client_id: clientId,
      client_assertion_type: ASSERTION_TYPE,
      client_assertion: await signJwt(secret, assertionClaims(settings), { algorithm }),
    })
    // Two ways of authenticating in one request are refused by servers (RFC 6749 section 2.3).
    changed.request.headers.delete('Authorization')
    return next(changed)
  }
}

/** The claims of RFC 7523 section 3, then the further ones. A `jti` serves once (threats B48). */
function assertionClaims({
  clientId,
  tokenEndpoint,
  jwtExpirationTimeout,
  claims,
  clock,
}: AssertionSettings): JsonObject {
  const now = clock.now()
  return {
    iss: clientId,
    sub: clientId,
    aud: tokenEndpoint,
    jti: randomUUID(),
    iat: Math.floor(now / 1_000),
    // Rounded down: a JWT is never valid for longer than it may be.
    exp: Math.floor((now + jwtExpirationTimeout) / 1_000),
    ...claims,
  }
}
