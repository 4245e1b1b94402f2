import { FilterKind, HandlerKind, SecretsProviderKind } from '#contracts'
import { chain, type Exchange, type Filter, type Handler, type Response, respond } from '#http'
import { config, defineType, list, needs, ref, secretId, string, url } from '#schema'
import { basicAuthentication } from '../../lib/oauth2-client/basic-credentials.ts'
import { requestToken } from '../../lib/oauth2-client/token-request.ts'
import { KeptToken, type NoToken } from './kept-token.ts'

const FILTERS = 'use a filter such as ClientSecretBasicAuthenticationFilter in endpointHandler instead'

/** Gives requests a token of the gateway itself. */
export const ClientCredentialsOAuth2ClientFilter = defineType({
  name: 'ClientCredentialsOAuth2ClientFilter',
  kind: FilterKind,
  summary: 'Gets an access token for the gateway itself and sends it with each request.',
  config: {
    tokenEndpoint: config(url()).meta({ description: 'URL of the token endpoint of the authorization server.' }),
    scopes: list(config(string({ nonEmpty: true })))
      .prefault([])
      .meta({ description: 'Scopes that are asked for; none by default.' }),
    endpointHandler: ref(HandlerKind).prefault('ForgeRockClientHandler').meta({
      description: 'Handler that sends the request for a token; a filter in it authenticates the gateway.',
    }),
    secretsProvider: ref(SecretsProviderKind)
      .optional()
      .meta({ description: 'Provider of the secret of `clientSecretId`.' }),
    clientId: config(string({ nonEmpty: true }))
      .optional()
      .meta({ description: 'The `client_id`; sent in the form where there is no `clientSecretId`.' }),
    clientSecretId: config(secretId())
      .optional()
      .meta({ description: 'Secret ID of the client secret, sent by client_secret_basic.', replacement: FILTERS }),
  },
  renamed: { handler: 'endpointHandler' },
  rules: [needs('clientSecretId', 'clientId', 'secretsProvider')],
  check: ({ scopes }, report) => {
    for (const [at, scope] of scopes.entries()) {
      if (!SCOPE.test(scope)) report(`/scopes/${at}`, 'expected one scope: printable ASCII without space, " and \\')
    }
  },
  create: (settings, env) => {
    const { tokenEndpoint, scopes, endpointHandler, clientId, clientSecretId, secretsProvider } = settings
    const authenticates = clientId !== undefined && clientSecretId !== undefined && secretsProvider !== undefined
    const authentication = authenticates
      ? [
          basicAuthentication({
            username: clientId,
            passwordSecretId: clientSecretId,
            secretsProvider,
            encoding: 'form',
          }),
        ]
      : []
    const handler: Handler = chain(authentication, endpointHandler)
    const fields = {
      grant_type: 'client_credentials',
      ...(scopes.length > 0 && { scope: scopes.join(' ') }),
      ...(clientId !== undefined && !authenticates && { client_id: clientId }),
    }
    const token = new KeptToken({
      clock: env.clock,
      logger: env.logger,
      fetches: env.metrics.counter('gw_oauth2_client_token_requests_total', 'requests to token endpoints', {
        name: env.localName,
      }),
      fetch: () => requestToken({ endpoint: tokenEndpoint, handler, fields, onBehalfOf: null }),
    })
    return bearToken(token)
  },
})

/** RFC 6749 section 3.3. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/

/** Sends each request with the token; once more with a new one where a service does not accept it. */
export function bearToken(tokens: KeptToken): Filter {
  return async (exchange, next) => {
    const token = await tokens.get()
    if (typeof token !== 'string') return without(token)
    const response = await next(withToken(exchange, token))
    if (response.status !== 401 || !tokens.refused(token)) return response
    // A body that has gone by can not be sent again; the next request will find the new token.
    if (!exchange.request.body.isBuffered || exchange.aborted) return response
    const other = await tokens.get()
    if (typeof other !== 'string' || other === token) return response
    response.body.cancel()
    return next(withToken(exchange, other))
  }
}

function withToken(exchange: Exchange, token: string): Exchange {
  const request = exchange.request.clone()
  request.headers.set('Authorization', `Bearer ${token}`)
  return exchange.withRequest(request)
}

/** The client can do nothing about it: never 401 or 403 (spec gap 167). */
function without({ status }: NoToken): Response {
  return status === 503 ? respond(503, { 'Retry-After': '1' }) : respond(status)
}
