// Tokens that are bound to a key (DPoP) or a certificate.
import assert from 'node:assert/strict'
import type { Issued } from '#test/certificates'
import { dpopClient } from '#test/dpop-client'
import { audienceMapper, client, passwordOf, secretOf } from '../realm.ts'
import { resourceRoute, wellKnown } from '../routes.ts'
import { secureRequest } from '../secure-request.ts'
import { type Part, type Peers, REALM } from '../suite.ts'
import { bearer, tokenRequest, tokensOf } from '../tokens.ts'

const tokenPath = `/realms/${REALM}/protocol/openid-connect/token`

export const boundTokens: Part = {
  clients: (at) => [
    client(at, 'proving', {
      protocolMappers: [audienceMapper('bound')],
      attributes: { 'dpop.bound.access.tokens': 'true' },
    }),
    client(at, 'certified', {
      protocolMappers: [audienceMapper('bound')],
      attributes: { 'tls.client.certificate.bound.access.tokens': 'true' },
    }),
    client(at, 'unbound', { protocolMappers: [audienceMapper('bound')] }),
  ],
  routes: (at) => {
    const delegate = {
      type: 'StatelessAccessTokenResolver',
      config: { wellKnownEndpoint: wellKnown(at.provider), issuer: at.issuer, audience: 'bound', tokenTypes: ['JWT'] },
    }
    return {
      dpop: resourceRoute('/dpop', { type: 'DpopAccessTokenResolver', config: { delegate } }),
      certificate: resourceRoute('/certificate', {
        type: 'ConfirmationKeyVerifierAccessTokenResolver',
        config: { delegate },
      }),
      'without-binding': resourceRoute('/without-binding', delegate),
    }
  },
  flows: [
    {
      name: 'a DPoP token is admitted with a proof of its key alone',
      run: async (peers) => {
        const { at, gateway } = peers
        const [owner, thief] = [await dpopClient(), await dpopClient()]
        const proof = await owner.prove({
          method: 'POST',
          uri: `${peers.keycloak.url}${tokenPath}`,
          claims: { ath: undefined },
        })
        const grant = { grant_type: 'password', username: 'alice', password: passwordOf('alice') }
        const { access_token: token, token_type: type } = await tokenRequest(peers, 'proving', grant, { dpop: proof })
        assert.equal(type, 'DPoP')
        const uri = `${at.internalApp}/dpop`
        const ask = async (prover: typeof owner, nonce?: string): Promise<string> => {
          const dpop = await prover.prove({ uri, token, claims: { nonce } })
          const { status, headers } = await gateway.ask('/dpop', { headers: { authorization: `DPoP ${token}`, dpop } })
          const next = headers['dpop-nonce']
          if (nonce === undefined && typeof next === 'string' && status === 401) return ask(prover, next)
          return `${status} ${headers['www-authenticate'] ?? ''}`.trim()
        }
        assert.equal(await ask(owner), '200')
        assert.match(await ask(thief), /^401 .*invalid_dpop_proof/)
        assert.equal((await gateway.ask('/dpop', bearer(token))).status, 401)
        assert.equal((await gateway.ask('/without-binding', bearer(token))).status, 401)
      },
    },
    {
      name: 'a certificate-bound token is admitted over the connection of its certificate alone',
      run: async (peers) => {
        const { owner, thief } = peers.keycloak
        const token = await certifiedToken(peers, owner)
        assert.equal(await statusWithCertificate(peers, owner, token), 200)
        assert.equal(await statusWithCertificate(peers, thief, token), 401)
        assert.equal((await peers.gateway.ask('/certificate', bearer(token))).status, 401)
        assert.equal((await peers.gateway.ask('/without-binding', bearer(token))).status, 401)
        const { access_token: free } = await tokensOf(peers, 'unbound')
        assert.equal((await peers.gateway.ask('/without-binding', bearer(free))).status, 200)
      },
    },
  ],
}

async function certifiedToken({ keycloak }: Peers, { key, certificate }: Issued): Promise<string> {
  const form = new URLSearchParams({
    client_id: 'certified',
    client_secret: secretOf('certified'),
    grant_type: 'client_credentials',
  })
  const { text } = await secureRequest(
    `${keycloak.secureUrl}${tokenPath}`,
    { key, cert: certificate, method: 'POST' },
    form,
  )
  const { access_token: token } = JSON.parse(text) as { access_token?: string }
  assert.ok(token !== undefined, text)
  return token
}

async function statusWithCertificate({ at }: Peers, { key, certificate }: Issued, token: string): Promise<number> {
  const { hostname, port } = new URL(at.secureApp)
  const url = `https://127.0.0.1:${port}/certificate`
  const headers = { ...bearer(token).headers, host: `${hostname}:${port}` }
  return (await secureRequest(url, { key, cert: certificate, headers })).status
}
