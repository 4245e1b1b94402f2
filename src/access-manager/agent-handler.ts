import { type Exchange, type Handler, type Response, reasonPhrase, respond } from '#http'
import type { Counter } from '#schema'
import type { AgentSession } from './agent-session.ts'

interface AgentHandlerSettings {
  readonly handler: Handler
  readonly session: Pick<AgentSession, 'token' | 'renewed'>
  readonly replays: Counter
  cookieName(): Promise<string>
}

/**
 * Sends requests with the agent's session. On 401 the agent logs in once, and the request is repeated if its body is empty or
 * buffered; 403 is a missing privilege, which a login does not change.
 */
export function asAgent({ handler, session, cookieName, replays }: AgentHandlerSettings): Handler {
  return async (exchange) => {
    let name: string
    let token: string
    try {
      name = await cookieName()
      token = await session.token()
    } catch (error) {
      return unavailable(error)
    }
    const { body } = exchange.request
    const mayRepeat = body.isEmpty || body.isBuffered
    const response = await handler(withToken(exchange, name, token))
    if (response.status !== 401) return response
    try {
      const fresh = await session.renewed(token)
      if (!mayRepeat) return response
      token = fresh
    } catch (error) {
      response.body.cancel()
      return unavailable(error)
    }
    response.body.cancel()
    replays.add()
    return handler(withToken(exchange, name, token))
  }
}

/** On a copy: a repeated request must not have the old token, nor the caller's request any. */
function withToken(exchange: Exchange, name: string, token: string): Exchange {
  const request = exchange.request.clone()
  request.headers.set(name, token)
  if (!request.headers.has('accept-api-version')) request.headers.set('Accept-API-Version', 'protocol=1.0')
  return exchange.withRequest(request)
}

function unavailable(error: unknown): Response {
  const response = respond(503, { 'Cache-Control': 'no-store' }, reasonPhrase(503))
  response.cause = error instanceof Error ? error : new Error(String(error))
  return response
}
