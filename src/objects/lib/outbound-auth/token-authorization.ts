import { HandlerKind } from '#contracts'
import { type Exchange, type Filter, type Response, respond } from '#http'
import { config, type Environment, list, ref, string, url } from '#schema'
import { recordResponse } from '../audit/decisions.ts'
import type { ClientToken, TokenUnavailable } from './client-token.ts'

/** RFC 6749 section 3.3. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/

/** The field `endpointHandler` of filters that request tokens. */
export const ENDPOINT_HANDLER_FIELD = ref(HandlerKind).default('ForgeRockClientHandler').meta({
  description: 'Handler that sends the token request; a filter in it authenticates the gateway.',
})

/** Fields of filters that request tokens for the gateway itself. */
export const TOKEN_REQUEST_FIELDS = {
  tokenEndpoint: config(url()).meta({ description: 'URL of the token endpoint of the authorization server.' }),
  scopes: list(config(string({ nonEmpty: true })))
    .default([])
    .meta({ description: 'Requested scopes; none by default.' }),
  endpointHandler: ENDPOINT_HANDLER_FIELD,
}

/** Reports syntactically invalid scopes. */
export function checkScopes(scopes: readonly string[], report: (path: string, message: string) => void): void {
  for (const [at, scope] of scopes.entries()) {
    if (!SCOPE.test(scope)) report(`/scopes/${at}`, 'expected one scope: printable ASCII without space, " and \\')
  }
}

/** Sends each request with the token, and again with a new token after a 401 response. */
export function authorizeWithToken(tokens: ClientToken, env: Pick<Environment, 'name'>): Filter {
  return async (exchange, next) => {
    const credentials = await tokens.get()
    if (typeof credentials !== 'string') {
      const response = without(credentials)
      recordResponse(exchange, env, response, 'no token for the upstream')
      return response
    }
    const response = await next(withCredentials(exchange, credentials))
    if (response.status !== 401 || !tokens.rejected(credentials)) return response
    // A streamed body can not be sent again; the next request uses the new token.
    if (!exchange.request.body.isBuffered || exchange.aborted) return response
    const other = await tokens.get()
    if (typeof other !== 'string' || other === credentials) return response
    response.body.cancel()
    return next(withCredentials(exchange, other))
  }
}

function withCredentials(exchange: Exchange, credentials: string): Exchange {
  const request = exchange.request.clone()
  request.headers.set('Authorization', credentials)
  return exchange.withRequest(request)
}

/** Never 401 or 403: the client can not correct it (spec gap 167). */
function without({ status }: TokenUnavailable): Response {
  return status === 503 ? respond(503, { 'Retry-After': '1' }) : respond(status)
}
