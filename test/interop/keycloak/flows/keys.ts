// Keys of the provider: rotation, and unknown key names.
import assert from 'node:assert/strict'
import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { decodeJwt, decodeProtectedHeader, SignJWT } from 'jose'
import { HTML_ERROR } from '../../relay.ts'
import { audienceMapper, client } from '../realm.ts'
import { resourceRoute, wellKnown } from '../routes.ts'
import { type Part, REALM } from '../suite.ts'
import { bearer, tokensOf } from '../tokens.ts'

export const keys: Part = {
  clients: (at) => [client(at, 'rotating', { protocolMappers: [audienceMapper('rotating')] })],
  routes: (at) => ({
    rotating: resourceRoute('/rotating', {
      type: 'StatelessAccessTokenResolver',
      config: {
        wellKnownEndpoint: wellKnown(at.provider),
        issuer: at.issuer,
        audience: 'rotating',
        tokenTypes: ['JWT'],
      },
    }),
    recovering: resourceRoute('/recovering', {
      type: 'StatelessAccessTokenResolver',
      config: {
        wellKnownEndpoint: wellKnown(at.provider),
        issuer: at.issuer,
        audience: 'rotating',
        tokenTypes: ['JWT'],
      },
    }),
  }),
  flows: [
    {
      name: 'an unavailable provider at the first token is 503; tokens pass within two seconds of its recovery',
      run: async (peers) => {
        const { access_token: token } = await tokensOf(peers, 'rotating')
        const status = async (): Promise<number> => (await peers.gateway.ask('/recovering', bearer(token))).status
        await peers.relay.failing(HTML_ERROR, async () => {
          for (let each = 0; each < 5; each += 1) assert.equal(await status(), 503)
        })
        await new Promise((resolve) => setTimeout(resolve, 2000))
        assert.equal(await status(), 200)
      },
    },
    {
      name: 'after a key rotation tokens of the old and of the new key are admitted',
      run: async (peers) => {
        const { access_token: before } = await tokensOf(peers, 'rotating')
        assert.equal((await peers.gateway.ask('/rotating', bearer(before))).status, 200)
        await peers.admin.post(`/${REALM}/components`, {
          name: 'newer',
          providerId: 'rsa-generated',
          providerType: 'org.keycloak.keys.KeyProvider',
          config: { priority: ['200'], keySize: ['2048'] },
        })
        const { access_token: after } = await tokensOf(peers, 'rotating')
        assert.notEqual(decodeProtectedHeader(after).kid, decodeProtectedHeader(before).kid)
        assert.equal((await peers.gateway.ask('/rotating', bearer(after))).status, 200)
        assert.equal((await peers.gateway.ask('/rotating', bearer(before))).status, 200)
      },
    },
    {
      name: 'fifty unknown key names cause at most five requests; valid tokens pass meanwhile, forged ones never',
      run: async (peers) => {
        const { access_token: good } = await tokensOf(peers, 'rotating')
        const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
        const forge = (): Promise<string> =>
          new SignJWT(decodeJwt(good))
            .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid: randomUUID() })
            .sign(privateKey)
        const keyRequests = await peers.relay.count('/certs', async () => {
          const statuses = new Set<number>()
          for (let each = 0; each < 50; each += 1) {
            const answer = await peers.gateway.ask('/rotating', bearer(await forge()))
            statuses.add(answer.status)
            if (answer.status === 503) assert.ok(answer.headers['retry-after'] !== undefined)
            if (each % 10 === 0) assert.equal((await peers.gateway.ask('/rotating', bearer(good))).status, 200)
          }
          assert.ok(
            [...statuses].every((status) => status === 401 || status === 503),
            [...statuses].join(),
          )
        })
        assert.ok(keyRequests <= 5, `${keyRequests} requests for keys`)
      },
    },
  ],
}
