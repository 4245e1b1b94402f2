import type { Purpose, Secret, SecretsProvider } from '#contracts'
import { type Handler, respond, respondUnavailable } from '#http'
import { encryptionSuitability, signatureSuitability } from '#jose'
import type { Logger } from '#logging'
import { jwkThumbprint, publicJwk } from '#secrets'
import { recordFailed } from '../../lib/audit/decisions.ts'
import { EVENTS } from '../log-events.ts'

/** Usages of published keys. */
export const KEY_USAGES = ['AGREE_KEY', 'DECRYPT', 'ENCRYPT', 'SIGN', 'UNWRAP_KEY', 'VERIFY', 'WRAP_KEY'] as const

type KeyUsage = (typeof KEY_USAGES)[number]

interface PublishedKeys {
  readonly provider: SecretsProvider
  readonly purposes: readonly {
    readonly secretId: string
    readonly keyUsage: KeyUsage
    readonly jwkAlgorithm?: string | undefined
  }[]
  /** Default algorithm of keys without one, in purposes without one. */
  readonly jwkAlgorithm: string | null
  readonly exposure: 'public' | 'private'
  readonly logger: Logger
}

type Jwk = Record<string, unknown>

/** Limits requests, and the delay after which a rotated key is seen. */
const CACHE = 'max-age=60'

/** Responds with a JWK Set (RFC 7517). An unavailable key fails the response: callers must not conclude that it was removed. */
export function publishKeys(settings: PublishedKeys): Handler {
  return async (exchange) => {
    const { method } = exchange.request
    if (method !== 'GET' && method !== 'HEAD') return respond(405, { Allow: 'GET, HEAD' }, 'Method Not Allowed')
    let keys: readonly Jwk[]
    try {
      keys = await keysOf(settings)
    } catch (error) {
      settings.logger.limited(error).error({ error }, EVENTS.KEYS_NOT_PUBLISHED)
      recordFailed(exchange, settings.logger, 'the keys are unavailable')
      return respondUnavailable('Service Unavailable')
    }
    const headers = {
      'Content-Type': 'application/jwk-set+json',
      'Cache-Control': settings.exposure === 'private' ? 'no-store' : CACHE,
    }
    return respond(200, headers, JSON.stringify({ keys }))
  }
}

async function keysOf(settings: PublishedKeys): Promise<readonly Jwk[]> {
  const { provider, purposes, exposure, logger } = settings
  const published = new Map<string, Jwk>()
  for (const { secretId, keyUsage, jwkAlgorithm } of purposes) {
    const use = useOf(keyUsage)
    for (const secret of await provider.valid({ secretId, purpose: recipientPurpose(use) })) {
      const jwk = jwkOf(secret, exposure, logger)
      if (jwk === null) continue
      const key = `${use} ${jwk['kid']} ${jwk['kty']}`
      const alg = algorithmOf(secret, use, [jwkAlgorithm, settings.jwkAlgorithm])
      if (!published.has(key)) published.set(key, { ...jwk, ...(alg !== null && { alg }), use })
    }
  }
  return [...published.values()]
}

/** RFC 7517 section 4.2. `key_ops` would be redundant, which section 4.3 advises against. */
export function useOf(keyUsage: KeyUsage): 'sig' | 'enc' {
  return keyUsage === 'SIGN' || keyUsage === 'VERIFY' ? 'sig' : 'enc'
}

/** Purpose of the keys for their recipients; a key without a private part still verifies. */
function recipientPurpose(use: 'sig' | 'enc'): Purpose {
  return use === 'sig' ? 'VERIFY' : 'ENCRYPT'
}

/** Null for a symmetric key that is not exposed, and for a key type without a JWK form. */
function jwkOf(secret: Secret, exposure: 'public' | 'private', logger: Logger): Jwk | null {
  const whole = exposure === 'private' ? secret.privateOrSecretKey : null
  const key = whole ?? secret.publicOrSecretKey
  if (key === null || (key.type === 'secret' && whole === null)) return null
  try {
    const members = (whole === null ? publicJwk(key) : whole.export({ format: 'jwk' })) as Jwk
    const kid = secret.stableId ?? (key.type === 'secret' ? undefined : jwkThumbprint(key))
    return { ...members, ...(kid !== undefined && { kid }) }
  } catch {
    logger.debug({ secretId: secret.secretId, stableId: secret.stableId }, 'key type without a JWK form')
    return null
  }
}

const JWA =
  /^(?:[HREP]S(?:256|384|512)|EdDSA|RSA-OAEP(?:-256)?|ECDH-ES(?:\+A(?:128|192|256)KW)?|A(?:128|192|256)(?:KW|GCM|GCMKW))$/

/**
 * The JWA algorithm of the key itself; else the first configured one that suits the key; else the only one for the key type, as for
 * elliptic curves. Other algorithm names, such as `AES`, have no meaning in a JWK.
 */
function algorithmOf(
  secret: Secret,
  use: 'sig' | 'enc',
  configured: readonly (string | null | undefined)[],
): string | null {
  const { algorithm } = secret
  if (algorithm !== null && JWA.test(algorithm)) return algorithm
  const key = secret.publicOrSecretKey
  if (key === null) return null
  const suitable: readonly string[] = (use === 'sig' ? signatureSuitability : encryptionSuitability)(
    key,
    null,
  ).algorithms
  const chosen = configured.find((each) => each !== null && each !== undefined && suitable.includes(each))
  if (chosen !== undefined && chosen !== null) return chosen
  // Ed25519 has two names; more verifiers support the old one.
  const only = suitable.filter((each) => each !== 'Ed25519')
  return key.type !== 'secret' && only.length === 1 ? (only[0] as string) : null
}
