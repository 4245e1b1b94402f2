import type { Endpoint } from '../http/call.ts'
import { crestError, json } from '../http/endpoint-response.ts'
import type { CompleteSettings } from '../settings.ts'
import type { Directory } from '../state/accounts.ts'
import { type Session, type Sessions, universalId } from '../state/sessions.ts'
import { callerOf } from './caller.ts'

/** `users/<name>`: the profile of a user. Agents of PingAM may read it; with OpenAM only the user and administrators. */
export function userProfiles(settings: CompleteSettings, sessions: Sessions, directory: Directory): Endpoint {
  const isOpenAm = settings.family === 'openam'
  const mayRead = ({ owner }: Session, realm: string, name: string): boolean =>
    owner.admin ||
    (owner.kind === 'agent' && !isOpenAm) ||
    (owner.kind === 'user' && owner.realm === realm && owner.name.toLowerCase() === name.toLowerCase())
  return {
    name: 'users',
    methods: ['GET'],
    handle: ({ headers, realm, rest, query }) => {
      const caller = callerOf(headers, settings.cookieName, sessions)
      if (caller === undefined) return crestError(401, 'Access Denied')
      sessions.touch(caller)
      if (!mayRead(caller, realm, rest)) return crestError(403, 'User is not authorized to perform the operation')
      const user = directory.user(realm, rest)
      if (user === undefined) return crestError(404, 'Resource cannot be found.')
      const { name, attributes = {} } = user
      const profile: Readonly<Record<string, unknown>> = {
        ...(isOpenAm ? {} : { _id: name, _rev: '-1' }),
        username: name,
        realm,
        uid: [name],
        cn: [name],
        dn: [`uid=${name},ou=people,dc=openam,dc=example`],
        universalid: [universalId({ kind: 'user', name, realm, admin: user.admin ?? false })],
        roles: ['ui-self-service-user'],
        ...attributes,
      }
      const fields = query.get('_fields')?.split(',') ?? null
      const always = new Set(['_id', '_rev'])
      const isSent = (field: string) => fields === null || always.has(field) || fields.includes(field)
      return json(Object.fromEntries(Object.entries(profile).filter(([field]) => isSent(field))))
    },
  }
}
