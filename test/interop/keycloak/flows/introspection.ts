// Access tokens by introspection.
import assert from 'node:assert/strict'
import { audienceMapper, client, secretOf } from '../realm.ts'
import { resourceRoute } from '../routes.ts'
import type { Addresses, Part } from '../suite.ts'
import { bearer, tokenRequest, tokensOf } from '../tokens.ts'

const route = (at: Addresses, path: string, clientId: string, clientSecretId = clientId): object =>
  resourceRoute(
    path,
    {
      type: 'TokenIntrospectionAccessTokenResolver',
      config: {
        endpoint: `${at.provider}/protocol/openid-connect/token/introspect`,
        providerHandler: {
          type: 'Chain',
          config: {
            filters: [
              {
                type: 'ClientSecretBasicAuthenticationFilter',
                config: { clientId, clientSecretId, secretsProvider: 'secrets' },
              },
            ],
            handler: 'ClientHandler',
          },
        },
      },
    },
    { scopes: ['email'] },
  )

export const introspection: Part = {
  clients: (at) => [
    client(at, 'api'),
    client(at, 'stranger'),
    client(at, 'caller', { protocolMappers: [audienceMapper('api')] }),
    client(at, 'light-caller', {
      protocolMappers: [audienceMapper('api')],
      attributes: { 'client.use.lightweight.access.token.enabled': 'true' },
    }),
  ],
  routes: (at) => ({
    introspected: route(at, '/introspected', 'api'),
    'introspected-by-stranger': route(at, '/introspected-by-stranger', 'stranger'),
    'introspected-badly': route(at, '/introspected-badly', 'api', 'stranger'),
  }),
  flows: [
    {
      name: 'introspection admits an access token whose audience is the introspecting client',
      run: async (peers) => {
        const { access_token: token } = await tokensOf(peers, 'caller')
        const answer = await peers.gateway.ask('/introspected', bearer(token))
        assert.equal(answer.status, 200, answer.headers['www-authenticate'] ?? '')
        assert.equal((await peers.gateway.ask('/introspected-by-stranger', bearer(token))).status, 401)
      },
    },
    {
      name: 'introspection refuses a token of an ended session',
      run: async (peers) => {
        const { access_token: token, refresh_token: refresh } = await tokensOf(peers, 'caller')
        assert.equal((await peers.gateway.ask('/introspected', bearer(token))).status, 200)
        const { keycloak } = peers
        const ended = await fetch(`${keycloak.url}/realms/shop/protocol/openid-connect/logout`, {
          method: 'POST',
          body: new URLSearchParams({
            client_id: 'caller',
            client_secret: secretOf('caller'),
            refresh_token: refresh as string,
          }),
        })
        assert.equal(ended.status, 204)
        assert.equal((await peers.gateway.ask('/introspected', bearer(token))).status, 401)
      },
    },
    {
      name: 'introspection of a lightweight access token fills in audience and subject',
      run: async (peers) => {
        const { access_token: token } = await tokensOf(peers, 'light-caller')
        const answer = await peers.gateway.ask('/introspected', bearer(token))
        assert.equal(answer.status, 200, answer.headers['www-authenticate'] ?? '')
        assert.match(answer.text, /^[0-9a-f-]{36}$/)
      },
    },
    {
      name: 'an introspection client that is refused is 503, logged as a fault of the configuration',
      run: async (peers) => {
        const { access_token: token } = await tokenRequest(peers, 'caller', { grant_type: 'client_credentials' })
        const from = peers.gateway.log.lines.length
        const answer = await peers.gateway.ask('/introspected-badly', bearer(token))
        assert.equal(answer.status, 503)
        await peers.gateway.log.until(/"level":"(?:warn|error)".*introspect/, from)
      },
    },
  ],
}
