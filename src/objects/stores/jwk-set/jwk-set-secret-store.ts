import { HandlerKind, SecretStoreKind } from '#contracts'
import { config, defineType, duration, list, ref, type SecretQuery, type SecretStore, secretId, url } from '#schema'
import { fetchJwkSet, RemoteKeys, SECRETS_EVENTS, SecretExpiry } from '#secrets'
import { isRemoteInClear } from '../../lib/tls/remote-in-clear.ts'
import { checkLease, leaseExpiry, usableLease } from '../lib/lease-expiry.ts'

const TWO_MINUTES = 120_000
const SHORTEST_TIMEOUT = 10_000
const SHORTEST_MISS = 1_000

/** Published keys of an issuer. */
export const JwkSetSecretStore = defineType({
  name: 'JwkSetSecretStore',
  kind: SecretStoreKind,
  summary: 'Reads public keys from a published JWK Set.',
  events: [SECRETS_EVENTS.KEYS_NOT_FETCHED, SECRETS_EVENTS.NO_USABLE_KEY, SECRETS_EVENTS.TOO_MANY_UNKNOWN_KEYS],
  config: {
    jwkUrl: config(url()).meta({ description: 'URL of the JWK Set.' }),
    secretIds: list(config(secretId({ defined: true })), { nonEmpty: true })
      .optional()
      .meta({
        description:
          'Secret IDs that the keys are used for; other stores are searched for all others. Without it the keys are used for every secret ID.',
      }),
    handler: ref(HandlerKind).default('ClientHandler').meta({ description: 'Handler that fetches the keys.' }),
    cacheTimeout: config(duration()).default('2 minutes').meta({
      description:
        'How long fetched keys are used before they are fetched again; less than 10 seconds causes a warning, and the default is used.',
    }),
    cacheMissCacheTime: config(duration()).default('10 seconds').meta({
      description:
        'How long an unknown `kid` is not looked up again; at least one second. There are at most five such lookups a minute.',
    }),
    leaseExpiry: leaseExpiry(),
  },
  check: ({ jwkUrl, cacheTimeout, leaseExpiry }, _report, warn) => {
    if (isRemoteInClear(jwkUrl))
      warn('keys that are fetched over http can be replaced by an attacker on the network; use https for jwkUrl')
    if (cacheTimeout < SHORTEST_TIMEOUT)
      warn('cacheTimeout can not be less than 10 seconds; the default of 2 minutes is used')
    checkLease(leaseExpiry, warn)
  },
  create: ({ jwkUrl, secretIds, handler, cacheTimeout, cacheMissCacheTime, leaseExpiry }, env) => {
    const ids = secretIds === undefined ? null : new Set(secretIds)
    if (!env.serving) return unread(ids)
    const { origin, pathname } = new URL(jwkUrl)
    return new RemoteKeys({
      source: env.name,
      secretIds: ids,
      place: `${origin}${pathname}`,
      cacheTimeout: cacheTimeout < SHORTEST_TIMEOUT ? TWO_MINUTES : cacheTimeout,
      missCacheTime: Math.max(SHORTEST_MISS, cacheMissCacheTime),
      lease: usableLease(leaseExpiry),
      clock: env.clock,
      logger: env.logger,
      expiry: new SecretExpiry(env),
      fetch: () => fetchJwkSet(jwkUrl, handler, env.logger),
    })
  },
})

/** Used where the configuration is only validated: nothing is fetched. Ids are looked up as passwords then. */
function unread(ids: ReadonlySet<string> | null): SecretStore {
  const find = async ({ secretId, purpose }: SecretQuery) => {
    return purpose === 'SIGN' || purpose === 'DECRYPT' || ids?.has(secretId) === false ? null : []
  }
  return { hasEveryId: ids === null, find, onChange: () => () => {} }
}
