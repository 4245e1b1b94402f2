import type { AmService, AmSession } from '#contracts'
import type { Exchange } from '#http'
import type { Runtime } from '#schema'
import { MAX_CANDIDATES } from '../sessions/nested-cookie.ts'

/** Tokens that are valid in a header field, in which they are sent to the access manager. */
const TOKEN = /^[\x21-\x7e]{1,8192}$/

/** A session of the access manager with its token. */
interface FoundSession {
  readonly token: string
  readonly session: AmSession
}

/** The session token of an expression, where one is configured, else those in cookies of the request. */
export async function sessionTokensFor(
  exchange: Exchange,
  amService: AmService,
  expression: Runtime<string> | null,
): Promise<readonly string[]> {
  if (expression === null) return sessionTokensOf(exchange, await amService.cookieName())
  const token = await expression(exchange)
  return token === null ? [] : [token]
}

/** The session tokens in cookies of the request, in its order; a browser sends one for each path and domain of a name. */
export function sessionTokensOf(exchange: Exchange, cookieName: string): readonly string[] {
  const tokens = new Set<string>()
  for (const { value } of exchange.request.cookies[cookieName] ?? []) {
    if (TOKEN.test(value) && tokens.size < MAX_CANDIDATES) tokens.add(value)
  }
  return [...tokens]
}

/** The first session of some tokens, looked up one after the other: the cookie of a session that has ended may come before the current one. */
export async function firstSessionOf(amService: AmService, tokens: readonly string[]): Promise<FoundSession | null> {
  for (const token of tokens) {
    const session = await amService.sessions.find(token)
    if (session !== null) return { token, session }
  }
  return null
}
