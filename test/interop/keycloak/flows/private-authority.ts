// Keycloak over TLS with a certificate of a private authority, and by two names.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { BrowserLike } from '#test/browser-like'
import { logIn } from '../login-pages.ts'
import { audienceMapper, client } from '../realm.ts'
import { loginRoute, publicEndpoints, resourceRoute, wellKnown } from '../routes.ts'
import type { Part } from '../suite.ts'
import { bearer, tokensOf } from '../tokens.ts'

export const privateAuthority: Part = {
  clients: (at) => [
    client(at, 'private', { protocolMappers: [audienceMapper('private')] }),
    client(at, 'private-login'),
  ],
  files: (at) => ({ 'keys/authority': readFileSync(at.authorityFile, 'utf8') }),
  routes: (at) => {
    const resolver = (config: object): object => ({
      type: 'StatelessAccessTokenResolver',
      config: {
        wellKnownEndpoint: wellKnown(at.secureProvider),
        issuer: at.issuer,
        audience: 'private',
        tokenTypes: ['JWT'],
        ...config,
      },
    })
    const trust = {
      type: 'SecretsTrustManager',
      config: { verificationSecretId: 'authority', secretsProvider: 'keys', checkRevocation: false },
    }
    return {
      trusting: resourceRoute('/trusting', resolver({ trust })),
      'private-login': loginRoute(at, 'private-login', {
        heap: [{ name: 'trust', ...trust }],
        issuer: {
          wellKnownEndpoint: wellKnown(at.secureProvider),
          issuer: at.issuer,
          trust: 'trust',
          ...publicEndpoints(at),
        },
        entity: '${contexts.oauth2Info.user_info.email}',
      }),
      distrusting: resourceRoute('/distrusting', resolver({})),
    }
  },
  flows: [
    {
      name: 'keys are fetched from a provider with a certificate of a private authority with a trust store, otherwise 503',
      run: async (peers) => {
        const { access_token: token } = await tokensOf(peers, 'private')
        const answer = await peers.gateway.ask('/trusting', bearer(token))
        assert.equal(answer.status, 200, answer.headers['www-authenticate'] ?? '')
        assert.equal((await peers.gateway.ask('/distrusting', bearer(token))).status, 503)
      },
    },
    {
      name: 'login at a provider with a certificate of a private authority, with one trust store for all calls',
      run: async ({ at }) => {
        const page = await logIn(new BrowserLike(), `${at.app}/private-login/page`)
        assert.deepEqual([page.status, page.text], [200, 'alice@example.test'])
      },
    },
    {
      name: 'two host names: metadata by the internal name, iss of the public one',
      run: async ({ at, keycloak }) => {
        const metadata = (await (await fetch(wellKnown(at.provider))).json()) as Record<string, string>
        assert.equal(metadata['issuer'], at.issuer)
        assert.ok(metadata['authorization_endpoint']?.startsWith(keycloak.publicUrl))
        assert.ok(metadata['token_endpoint']?.startsWith(at.provider))
      },
    },
  ],
}
