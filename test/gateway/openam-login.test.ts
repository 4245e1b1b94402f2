// Logins at an access manager that behaves as OpenAM was seen to: strict about credentials, by its default settings.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DevelopmentAccessManager } from '#dev'
import type { JsonObject } from '#json'
import { BrowserLike } from '#test/browser-like'
import { RunningGateway } from '#test/gateway'

const options = { timeout: 60_000 }
const SECRET = 'a-secret-of-the-client-that-is-long-enough'
const SECRETS = {
  name: 'secrets',
  type: 'FileSystemSecretStore',
  config: { directory: '&{gateway.instance.dir}/secrets' },
}

/** A gateway whose route /app logs users in at OpenAM by OpenID Connect, as a client with default settings. */
async function setting(registration: JsonObject, secret = SECRET) {
  const gateway = await RunningGateway.reuse({
    files: { 'secrets/client.secret': Buffer.from(secret).toString('base64') },
  })
  const manager = await DevelopmentAccessManager.start({
    family: 'openam',
    clients: [
      { id: 'gateway', secret, scopes: ['openid', 'profile'], redirectUris: [`${gateway.url}/app/oidc/callback`] },
    ],
  })
  await gateway.deploy('app', {
    name: 'app',
    condition: "${find(request.uri.path, '^/app')}",
    heap: [
      SECRETS,
      {
        name: 'openam',
        type: 'Issuer',
        config: {
          wellKnownEndpoint: `${manager.url}/oauth2/.well-known/openid-configuration`,
          // Not in the metadata of OpenAM.
          revocationEndpoint: `${manager.url}/oauth2/token/revoke`,
        },
      },
      {
        name: 'client',
        type: 'ClientRegistration',
        config: { clientId: 'gateway', issuer: 'openam', scopes: ['openid', 'profile'], ...registration },
      },
    ],
    handler: {
      type: 'Chain',
      config: {
        filters: [
          {
            type: 'AuthorizationCodeOAuth2ClientFilter',
            config: {
              clientEndpoint: '/app/oidc',
              requireHttps: false,
              registrations: ['client'],
              revokeOauth2TokenOnLogout: true,
            },
          },
        ],
        handler: {
          type: 'StaticResponseHandler',
          config: { status: 200, entity: '${attributes.openid.id_token_claims.sub}' },
        },
      },
    },
  })
  assert.deepEqual(gateway.problems('app.json'), [])
  return {
    gateway,
    manager,
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]()
      await manager.close()
    },
  }
}

const ways: Readonly<Record<string, JsonObject>> = {
  'the secret of the registration': { clientSecretId: 'client.secret', secretsProvider: 'secrets' },
  ClientSecretBasicAuthenticationFilter: {
    clientSecretId: 'client.secret',
    secretsProvider: 'secrets',
    authenticatedRegistrationHandler: {
      type: 'Chain',
      config: {
        filters: [
          {
            type: 'ClientSecretBasicAuthenticationFilter',
            config: { clientId: 'gateway', clientSecretId: 'client.secret', secretsProvider: 'secrets' },
          },
        ],
        handler: 'ClientHandler',
      },
    },
  },
  HttpBasicAuthenticationClientFilter: {
    clientSecretId: 'client.secret',
    secretsProvider: 'secrets',
    authenticatedRegistrationHandler: {
      type: 'Chain',
      config: {
        filters: [
          {
            type: 'HttpBasicAuthenticationClientFilter',
            config: { username: 'gateway', passwordSecretId: 'client.secret', secretsProvider: 'secrets' },
          },
        ],
        handler: 'ClientHandler',
      },
    },
  },
  'a secret in the form': {
    clientSecretId: 'client.secret',
    secretsProvider: 'secrets',
    tokenEndpointAuthMethod: 'client_secret_post',
  },
}

for (const [way, registration] of Object.entries(ways)) {
  test(`OpenID Connect at OpenAM with default settings of its client, by ${way}`, options, async () => {
    await using pages = await setting(registration)
    const { gateway, manager } = pages
    const browser = new BrowserLike()
    const page = await browser.submit(await browser.open(`${gateway.url}/app`), {
      IDToken1: 'demo',
      IDToken2: 'changeit',
    })
    assert.deepEqual([page.status, page.text], [200, '(usr!demo)'])
    const [asked] = manager.requests('access_token')
    const isInForm = way === 'a secret in the form'
    assert.equal(new URLSearchParams(asked?.body).has('client_id'), isInForm, 'one method of client authentication')
    assert.equal((await browser.ask(`${gateway.url}/app/oidc/logout`)).status, 200)
    assert.equal(manager.requests('revoke').length, 1)
  })
}

test('a client secret that is too short for HS256 is named as the reason', options, async () => {
  await using pages = await setting(ways['the secret of the registration'] as JsonObject, 'short')
  const { gateway } = pages
  const browser = new BrowserLike()
  const page = await browser.submit(await browser.open(`${gateway.url}/app`), {
    IDToken1: 'demo',
    IDToken2: 'changeit',
  })
  assert.equal(page.status, 503)
  await gateway.log.until(/a key of HS256 needs at least 32 bytes \(RFC 7518 section 3\.2\), it has 5/)
})

test(
  'a secret that form encoding changes: OpenAM does not decode it in Basic credentials, client_secret_post works',
  options,
  async () => {
    const secret = 'a+secret/with=characters&that%change'
    const fields = { IDToken1: 'demo', IDToken2: 'changeit' }
    for (const [way, status] of [
      ['the secret of the registration', 503],
      ['a secret in the form', 200],
      ['HttpBasicAuthenticationClientFilter', 200],
    ] as const) {
      await using pages = await setting(ways[way] as JsonObject, secret)
      const { gateway } = pages
      const browser = new BrowserLike()
      const page = await browser.submit(await browser.open(`${gateway.url}/app`), fields)
      assert.equal(page.status, status, way)
      if (status === 503) await gateway.log.until(/refuses the credentials of the gateway.*client_secret_post/)
    }
  },
)
