import { randomUUID } from 'node:crypto'
import type { Issuer, SecretsProvider } from '#contracts'
import type { Filter } from '#http'
import { type EncryptionAlgorithm, type EncryptionMethod, encryptJwt, type KEY_PAIR_ALGORITHMS, signJwt } from '#jose'
import type { JsonObject, JsonValue } from '#json'
import type { Clock } from '#schema'
import { withFormFields } from './form-content.ts'

/** The one value of `client_assertion_type` (RFC 7523 section 2.2). */
const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

interface AssertionSettings {
  readonly clientId: string
  /** The audience; without it the token endpoint of the issuer. */
  readonly tokenEndpoint?: string | undefined
  readonly issuer?: Issuer | undefined
  readonly secretsProvider: SecretsProvider
  readonly signingSecretId: string
  /** With a shared secret it would not be private_key_jwt. */
  readonly signingAlgorithm: (typeof KEY_PAIR_ALGORITHMS)[number]
  readonly jwtExpirationTimeout: number
  readonly claims: Readonly<Record<string, JsonValue>>
  /** Null for an assertion that is only signed. */
  readonly encryption: {
    readonly secretId: string
    readonly algorithm: EncryptionAlgorithm
    readonly method: EncryptionMethod
  } | null
  readonly clock: Clock
}

/** Adds a signed client assertion to the form of each request, and removes other client authentication. */
export function assertClient(settings: AssertionSettings): Filter {
  const { clientId } = settings
  return async (exchange, next) => {
    const changed = await withFormFields(exchange, {
      client_id: clientId,
      client_assertion_type: ASSERTION_TYPE,
      client_assertion: await assertion(settings),
    })
    // Servers reject requests with two client authentication methods (RFC 6749 section 2.3).
    changed.request.headers.delete('Authorization')
    return next(changed)
  }
}

/** A signed token, encrypted where configured. */
async function assertion(settings: AssertionSettings): Promise<string> {
  const { secretsProvider, signingSecretId, signingAlgorithm: algorithm, encryption } = settings
  const secret = await secretsProvider.active({ secretId: signingSecretId, purpose: 'SIGN' })
  const signed = await signJwt(secret, assertionClaims(settings, await audienceOf(settings)), { algorithm })
  if (encryption === null) return signed
  const key = await secretsProvider.active({ secretId: encryption.secretId, purpose: 'ENCRYPT' })
  return encryptJwt(key, signed, { ...encryption, content: 'token' })
}

async function audienceOf({ tokenEndpoint, issuer }: AssertionSettings): Promise<string> {
  if (tokenEndpoint !== undefined) return tokenEndpoint
  return (await (issuer as Issuer).metadata())['token_endpoint'] as string
}

/** The claims of RFC 7523 section 3, then the configured ones. Each assertion has its own `jti` (threats B48). */
function assertionClaims(
  { clientId, jwtExpirationTimeout, claims, clock }: AssertionSettings,
  audience: string,
): JsonObject {
  const now = clock.now()
  return {
    iss: clientId,
    sub: clientId,
    aud: audience,
    jti: randomUUID(),
    iat: Math.floor(now / 1_000),
    // Rounded down, so that the JWT is not valid for longer than configured.
    exp: Math.floor((now + jwtExpirationTimeout) / 1_000),
    ...claims,
  }
}
