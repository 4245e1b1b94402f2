// Tokens in the forms that providers document; all values are invented.
import assert from 'node:assert/strict'
import { sign } from 'node:crypto'
import { test } from 'node:test'
import type { AccessTokenResolver, TokenResolution } from '#contracts'
import type { JsonObject } from '#json'
import { build, manualClock } from '#test/build'
import { exchangeFor } from '#test/exchange'
import { keyPairs, keySecret, rawToken, testKeysType } from '#test/token-secrets'
import { ClientHandler } from '../../handlers/reverse-proxy/client-handler.ts'
import { StatelessAccessTokenResolver } from './stateless-access-token-resolver.ts'

const { rsa } = keyPairs
const clock = manualClock(1_794_702_000_000)
const now = clock.now() / 1000
const times = { iat: now - 5, exp: now + 300 }

interface Shape {
  readonly header: JsonObject
  readonly claims: JsonObject
}

interface ProviderTokens {
  readonly provider: string
  readonly config: JsonObject
  readonly scopes: readonly string[]
  readonly access: Shape
  /** Other tokens that the provider signs with the same keys, by type. */
  readonly others: Readonly<Record<string, Shape>>
}

const untyped = { alg: 'RS256', kid: 'mine' }
const jwt = { ...untyped, typ: 'JWT' }

const keycloak: Shape = {
  header: jwt,
  claims: {
    ...times,
    auth_time: now - 60,
    jti: 'onrtac:5a0f3c1e-53c5-4c44-b0b1-8ef1a7e1c3d2',
    iss: 'https://sso.example.com/realms/shop',
    aud: ['shop-api', 'account'],
    sub: '4f1d4c0a-9d5f-4a3e-9a44-0f2f7c5f9b11',
    typ: 'Bearer',
    azp: 'portal',
    sid: '7c9c5f6e-1f6e-4f0b-9f0d-55c7a0b5a1c3',
    acr: '1',
    'allowed-origins': ['https://portal.example.com'],
    realm_access: { roles: ['buyer', 'offline_access'] },
    resource_access: { account: { roles: ['view-profile'] } },
    scope: 'openid orders profile',
    preferred_username: 'demo',
  },
}

const entra: Shape = {
  header: { ...jwt, x5t: 'mine' },
  claims: {
    ...times,
    nbf: now - 5,
    aud: '6c5f0e36-0a84-4c55-8f4a-0d1f6e8a2b11',
    iss: 'https://login.microsoftonline.com/0f6e1c2d-3b4a-4c5d-9e8f-7a6b5c4d3e2f/v2.0',
    aio: 'AWQAm/8YAAAA',
    azp: '0b8d6c5e-2a1f-4e3d-8c7b-6a5f4e3d2c1b',
    azpacr: '1',
    name: 'Demo User',
    oid: '9a8b7c6d-5e4f-4a3b-8c2d-1e0f9a8b7c6d',
    preferred_username: 'demo@example.com',
    scp: 'Orders.Read Orders.Write',
    sub: 'Yk1xQ2s0',
    tid: '0f6e1c2d-3b4a-4c5d-9e8f-7a6b5c4d3e2f',
    uti: 'x1y2z3',
    ver: '2.0',
  },
}

const cognito: Shape = {
  header: untyped,
  claims: {
    ...times,
    auth_time: now - 5,
    sub: '1f0e9d8c-7b6a-4958-8776-655443322110',
    iss: 'https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_Example',
    client_id: '4examplecognitoclient',
    origin_jti: 'a1',
    event_id: 'b2',
    token_use: 'access',
    scope: 'orders/read openid',
    jti: 'c3',
    username: 'demo',
  },
}

const openam: Shape = {
  header: { ...jwt, zip: 'NONE' },
  claims: {
    ...times,
    nbf: now - 5,
    sub: '(usr!demo)',
    subname: 'demo',
    cts: 'OAUTH2_STATELESS_GRANT',
    auth_level: 0,
    auditTrackingId: 'd4-12',
    iss: 'https://am.example.com/am/oauth2/realms/root/realms/shop',
    tokenName: 'access_token',
    token_type: 'Bearer',
    authGrantId: 'e5',
    aud: 'portal',
    grant_type: 'authorization_code',
    scope: ['orders', 'openid'],
    auth_time: now - 60,
    realm: '/shop',
    expires_in: 300,
    jti: 'f6',
  },
}

/** The token with other claims; null removes one. */
function changed({ header, claims }: Shape, changes: JsonObject, headerChanges: JsonObject = {}): Shape {
  const kept = (members: JsonObject) =>
    Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null))
  return { header: kept({ ...header, ...headerChanges }), claims: kept({ ...claims, ...changes }) }
}

const PROVIDERS: readonly ProviderTokens[] = [
  {
    provider: 'Keycloak',
    config: { issuer: 'https://sso.example.com/realms/shop', audience: 'shop-api', tokenTypes: ['JWT'] },
    scopes: ['openid', 'orders', 'profile'],
    access: keycloak,
    others: {
      'ID token': changed(keycloak, { typ: 'ID', at_hash: 'x' }),
      'refresh token': changed(keycloak, { typ: 'Refresh' }),
      'offline token': changed(keycloak, { typ: 'Offline' }),
      'logout token': changed(keycloak, { typ: 'Logout', events: {} }, { typ: 'logout+jwt' }),
      'ID token without typ': changed(keycloak, { typ: null, nonce: 'n' }),
      'token for another service': changed(keycloak, { aud: 'account' }),
      'lightweight token': changed(keycloak, { aud: null, sub: null, scope: 'openid' }),
    },
  },
  {
    provider: 'Keycloak with tokens of RFC 9068',
    config: { issuer: 'https://sso.example.com/realms/shop', audience: 'shop-api' },
    scopes: ['openid', 'orders', 'profile'],
    access: changed(keycloak, {}, { typ: 'at+jwt' }),
    others: { 'ID token': changed(keycloak, { typ: 'ID' }), 'access token of type JWT': keycloak },
  },
  {
    provider: 'Keycloak, by realm roles',
    config: {
      issuer: 'https://sso.example.com/realms/shop',
      audience: 'shop-api',
      tokenTypes: ['JWT'],
      scopeClaim: '/realm_access/roles',
    },
    scopes: ['buyer', 'offline_access'],
    access: keycloak,
    others: {},
  },
  {
    provider: 'Entra ID',
    config: {
      issuer: 'https://login.microsoftonline.com/0f6e1c2d-3b4a-4c5d-9e8f-7a6b5c4d3e2f/v2.0',
      audience: '6c5f0e36-0a84-4c55-8f4a-0d1f6e8a2b11',
      tokenTypes: ['JWT'],
    },
    scopes: ['Orders.Read', 'Orders.Write'],
    access: entra,
    others: {
      'ID token': changed(entra, { scp: null, azp: null, nonce: 'n' }),
      'token of another tenant': changed(entra, { iss: 'https://login.microsoftonline.com/other/v2.0' }),
    },
  },
  {
    provider: 'Entra ID, by roles of an application',
    config: {
      issuer: 'https://login.microsoftonline.com/0f6e1c2d-3b4a-4c5d-9e8f-7a6b5c4d3e2f/v2.0',
      audience: '6c5f0e36-0a84-4c55-8f4a-0d1f6e8a2b11',
      tokenTypes: ['JWT'],
      scopeClaim: 'roles',
    },
    scopes: ['Orders.Read.All'],
    access: changed(entra, { scp: null, idtyp: 'app', roles: ['Orders.Read.All'] }),
    others: {},
  },
  {
    provider: 'Auth0',
    config: { issuer: 'https://example.eu.auth0.com/', audience: 'https://api.example.com' },
    scopes: ['openid', 'read:orders'],
    access: {
      header: { ...untyped, typ: 'at+jwt' },
      claims: {
        ...times,
        iss: 'https://example.eu.auth0.com/',
        sub: 'auth0|5f7c8ec7c33c6c004bbafe82',
        aud: ['https://api.example.com', 'https://example.eu.auth0.com/userinfo'],
        azp: 'portal',
        scope: 'openid read:orders',
        permissions: ['read:orders'],
        jti: 'g7',
        client_id: 'portal',
      },
    },
    others: {
      'ID token': {
        header: jwt,
        claims: { ...times, iss: 'https://example.eu.auth0.com/', sub: 'auth0|1', aud: 'portal', nonce: 'n' },
      },
    },
  },
  {
    provider: 'Okta',
    config: { issuer: 'https://example.okta.com/oauth2/default', audience: 'api://default', tokenTypes: ['JWT'] },
    scopes: ['orders', 'openid'],
    access: {
      header: untyped,
      claims: {
        ...times,
        ver: 1,
        jti: 'AT.h8',
        iss: 'https://example.okta.com/oauth2/default',
        aud: 'api://default',
        cid: '0oaexample',
        uid: '00uexample',
        scp: ['orders', 'openid'],
        sub: 'demo@example.com',
      },
    },
    others: {
      'ID token': {
        header: untyped,
        claims: {
          ...times,
          ver: 1,
          jti: 'ID.h8',
          iss: 'https://example.okta.com/oauth2/default',
          aud: 'api://default',
          sub: '00uexample',
          at_hash: 'x',
          nonce: 'n',
        },
      },
    },
  },
  {
    provider: 'Cognito',
    config: {
      issuer: 'https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_Example',
      tokenTypes: ['JWT'],
    },
    scopes: ['orders/read', 'openid'],
    access: cognito,
    others: {
      'ID token': changed(cognito, { token_use: 'id', client_id: null, aud: '4examplecognitoclient', scope: null }),
    },
  },
  {
    provider: 'Google, tokens of service accounts',
    config: { issuer: 'https://accounts.google.com', audience: 'https://shop.example.com', tokenTypes: ['JWT'] },
    scopes: [],
    access: {
      header: jwt,
      claims: {
        ...times,
        iss: 'https://accounts.google.com',
        aud: 'https://shop.example.com',
        azp: '103456789012345678901',
        email: 'robot@example.iam.gserviceaccount.com',
        email_verified: true,
        sub: '103456789012345678901',
      },
    },
    others: {
      'ID token of a user': {
        header: jwt,
        claims: {
          ...times,
          iss: 'https://accounts.google.com',
          aud: 'https://shop.example.com',
          sub: '1',
          at_hash: 'x',
          nonce: 'n',
        },
      },
    },
  },
  {
    provider: 'PingFederate',
    config: { issuer: 'https://pf.example.com', audience: 'shop-api', tokenTypes: ['JWT', 'at+jwt'] },
    scopes: ['orders', 'openid'],
    access: {
      header: { ...untyped, 'pi.atm': 'jwt1' },
      claims: {
        ...times,
        scope: ['orders', 'openid'],
        client_id: 'portal',
        iss: 'https://pf.example.com',
        aud: 'shop-api',
        jti: 'i9',
        username: 'demo',
      },
    },
    others: {
      'ID token': {
        header: untyped,
        claims: { ...times, iss: 'https://pf.example.com', aud: 'shop-api', sub: 'demo', nonce: 'n', 'pi.sri': 'x' },
      },
    },
  },
  {
    provider: 'OpenAM',
    config: { issuer: 'https://am.example.com/am/oauth2/realms/root/realms/shop' },
    scopes: ['orders', 'openid'],
    access: openam,
    others: {
      'ID token': changed(openam, { tokenName: 'id_token', tokenType: 'JWTToken', at_hash: 'x' }),
      'refresh token': changed(openam, { tokenName: 'refresh_token' }),
    },
  },
]

const tokenOf = ({ header, claims }: Shape): string =>
  rawToken(header, claims, (text) => sign('sha256', Buffer.from(text), rsa.privateKey))

async function resolverWith(config: JsonObject) {
  return build<AccessTokenResolver>(
    StatelessAccessTokenResolver,
    { secretsProvider: 'Keys', verificationSecretId: 'keys', ...config },
    {
      clock,
      types: [testKeysType({ keys: [keySecret(rsa.publicKey, 'mine')] }), ClientHandler],
      heap: [
        { name: 'Keys', type: 'TestKeys' },
        { name: 'ClientHandler', type: 'ClientHandler' },
      ],
    },
  )
}

for (const { provider, config, scopes, access, others } of PROVIDERS) {
  test(`${provider}: access tokens are accepted, with their scopes`, async () => {
    await using built = await resolverWith(config)
    const resolved = await resolve(built.object, access)
    assert.equal(resolved.outcome, 'valid', JSON.stringify(resolved))
    assert.deepEqual(resolved.outcome === 'valid' && [...resolved.accessToken.scopes], scopes)
  })
  for (const [what, shape] of Object.entries(others)) {
    test(`${provider}: an ${what} is rejected`, async () => {
      await using built = await resolverWith(config)
      assert.equal((await resolve(built.object, shape)).outcome, 'invalid')
    })
  }
}

async function resolve(resolver: AccessTokenResolver, shape: Shape): Promise<TokenResolution> {
  return resolver.resolve(tokenOf(shape), exchangeFor('GET', 'https://api.example.com/'))
}

test('tokenTypes without an audience gives a warning at load', async () => {
  await using open = await resolverWith({ issuer: 'https://a.example', tokenTypes: ['jwt'] })
  assert.match(open.warnings.join(), /tokenTypes has jwt and there is no audience/)
  await using typed = await resolverWith({ issuer: 'https://a.example', tokenTypes: ['at+jwt'] })
  assert.match(typed.warnings.join(), /tokenTypes has at\+jwt and there is no audience/)
  await using closed = await resolverWith({ issuer: 'https://a.example', tokenTypes: ['JWT'], audience: 'api' })
  assert.deepEqual(closed.warnings, [])
})

test('one of several audiences is enough', async () => {
  const issuer = 'https://sso.example.com/realms/shop'
  await using built = await resolverWith({ issuer, audience: ['other-api', 'shop-api'], tokenTypes: ['JWT'] })
  assert.equal((await resolve(built.object, keycloak)).outcome, 'valid')
  assert.equal((await resolve(built.object, changed(keycloak, { aud: 'account' }))).outcome, 'invalid')
})

test('a rejection names the missing setting', async () => {
  const issuer = 'https://sso.example.com/realms/shop'
  await using strict = await resolverWith({ issuer, audience: 'shop-api' })
  const description = async (shape: Shape) => {
    const resolved = await resolve(strict.object, shape)
    return resolved.outcome === 'invalid' ? resolved.description : resolved.outcome
  }
  assert.equal(await description(keycloak), 'The token has the type "JWT", and "tokenTypes" admits at+jwt.')
  assert.equal(
    await description(changed(keycloak, {}, { typ: null })),
    'The token has no type in its header, and "tokenTypes" admits at+jwt.',
  )
})
