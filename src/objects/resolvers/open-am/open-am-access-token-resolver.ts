import { type AccessTokenResolver, AccessTokenResolverKind, HandlerKind, type TokenResolution } from '#contracts'
import { type Exchange, formatForm, Headers, Request, Uri } from '#http'
import { type JsonObject, numberValue } from '#json'
import { type Clock, config, defineType, ref, url } from '#schema'
import { AuthorizationServer } from '../../lib/access-token/authorization-server.ts'
import { resolutionOf } from '../../lib/access-token/token-info.ts'

/** Asks the endpoint that OpenAM had before there was a standard. */
export const OpenAmAccessTokenResolver = defineType({
  name: 'OpenAmAccessTokenResolver',
  kind: AccessTokenResolverKind,
  summary: 'Resolves access tokens at the tokeninfo endpoint of an OpenAM server.',
  replacement: 'use TokenIntrospectionAccessTokenResolver instead',
  config: {
    endpoint: config(url()).meta({
      description: 'The tokeninfo endpoint, such as `https://am.example.com/openam/oauth2/tokeninfo`.',
    }),
    providerHandler: ref(HandlerKind)
      .prefault('ForgeRockClientHandler')
      .meta({ description: 'Sends the requests to the server.' }),
  },
  create: ({ endpoint, providerHandler }, env) =>
    readTokenInfo(Uri.parse(endpoint), new AuthorizationServer(providerHandler, env), env.clock),
})

function readTokenInfo(endpoint: Uri, server: AuthorizationServer, clock: Clock): AccessTokenResolver {
  return {
    async resolve(token: string, exchange: Exchange): Promise<TokenResolution> {
      const headers = new Headers([['Accept', 'application/json']])
      const answer = await server.ask(new Request({ method: 'GET', uri: asking(endpoint, token), headers }), exchange)
      if ('outcome' in answer) return answer
      const { status, content } = answer
      if (status !== 200) return content?.['error'] === 'invalid_token' ? DEAD : server.misasked(answer)
      const info = content as JsonObject
      const problem = problemOf(info, token)
      return problem === null ? resolutionOf(token, info, clock.now()) : server.unavailable(problem)
    },
  }
}

const DEAD: TokenResolution = { outcome: 'invalid', description: 'The access token is not active.' }

function asking(endpoint: Uri, token: string): Uri {
  const uri = endpoint.clone()
  const before = uri.rawQuery ?? ''
  uri.rawQuery = `${before === '' ? '' : `${before}&`}${formatForm({ access_token: [token] })}`
  return uri
}

/** This endpoint has no word for "active": what it always says of a good token has to be there. */
function problemOf(info: JsonObject, token: string): string | null {
  if (info['access_token'] !== token) return 'the answer does not speak of the token that was asked about'
  if (numberValue(info['expires_in']) === null) return 'the answer has no expires_in'
  return Array.isArray(info['scope']) ? null : 'the answer has no list of scopes'
}
