import { requestUser } from '#contracts'
import type { Exchange, Session } from '#http'
import { isPlainObject } from '#json'

/** Session entry of the cookies that CookieFilter keeps. */
export const MANAGED_COOKIES = 'managed cookies'
/** Session entries of the credentials that HttpBasicAuthFilter keeps, each for a server. */
export const SENT_CREDENTIALS = 'basic-auth:'

/** Session entry of the users of that content: their names, by what they are known. */
export const USERS = 'users at applications'

/**
 * Drops what the session has for applications where it is that of another user: a browser keeps its session over logins, and one
 * user must not be sent to an application with the session or the password of another.
 */
export function dropContentOfOthers(exchange: Exchange): void {
  const session = exchange.existingSession
  if (session === null || !hasContent(session)) return
  const user = requestUser(exchange)
  if (user === null) return
  const known = usersIn(session)[user.source]
  if (known === nameOf(user)) return
  if (known !== undefined) dropContent(session)
  else claimContent(exchange)
}

/** The user of the request is one of those whom the content for applications belongs to. */
export function claimContent(exchange: Exchange): void {
  const user = requestUser(exchange)
  if (user === null) return
  const users = usersIn(exchange.session)
  if (users[user.source] !== nameOf(user)) exchange.session.set(USERS, { ...users, [user.source]: nameOf(user) })
}

function nameOf({ realm, name }: { readonly realm: string; readonly name: string }): string {
  return `${realm} ${name}`
}

/** Drops what the session has for applications, as at a logout. */
export function dropContent(session: Session): void {
  for (const key of [...session.keys()]) if (isContent(key) || key === USERS) session.delete(key)
}

function hasContent(session: Session): boolean {
  for (const key of session.keys()) if (isContent(key)) return true
  return false
}

function isContent(key: string): boolean {
  return key === MANAGED_COOKIES || key.startsWith(SENT_CREDENTIALS)
}

function usersIn(session: Session): Readonly<Record<string, unknown>> {
  const users = session.get(USERS)
  return isPlainObject(users) ? users : {}
}
