import type { Endpoint } from '../http/call.ts'
import { crestError, json } from '../http/endpoint-response.ts'
import type { CompleteSettings } from '../settings.ts'
import type { Sessions } from '../state/sessions.ts'
import { callerOf } from './caller.ts'

/** `serverinfo/*`: public information, including the name of the session cookie. */
export function serverInformation(settings: CompleteSettings): Endpoint {
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
export function serverVersion(settings: CompleteSettings, sessions: Sessions): Endpoint {
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
