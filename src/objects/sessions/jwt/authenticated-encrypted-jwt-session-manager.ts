import { KeyStoreKind, type SecretsProvider, SessionManagerKind, secretsProvider } from '#contracts'
import { checkRedis, openRedis, REDIS_EVENTS, REDIS_FIELDS, REDIS_METRICS, REDIS_RULES, type RedisValues } from '#redis'
import {
  boolean,
  clearKeyStore,
  config,
  defineType,
  duration,
  type Environment,
  type FieldMigration,
  object,
  REVOCATION_SPACE,
  ref,
  renames,
  type SharedStore,
  secretId,
  string,
} from '#schema'
import { RedisStore } from '../../lib/sessions/redis-store.ts'
import { reportCookie, sessionCookieFields } from '../../lib/sessions/session-cookie.ts'
import { StoredRevocations } from '../../lib/sessions/stored-revocations.ts'
import { configuredKeys, ENCRYPTION_METHOD_FIELD, fixedKeys, randomKeys } from '../../lib/sessions/symmetric-keys.ts'
import { EVENTS } from '../log-events.ts'
import { jwtSessions } from './jwt-sessions.ts'
import { type OlderKeyFields, olderKey, sharedKey } from './older-key.ts'
import type { SessionKeys } from './session-token.ts'

const INSTEAD =
  'use authenticatedEncryptionSecretId, such as "session.key", the id of a symmetric key in a secret store'
const NEW_KEY = `${INSTEAD}: write one by "openssl rand -base64 32 > secrets/session.key", and name it in mappings of a FileSystemSecretStore with SecretKeyPropertyFormat; sessions of the old key end`
const DERIVED_KEY = `${INSTEAD}; "gateway migrate --move-secrets" writes the same key to a file, and sessions continue`

const KEY_FIELDS = ['sharedSecret', 'keystore', 'alias', 'password']

/** A shared secret becomes the key that is derived from it; of an RSA key in a keystore only a person can decide. */
const KEY_MIGRATIONS: readonly FieldMigration[] = [
  {
    fields: KEY_FIELDS,
    migrate: (_, { authenticatedEncryptionSecretId: id }) => (id === undefined ? null : {}),
  },
  {
    fields: KEY_FIELDS,
    movesSecret: true,
    migrate: ({ sharedSecret }, { encryptionMethod = 'A256GCM', secretsProvider }) => {
      const key = sharedKey(sharedSecret, encryptionMethod)
      if (key === null || secretsProvider !== undefined) return null
      return { authenticatedEncryptionSecretId: 'session.key', secretsProvider: clearKeyStore('session.key', key) }
    },
  },
]

/** Sessions in an encrypted cookie of the client. */
export const AuthenticatedEncryptedJwtSessionManager = defineType({
  name: 'AuthenticatedEncryptedJwtSessionManager',
  aliases: ['JwtSessionManager', 'JwtSession', 'JwtSessionFactory'],
  kind: SessionManagerKind,
  summary: 'Stores sessions in encrypted cookies of the client.',
  metrics: ['gw_session_refused_total', ...REDIS_METRICS],
  events: [EVENTS.REVOCATION_UNREADABLE, ...Object.values(REDIS_EVENTS)],
  config: {
    authenticatedEncryptionSecretId: config(secretId()).optional().meta({
      description:
        'Secret ID of the symmetric keys: the first encrypts, all decrypt. Without it a random key is generated, which is lost when the gateway stops.',
    }),
    secretsProvider: secretsProvider('the keys'),
    encryptionMethod: ENCRYPTION_METHOD_FIELD,
    sessionTimeout: config(duration({ zero: false }))
      .default('30 minutes')
      .meta({ description: 'Lifetime of a session; at most 3650 days.' }),
    skewAllowance: config(duration({ unlimited: false }))
      .default('0 seconds')
      .meta({ description: 'Allowed clock skew of gateways, by which the lifetime is extended.' }),
    persistentCookie: config(boolean())
      .default(false)
      .meta({ description: 'Whether browsers store the cookie until the session ends, rather than until they close.' }),
    useCompression: config(boolean()).default(true).meta({ description: 'Whether longer sessions are compressed.' }),
    keystore: ref(KeyStoreKind).optional().meta({
      description: 'Keystore with a private key, from which the key of sessions is derived.',
      replacement: NEW_KEY,
    }),
    alias: config(string({ nonEmpty: true }))
      .optional()
      .meta({ description: 'Alias of that private key.', replacement: NEW_KEY }),
    password: config(string())
      .optional()
      .meta({ description: 'Password of that private key.', replacement: NEW_KEY, secret: true }),
    sharedSecret: config(string()).optional().meta({
      description: 'At least 32 bytes in base64, from which the key of sessions is derived instead.',
      replacement: DERIVED_KEY,
      secret: true,
    }),
    cookie: sessionCookieFields('gateway-jwt-session').meta({ description: 'The cookie with the session.' }),
    revocations: object(REDIS_FIELDS, { rules: REDIS_RULES }).optional().meta({
      description:
        'Redis for logouts of providers (back-channel logout), shared by all gateways with the key; without it they are in the memory of the gateway that received them.',
    }),
  },
  migrations: KEY_MIGRATIONS,
  older: renames({ cookieName: 'cookie.name', cookieDomain: 'cookie.domain' }),
  check: ({ cookie, revocations }, report) => {
    if (revocations !== undefined) checkRedis(revocations, (path, message) => report(`/revocations${path}`, message))
    reportCookie(cookie, report)
  },
  create: async (config, env) =>
    jwtSessions({
      keys: await keysOf(config, env),
      cookie: config.cookie,
      timeout: Math.min(config.sessionTimeout, LONGEST),
      skew: config.skewAllowance,
      persistent: config.persistentCookie,
      clock: env.clock,
      refused: env.metrics.counter('gw_session_refused_total', 'Session cookies that stood for no session.', {
        name: env.name,
      }),
      revocations: new StoredRevocations({
        store: await revocationStore(config.revocations, env),
        sessionTimeout: Math.min(config.sessionTimeout, LONGEST) + config.skewAllowance,
        isShared: config.revocations !== undefined,
        clock: env.clock,
        onDispose: env.onDispose,
      }),
    }),
})

async function revocationStore(redis: RedisValues | undefined, env: Environment): Promise<SharedStore> {
  if (redis === undefined) return env.sharedStore(REVOCATION_SPACE)
  const unreadable = () => env.logger.limited().warn(EVENTS.REVOCATION_UNREADABLE)
  return new RedisStore(await openRedis(redis, env), unreadable)
}

const LONGEST = 3_650 * 24 * 3_600_000

interface KeyConfig extends OlderKeyFields {
  readonly authenticatedEncryptionSecretId?: string | undefined
  readonly secretsProvider: SecretsProvider
  readonly encryptionMethod: SessionKeys['method']
  readonly useCompression: boolean
  readonly cookie: { readonly name: string }
}

async function keysOf(config: KeyConfig, env: Environment): Promise<SessionKeys> {
  const { authenticatedEncryptionSecretId: secretId, secretsProvider, encryptionMethod: method, cookie } = config
  const common = { compress: config.useCompression, cookie: cookie.name }
  if (secretId !== undefined) {
    const pointer = '/authenticatedEncryptionSecretId'
    return { ...(await configuredKeys({ secretId, secretsProvider, method, pointer })), ...common }
  }
  const key = await olderKey(config, method)
  if (key !== null) return { ...fixedKeys('derived', key, method, env), ...common }
  env.warn(
    'no authenticatedEncryptionSecretId: sessions are encrypted with a random key, so that they end when the gateway stops and no other gateway can read them',
  )
  return { ...(await randomKeys(cookie.name, method, env)), ...common }
}
