import { CACHE_METRICS } from '#cache'
import {
  type AccessTokenResolver,
  AccessTokenResolverKind,
  type AmService,
  AmServiceKind,
  HandlerKind,
  type TokenResolution,
} from '#contracts'
import { Body, type Exchange, formatForm, Headers, Request, Uri } from '#http'
import type { JsonObject } from '#json'
import { atLeastOneOf, config, defineType, type Environment, listOrOne, ref, string, url } from '#schema'
import { cacheAround, OLDER_CACHE_FIELD, withOlderCache } from '../../lib/deprecated-fields/older-cache.ts'
import { AUTHORIZATION_SERVER_EVENTS, AuthorizationServer } from '../../lib/tokens/authorization-server.ts'
import { TOKEN_CACHE_EVENTS } from '../../lib/tokens/cached-resolver.ts'
import { type InfoRules, refusal } from '../../lib/tokens/token-info.ts'
import { type RealmCheck, realmOf } from '../../lib/tokens/token-realm.ts'
import { EVENTS } from '../log-events.ts'

/** Resolves access tokens by introspection (RFC 7662). */
export const TokenIntrospectionAccessTokenResolver = defineType({
  name: 'TokenIntrospectionAccessTokenResolver',
  kind: AccessTokenResolverKind,
  summary: 'Resolves access tokens at the introspection endpoint of an authorization server (RFC 7662).',
  metrics: CACHE_METRICS,
  events: [EVENTS.NO_ACTIVE_TOKEN, ...AUTHORIZATION_SERVER_EVENTS, ...TOKEN_CACHE_EVENTS],
  config: {
    amService: ref(AmServiceKind).optional().meta({
      description:
        'Access manager whose introspection endpoint, in its realm, is used. Takes precedence over endpoint.',
    }),
    endpoint: config(url()).optional().meta({ description: 'Introspection endpoint of the authorization server.' }),
    providerHandler: ref(HandlerKind).default('ForgeRockClientHandler').meta({
      description: 'Sends the requests to the authorization server; filters in it authenticate the gateway.',
    }),
    issuer: config(string({ nonEmpty: true }))
      .optional()
      .meta({
        description: 'Required issuer of a token: `iss` of the response, compared exactly; not checked by default.',
      }),
    audience: listOrOne(config(string({ nonEmpty: true })), { nonEmpty: true })
      .optional()
      .meta({
        description:
          'Required audience of a token, or several of which it needs one: `aud` of the response, or one of its values, compared exactly; not checked by default.',
      }),
    cache: OLDER_CACHE_FIELD,
  },
  rules: [atLeastOneOf('amService', 'endpoint')],
  migrate: cacheAround,
  create({ amService, endpoint, providerHandler, issuer, audience, cache }, env) {
    const uri = amService?.oauth2Uri('introspect') ?? Uri.parse(endpoint as string)
    const server = new AuthorizationServer(providerHandler, env, amService?.callTimeout)
    const rules = { kind: 'introspection', issuer: issuer ?? null, audience: audience ?? null } as const
    const resolver = introspect(uri, server, realmOf(amService), rules)
    return withOlderCache(
      amService === undefined
        ? resolver
        : withInactiveWarning({ ...resolver, accessManagers: [amService] }, amService, env),
      cache,
      env,
    )
  },
})

/**
 * OpenAM returns tokens of other clients as not active, and an agent is a different client: until the first active token a warning
 * names the credentials as the possible reason.
 */
function withInactiveWarning(
  resolver: AccessTokenResolver,
  amService: AmService,
  { logger }: Environment,
): AccessTokenResolver {
  let hasBeenActive = false
  return {
    ...resolver,
    async resolve(token: string, exchange: Exchange): Promise<TokenResolution> {
      const resolution = await resolver.resolve(token, exchange)
      if (resolution.outcome === 'valid') hasBeenActive = true
      if (hasBeenActive || resolution.outcome !== 'invalid') return resolution
      if ((await amService.dialect()).family === 'openam') {
        logger.limited().warn(EVENTS.NO_ACTIVE_TOKEN)
      }
      return resolution
    },
  }
}

const REQUEST_HEADERS: readonly (readonly [string, string])[] = [
  ['Content-Type', 'application/x-www-form-urlencoded'],
  ['Accept', 'application/json'],
]

/** RFC 7662 section 2.1. The token is in the body, so that access logs of URLs do not contain it. */
function introspect(uri: Uri, server: AuthorizationServer, realm: RealmCheck, rules: InfoRules): AccessTokenResolver {
  return {
    async resolve(token: string, exchange: Exchange): Promise<TokenResolution> {
      const body = Body.of(formatForm({ token: [token], token_type_hint: ['access_token'] }))
      const request = new Request({ method: 'POST', uri: uri.clone(), headers: new Headers(REQUEST_HEADERS), body })
      const answer = await server.call(request, exchange)
      if ('outcome' in answer) return answer
      if (answer.status !== 200)
        return server.rejectsClient(answer) ? server.clientRejected(answer) : server.badRequest(answer)
      const info = answer.content as JsonObject
      // Only `true` is active (threats B62).
      if (info['active'] !== true) return refusal('the access token is not active')
      return realm(info) ?? server.resolution(token, info, rules)
    },
  }
}
