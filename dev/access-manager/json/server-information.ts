import { crestError, json } from '../http/answer.ts'
import type { Endpoint } from '../http/call.ts'
import type { WholeSettings } from '../settings.ts'
import type { Sessions } from '../state/sessions.ts'
import { callerOf } from './caller.ts'

/** `serverinfo/*`: what anybody may know, above all the name of the session cookie. */
export function serverInformation(settings: WholeSettings): Endpoint {
  return {
    name: 'serverinfo',
    methods: ['GET'],
    handle: ({ realm }) =>
      json({
        _id: '*',
        _rev: '1',
        domains: settings.domains,
        cookieName: settings.cookieName,
        secureCookie: settings.secureCookie,
        ...(settings.family === 'openam' ? {} : { cookieHttpOnly: true }),
        realm,
        zeroPageLogin: { enabled: false, refererWhitelist: [], allowedWithoutReferer: true },
      }),
  }
}

/** `serverinfo/version`: only for callers with a session. */
export function serverVersion(settings: WholeSettings, sessions: Sessions): Endpoint {
  return {
    name: 'version',
    methods: ['GET'],
    handle: ({ headers }) => {
      const caller = callerOf(headers, settings.cookieName, sessions)
      if (caller === undefined) return crestError(401, 'Access Denied')
      sessions.touch(caller)
      const { version, family } = settings
      const fullVersion = `${family === 'pingam' ? 'ForgeRock Access Management' : 'OpenAM'} ${version}`
      return json({ _id: 'version', _rev: '1', version, fullVersion, revision: '0', date: '2026-November-15 00:00' })
    },
  }
}
