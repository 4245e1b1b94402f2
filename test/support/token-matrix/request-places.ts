// Places that judge the token of a request, or a response about it.
import type { ReceivedResponse } from '../send-request.ts'
import { cookiesOf, type Make, newId, type Place, type Surroundings, verdictOf } from './place.ts'
import { claimsOf, compactOf, json } from './specimen.ts'

const ACCESS_TOKEN = 'access token of RFC 9068'

export function requestPlaces(around: Surroundings): readonly Place[] {
  const { gateway, server, keys, resourceId } = around

  const byToken = (
    part: Omit<Place, 'offer' | 'isOfResponse'>,
    send: (token: string) => Promise<ReceivedResponse>,
  ) => ({
    ...part,
    isOfResponse: false,
    offer: async (make: Make) => verdictOf(await send(compactOf(make(), keys))),
  })
  const byBearer = (name: string, path: string) =>
    byToken({ name, row: 'accessToken', own: ACCESS_TOKEN, judges: 'access tokens that are JWTs' }, (token) =>
      gateway.ask(path, { headers: { Authorization: `Bearer ${token}` } }),
    )
  const byHeader = (name: string, row: Place['row'], judges: string, path: string) =>
    byToken({ name, row, own: 'ID token', judges }, (token) => gateway.ask(path, { headers: { token } }))

  /** A place that asks a server about an opaque token: the response has the claims of one, and `members`. */
  const byResponse = (
    part: Omit<Place, 'offer' | 'isOfResponse'>,
    path: string,
    endpoint: string,
    members: (token: string) => Readonly<Record<string, unknown>>,
  ) => ({
    ...part,
    isOfResponse: true,
    offer: async (make: Make) => {
      const token = newId()
      const specimen = make()
      const own = Object.entries(members(token)).map(([name, value]) => [name, json(value)])
      const content = claimsOf({ ...specimen, claims: { ...specimen.claims, ...Object.fromEntries(own) } })
      server.answers.set(`${endpoint} ${token}`, { type: 'application/json', content })
      return verdictOf(await gateway.ask(path, { headers: { Authorization: `Bearer ${token}` } }))
    },
  })
  const response = (name: string, row: Place['row'], judges: string, own = ACCESS_TOKEN) => ({ name, row, judges, own })

  return [
    byBearer('StatelessAccessTokenResolver', '/stateless'),
    byBearer('IssuerAccessTokenResolver', '/issuer'),
    byResponse(
      response('TokenIntrospectionAccessTokenResolver', 'introspection', 'responses of an introspection endpoint'),
      '/introspection',
      '/introspect',
      () => ({ active: true }),
    ),
    byResponse(
      response('OpenAmAccessTokenResolver', 'tokenInfo', 'responses of a tokeninfo endpoint'),
      '/tokeninfo',
      '/tokeninfo',
      (token) => ({ access_token: token, expires_in: 600, scope: ['read'] }),
    ),
    byResponse(
      response(
        'ScriptableAccessTokenResolver',
        'tokenInfo',
        'the result of a script, which here reads it from a response as JSON',
      ),
      '/script',
      '/introspect',
      () => ({}),
    ),
    byResponse(
      response(
        'UmaFilter',
        'requestingPartyToken',
        'responses about requesting party tokens',
        'requesting party token',
      ),
      '/uma',
      '/introspect',
      () => ({ active: true, permissions: [{ resource_id: resourceId, resource_scopes: ['view'] }] }),
    ),
    dpopPlace(around),
    byHeader('IdTokenValidationFilter', 'idToken', 'ID tokens', '/id-token'),
    byHeader('JwtValidationFilter', 'jwt', 'any JWT: its signature and times', '/jwt'),
    byHeader('`verifyJwt` of scripts', 'jwt', 'any JWT: its signature and times', '/verify'),
    agentPlace(around),
  ]
}

/** Proofs of the client, for an access token that is bound to its key. */
function dpopPlace({ gateway, clientKeys, proof }: Surroundings): Place {
  let nonce: string | null = null
  const send = (make: Make) => {
    const specimen = make({ proof: proof('/dpop', 'access', nonce) })
    return gateway.ask('/dpop', { headers: { Authorization: 'DPoP access', DPoP: compactOf(specimen, clientKeys) } })
  }
  return {
    name: 'DpopAccessTokenResolver',
    row: 'dpopProof',
    judges: 'proofs of possession',
    own: 'proof of possession',
    isOfResponse: false,
    offer: async (make) => {
      const answer = await send(make)
      const wanted = answer.headers['dpop-nonce']
      if (nonce !== null || typeof wanted !== 'string') return verdictOf(answer)
      nonce = wanted
      return verdictOf(await send(make))
    },
  }
}

/** The form that an access manager has a browser post, in the login that it began. */
function agentPlace({ gateway, keys, agentPurpose }: Surroundings): Place {
  return {
    name: 'CrossDomainSingleSignOnFilter',
    row: 'agentToken',
    judges: 'tokens of users that an access manager issues to its agent',
    own: 'token of an agent',
    isOfResponse: false,
    offer: async (make) => {
      const begun = await gateway.ask('/agent/page')
      const { searchParams } = new URL(begun.headers.location ?? '')
      const [nonce, state] = ['nonce', 'state'].map((name) => searchParams.get(name) ?? '') as [string, string]
      const form = { id_token: compactOf(make({ ...agentPurpose, nonce, state }), keys), state }
      const headers = { 'Content-Type': 'application/x-www-form-urlencoded', Cookie: cookiesOf(begun) }
      const body = new URLSearchParams(form).toString()
      const answer = await gateway.ask('/agent/redirect', { method: 'POST', headers, body })
      return answer.status === 302 ? 'admitted' : verdictOf(answer)
    },
  }
}
