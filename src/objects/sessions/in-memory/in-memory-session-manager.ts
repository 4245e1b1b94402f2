import { SessionManagerKind } from '#contracts'
import { config, defineType, duration, REVOCATION_SPACE } from '#schema'
import { reportCookie, sessionCookieFields } from '../../lib/sessions/session-cookie.ts'
import { StoredRevocations } from '../../lib/sessions/stored-revocations.ts'
import { storedSessions } from '../../lib/sessions/stored-sessions.ts'
import { EVENTS } from '../log-events.ts'
import { sessionStore } from './session-store.ts'

/** Sessions in the memory of the gateway, shared by its units. */
export const InMemorySessionManager = defineType({
  name: 'InMemorySessionManager',
  kind: SessionManagerKind,
  summary: 'Stores sessions in the memory of the gateway, by a random id in a cookie.',
  metrics: ['gw_session_wait_seconds'],
  events: [EVENTS.STORE_UNAVAILABLE],
  config: {
    timeout: config(duration({ zero: false, max: '3650 days' }))
      .default('30 minutes')
      .meta({ description: 'Idle timeout of a session.' }),
    cookie: sessionCookieFields('gateway-session').meta({ description: 'The cookie with the session id.' }),
  },
  check: ({ cookie }, report) => reportCookie(cookie, report),
  create: ({ timeout, cookie }, env) => {
    const revocations = new StoredRevocations({
      store: env.sharedStore(REVOCATION_SPACE),
      sessionTimeout: timeout,
      isShared: true,
      clock: env.clock,
      onDispose: env.onDispose,
    })
    const store = sessionStore(env.sharedStore(`session ${cookie.name}`), env)
    return storedSessions(store, timeout, cookie, revocations)
  },
})
