import { callRest } from '#access-manager'
import { AccessManagerError, type AmService, SsoTokenContext, UserProfile } from '#contracts'
import type { Exchange, Handler } from '#http'
import type { JsonObject } from '#json'

/** The users whose profiles are looked up, and their attributes. */
export interface ProfileSource {
  readonly amService: AmService
  readonly realm: string
  /** Null for all attributes. */
  readonly attributes: readonly string[] | null
}

/** Attributes of every response, also where others are selected. */
const ALWAYS: readonly string[] = ['username', 'realm']
/** Never provided: it names groups of the server's own pages. */
const LEFT_OUT = 'roles'
/** Longer names are no names of users. */
const MAX_NAME = 1_024
/** Responses for a name without user: a server rejects some names, such as those with a slash, before it looks them up. */
const NO_USER: ReadonlySet<number> = new Set([400, 404])

/** Gets a profile from the access manager; null where there is no such user. */
export async function lookUpProfile(
  { amService, realm, attributes }: ProfileSource,
  username: string,
  exchange: Exchange,
): Promise<UserProfile | null> {
  // Dot segments would be removed from the path (RFC 3986 section 5.2.4).
  if (username === '' || username.length > MAX_NAME || /^\.+$/.test(username) || !username.isWellFormed()) return null
  const uri = amService.restUri(`users/${encodeURIComponent(username)}`, realm)
  if (attributes !== null) uri.rawQuery = `_fields=${[...ALWAYS, ...attributes].map(encodeURIComponent).join(',')}`
  const { family } = await amService.dialect()
  const { handler, headers } = await callerFor(amService, username, exchange, family === 'openam')
  const call = {
    method: 'GET',
    uri,
    headers,
    onBehalfOf: exchange,
    resource: family === 'openam' ? '2.0' : '3.0',
  } as const
  const { status, json } = await callRest(handler, call, amService.callTimeout)
  if (json !== null && NO_USER.has(status)) return null
  if (status === 401 || status === 403)
    throw new AccessManagerError(
      'misconfigured',
      `the access manager does not let the agent read profiles of users (${status}); give it that privilege`,
    )
  if (status !== 200 || json === null)
    throw new AccessManagerError('unavailable', `users: expected the profile of a user, got the status ${status}`)
  return new UserProfile(withoutRoles(json))
}

/** Agents of OpenAM may not read profiles; users may read their own. */
async function callerFor(
  amService: AmService,
  username: string,
  exchange: Exchange,
  isOpenAm: boolean,
): Promise<{ handler: Handler; headers: Record<string, string> }> {
  const sso = isOpenAm ? exchange.context(SsoTokenContext) : null
  if (sso === null || sso.info['username'] !== username) return { handler: amService.agentHandler, headers: {} }
  return { handler: amService.handler, headers: { [await amService.cookieName()]: sso.value } }
}

function withoutRoles(profile: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(profile).filter(([name]) => name !== LEFT_OUT))
}
