import { SessionManagerKind } from '#contracts'
import { checkRedis, openRedis, REDIS_EVENTS, REDIS_FIELDS, REDIS_METRICS, REDIS_RULES } from '#redis'
import { config, defineType, duration, string } from '#schema'
import { RedisStore } from '../../lib/sessions/redis-store.ts'
import { reportCookie, sessionCookieFields } from '../../lib/sessions/session-cookie.ts'
import { StoredRevocations } from '../../lib/sessions/stored-revocations.ts'
import { storedSessions } from '../../lib/sessions/stored-sessions.ts'
import { EVENTS } from '../log-events.ts'

/** Sessions in Redis, shared by all gateways that use it. */
export const RedisSessionManager = defineType({
  name: 'RedisSessionManager',
  kind: SessionManagerKind,
  summary:
    'Keeps sessions in Redis or Valkey, encrypted, for several gateways; the client holds a random id in a cookie.',
  metrics: ['gw_session_refused_total', ...REDIS_METRICS],
  events: [EVENTS.UNREADABLE, ...Object.values(REDIS_EVENTS)],
  config: {
    ...REDIS_FIELDS,
    keyPrefix: config(string())
      .default('gateway:')
      .meta({ description: 'Prefix of all keys. Gateways that share sessions have the same.' }),
    timeout: config(duration({ zero: false, max: '10 seconds' }))
      .default('500 ms')
      .meta({ description: 'Timeout of Redis commands; then the request gets 503.' }),
    sessionTimeout: config(duration({ zero: false, max: '3650 days' }))
      .default('30 minutes')
      .meta({ description: 'Idle timeout of a session.' }),
    cookie: sessionCookieFields('gateway-redis-session').meta({ description: 'The cookie with the session id.' }),
  },
  rules: REDIS_RULES,
  check: (values, report) => {
    checkRedis(values, report)
    reportCookie(values.cookie, report)
  },
  create: async (config, env) => {
    const { cookie, sessionTimeout } = config
    const refused = env.metrics.counter('gw_session_refused_total', 'Session cookies that stood for no session.', {
      name: env.name,
    })
    const onUnreadable = () => {
      refused.add()
      env.logger.limited().warn(EVENTS.UNREADABLE)
    }
    const store = new RedisStore(await openRedis(config, env), onUnreadable)
    const { clock, onDispose } = env
    const revocations = new StoredRevocations({ store, sessionTimeout, isShared: true, clock, onDispose })
    return storedSessions(store, sessionTimeout, cookie, revocations)
  },
})
