import { CACHE_METRICS } from '#cache'
import {
  type AccessTokenResolver,
  AccessTokenResolverKind,
  AmServiceKind,
  HandlerKind,
  type TokenResolution,
} from '#contracts'
import { type Exchange, formatForm, Headers, Request, Uri } from '#http'
import { type JsonObject, numberValue } from '#json'
import { atLeastOneOf, config, defineType, ref, url } from '#schema'
import { reportSharedRealms, sharedRealmsField } from '../../lib/am/shared-realms.ts'
import { cacheAround, OLDER_CACHE_FIELD, withOlderCache } from '../../lib/deprecated-fields/older-cache.ts'
import { AUTHORIZATION_SERVER_EVENTS, AuthorizationServer } from '../../lib/tokens/authorization-server.ts'
import { TOKEN_CACHE_EVENTS } from '../../lib/tokens/cached-resolver.ts'
import { type RealmCheck, realmOf, realmOfEndpoint } from '../../lib/tokens/token-realm.ts'

/** Resolves tokens by the tokeninfo endpoint of OpenAM, which is older than RFC 7662. */
export const OpenAmAccessTokenResolver = defineType({
  name: 'OpenAmAccessTokenResolver',
  kind: AccessTokenResolverKind,
  summary: 'Resolves access tokens at the tokeninfo endpoint of an OpenAM server.',
  replacement: 'use TokenIntrospectionAccessTokenResolver instead',
  metrics: CACHE_METRICS,
  events: [...AUTHORIZATION_SERVER_EVENTS, ...TOKEN_CACHE_EVENTS],
  config: {
    amService: ref(AmServiceKind).optional().meta({
      description: 'Access manager whose tokeninfo endpoint, in its realm, is used. Takes precedence over endpoint.',
    }),
    endpoint: config(url()).optional().meta({
      description: 'The tokeninfo endpoint, such as `https://am.example.com/openam/oauth2/tokeninfo`.',
    }),
    sharedRealms: sharedRealmsField(
      'With `endpoint`: realms whose tokens count besides those of the realm that its path or query names; `*` for all.',
    ),
    providerHandler: ref(HandlerKind)
      .default('ForgeRockClientHandler')
      .meta({ description: 'Sends the requests to the server.' }),
    cache: OLDER_CACHE_FIELD,
  },
  rules: [atLeastOneOf('amService', 'endpoint')],
  check: ({ sharedRealms }, report) => reportSharedRealms(sharedRealms, report),
  migrate: cacheAround,
  create: ({ amService, endpoint, sharedRealms, providerHandler, cache }, env) => {
    const uri = amService?.oauth2Uri('tokeninfo') ?? Uri.parse(endpoint as string)
    const realm = amService === undefined ? realmOfEndpoint(uri, sharedRealms) : realmOf(amService)
    const resolver = readTokenInfo(uri, new AuthorizationServer(providerHandler, env, amService?.callTimeout), realm)
    return withOlderCache(amService === undefined ? resolver : { ...resolver, accessManagers: [amService] }, cache, env)
  },
})

function readTokenInfo(endpoint: Uri, server: AuthorizationServer, realm: RealmCheck): AccessTokenResolver {
  return {
    async resolve(token: string, exchange: Exchange): Promise<TokenResolution> {
      const headers = new Headers([['Accept', 'application/json']])
      const answer = await server.call(
        new Request({ method: 'GET', uri: requestUri(endpoint, token), headers }),
        exchange,
      )
      if ('outcome' in answer) return answer
      const { status, content } = answer
      if (status !== 200) return content?.['error'] === 'invalid_token' ? NOT_ACTIVE : server.badRequest(answer)
      const info = content as JsonObject
      const problem = problemOf(info, token)
      if (problem !== null) return server.unavailable(problem)
      return realm(info) ?? server.resolution(token, info, { kind: 'tokenInfo' })
    },
  }
}

const NOT_ACTIVE: TokenResolution = { outcome: 'invalid', description: 'The access token is not active.' }

function requestUri(endpoint: Uri, token: string): Uri {
  const uri = endpoint.clone()
  const before = uri.rawQuery ?? ''
  uri.rawQuery = `${before === '' ? '' : `${before}&`}${formatForm({ access_token: [token] })}`
  return uri
}

/** The endpoint has no `active`: members that a valid token always has are required. */
function problemOf(info: JsonObject, token: string): string | null {
  if (info['access_token'] !== token) return 'the answer does not speak of the token that was asked about'
  if (numberValue(info['expires_in']) === null) return 'the answer has no expires_in'
  // A list, or for a signed token the text of its claim.
  const { scope } = info
  return Array.isArray(scope) || typeof scope === 'string' ? null : 'the answer has no scopes'
}
