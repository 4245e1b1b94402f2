// Tokens that the gateway gets for itself or in exchange, for services behind it.
import assert from 'node:assert/strict'
import { decodeJwt } from 'jose'
import { audienceMapper, client, passwordOf } from '../realm.ts'
import { chain, SECRETS } from '../routes.ts'
import type { Addresses, Part } from '../suite.ts'
import { bearer, tokensOf } from '../tokens.ts'

const asClient = (clientId: string): object =>
  chain(
    [
      {
        type: 'ClientSecretBasicAuthenticationFilter',
        config: { clientId, clientSecretId: clientId, secretsProvider: 'secrets' },
      },
    ],
    'ForgeRockClientHandler',
  )

const tokenEndpoint = (at: Addresses): string => `${at.provider}/protocol/openid-connect/token`

const route = (at: Addresses, name: string, filters: readonly object[]): object => ({
  name,
  condition: `\${request.uri.path == '/${name}'}`,
  baseURI: at.application,
  heap: [SECRETS],
  handler: chain(filters, 'ReverseProxyHandler'),
})

export const tokenExchange: Part = {
  clients: (at) => [
    client(at, 'exchanging', { attributes: { 'standard.token.exchange.enabled': 'true' } }),
    client(at, 'exchange-caller', {
      // Keycloak exchanges tokens for clients in their audience alone; the wanted audience is one of the requester.
      protocolMappers: [audienceMapper('exchanging')],
    }),
    client(at, 'exchange-target'),
  ],
  files: () => ({ 'secrets/technical.password': passwordOf('bob') }),
  routes: (at) => ({
    exchanged: route(at, 'exchanged', [
      {
        type: 'OAuth2TokenExchangeFilter',
        config: {
          subjectToken: "${split(request.headers['Authorization'][0], ' ')[1]}",
          endpoint: tokenEndpoint(at),
          scopes: ['email'],
          endpointHandler: asClient('exchanging'),
          cache: { enabled: true },
        },
      },
      {
        type: 'HeaderFilter',
        config: {
          messageType: 'REQUEST',
          replace: { Authorization: ['Bearer ${contexts.oauth2TokenExchange.issuedToken}'] },
        },
      },
    ]),
    'resource-owner': route(at, 'resource-owner', [
      {
        type: 'ResourceOwnerOAuth2ClientFilter',
        config: {
          tokenEndpoint: tokenEndpoint(at),
          username: 'bob',
          passwordSecretId: 'technical.password',
          secretsProvider: 'secrets',
          endpointHandler: asClient('exchange-target'),
        },
      },
    ]),
    'client-credentials': route(at, 'client-credentials', [
      {
        type: 'ClientCredentialsOAuth2ClientFilter',
        config: { tokenEndpoint: tokenEndpoint(at), endpointHandler: asClient('exchange-target') },
      },
    ]),
  }),
  flows: [
    {
      name: 'token exchange: the application gets a token of the gateway for the user, ten requests cause one exchange',
      run: async (peers) => {
        const { access_token: token } = await tokensOf(peers, 'exchange-caller')
        const exchanges = await peers.relay.count('/token', async () => {
          for (let each = 0; each < 10; each += 1) {
            const answer = await peers.gateway.ask('/exchanged', bearer(token))
            assert.equal(answer.status, 200, answer.text)
            const claims = decodeJwt(tokenIn(answer.text))
            assert.deepEqual([claims['azp'], claims['preferred_username']], ['exchanging', 'alice'])
          }
        })
        assert.equal(exchanges, 1)
      },
    },
    {
      name: 'token exchange of an unknown token is 403',
      run: async (peers) => {
        const answer = await peers.gateway.ask('/exchanged', bearer('no-token'))
        assert.equal(answer.status, 403)
      },
    },
    ...(['resource-owner', 'client-credentials'] as const).map((name) => ({
      name: `${name}: the gateway gets a token and caches it`,
      run: async (peers: Parameters<Part['flows'][number]['run']>[0]) => {
        const requests = await peers.relay.count('/token', async () => {
          for (let each = 0; each < 5; each += 1) {
            const answer = await peers.gateway.ask(`/${name}`)
            assert.equal(answer.status, 200, answer.text)
            assert.equal(decodeJwt(tokenIn(answer.text))['azp'], 'exchange-target')
          }
        })
        assert.equal(requests, 1)
      },
    })),
  ],
}

/** The bearer token that the application got. */
function tokenIn(headers: string): string {
  return (JSON.parse(headers) as { authorization: string }).authorization.slice('Bearer '.length)
}
