// Access tokens by signature: which tokens are access tokens, audience, roles.
import assert from 'node:assert/strict'
import { audienceMapper, client } from '../realm.ts'
import { resourceRoute, wellKnown } from '../routes.ts'
import type { Part } from '../suite.ts'
import { bearer, tokensOf } from '../tokens.ts'

const audience = 'shop-api'

export const accessTokens: Part = {
  clients: (at) => [
    client(at, 'buying', { protocolMappers: [audienceMapper(audience)] }),
    client(at, 'buying-rfc9068', {
      protocolMappers: [audienceMapper(audience)],
      attributes: { 'access.token.header.type.rfc9068': 'true' },
    }),
    client(at, 'elsewhere'),
  ],
  routes: (at) => {
    const stateless = (config: object): object => ({
      type: 'StatelessAccessTokenResolver',
      config: { wellKnownEndpoint: wellKnown(at.provider), issuer: at.issuer, audience, ...config },
    })
    return {
      'signed-jwt': resourceRoute('/signed-jwt', stateless({ tokenTypes: ['JWT'] })),
      'signed-at-jwt': resourceRoute('/signed-at-jwt', stateless({})),
      'signed-roles': resourceRoute(
        '/signed-roles',
        stateless({ tokenTypes: ['JWT'], scopeClaim: '/realm_access/roles' }),
        { scopes: ['buyer'] },
      ),
    }
  },
  flows: [
    {
      name: 'a signed access token is admitted by audience, with tokenTypes JWT',
      run: async (peers) => {
        const { access_token: token } = await tokensOf(peers, 'buying')
        const answer = await peers.gateway.ask('/signed-jwt', bearer(token))
        assert.equal(answer.status, 200, answer.headers['www-authenticate'] ?? '')
        assert.match(answer.text, /^[0-9a-f-]{36}$/)
        assert.equal((await peers.gateway.ask('/signed-at-jwt', bearer(token))).status, 401)
      },
    },
    {
      name: 'a signed access token of type at+jwt is admitted without tokenTypes',
      run: async (peers) => {
        const { access_token: token } = await tokensOf(peers, 'buying-rfc9068')
        assert.equal((await peers.gateway.ask('/signed-at-jwt', bearer(token))).status, 200)
      },
    },
    {
      name: 'an access token for another audience gets 401',
      run: async (peers) => {
        const { access_token: token } = await tokensOf(peers, 'elsewhere')
        const answer = await peers.gateway.ask('/signed-jwt', bearer(token))
        assert.equal(answer.status, 401)
        assert.match(answer.headers['www-authenticate'] ?? '', /error="invalid_token"/)
      },
    },
    {
      name: 'realm roles serve as scopes by scopeClaim',
      run: async (peers) => {
        const [alice, bob] = [await tokensOf(peers, 'buying', 'alice'), await tokensOf(peers, 'buying', 'bob')]
        assert.equal((await peers.gateway.ask('/signed-roles', bearer(alice.access_token))).status, 200)
        assert.equal((await peers.gateway.ask('/signed-roles', bearer(bob.access_token))).status, 403)
      },
    },
    {
      name: 'ID tokens and refresh tokens are refused as access tokens',
      run: async (peers) => {
        const { id_token: id, refresh_token: refresh } = await tokensOf(peers, 'buying')
        for (const token of [id, refresh])
          assert.equal((await peers.gateway.ask('/signed-jwt', bearer(token as string))).status, 401)
      },
    },
  ],
}
