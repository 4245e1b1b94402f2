import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose'
import { AGENT, basic, form, type ManagerResponse, sendRequest } from '#test/access-manager-requests'
import { manualClock } from '#test/build'
import { DevelopmentAccessManager } from '../development-access-manager.ts'
import type { Client } from '../state/accounts.ts'

const CLIENT: Client = { id: 'app', secret: 's:ecret', scopes: ['mail', 'profile'] }
const BASIC = basic('app', 's:ecret')

const started = (clients: readonly Client[] = [CLIENT], more = {}): Promise<DevelopmentAccessManager> =>
  DevelopmentAccessManager.start({ clients, clock: manualClock(1_794_701_400_000), ...more })

function token(
  manager: DevelopmentAccessManager,
  fields: Record<string, string>,
  headers = BASIC,
): Promise<ManagerResponse> {
  return sendRequest(manager, 'POST', '/oauth2/realms/root/access_token', form(fields, headers))
}

async function introspected(
  manager: DevelopmentAccessManager,
  value: unknown,
  who = basic(...AGENT),
): Promise<Record<string, unknown>> {
  return (await sendRequest(manager, 'POST', '/oauth2/introspect', form({ token: String(value) }, who))).body
}

const PASSWORD = { grant_type: 'password', username: 'demo', password: 'changeit', scope: 'mail profile' }

test('a token for the client itself', async () => {
  await using manager = await started()
  const answer = await token(manager, { grant_type: 'client_credentials', scope: 'mail' })
  assert.equal(answer.headers.get('cache-control'), 'no-store')
  const { access_token, ...rest } = answer.body
  assert.deepEqual(rest, { scope: 'mail', token_type: 'Bearer', expires_in: 3599 })
  const { authGrantId, auditTrackingId, ...info } = await introspected(manager, access_token)
  assert.ok(typeof authGrantId === 'string' && typeof auditTrackingId === 'string')
  assert.deepEqual(info, {
    active: true,
    scope: 'mail',
    realm: '/',
    client_id: 'app',
    user_id: 'app',
    username: 'app',
    token_type: 'Bearer',
    exp: 1_794_705_000,
    sub: '(age!app)',
    subname: 'app',
    iss: `${manager.url}/oauth2`,
    auth_level: 0,
    expires_in: 3600,
  })
  manager.advance(3_600_000)
  assert.deepEqual(await introspected(manager, access_token), { active: false })
})

test('tokens for a user, refreshed with rotation, and never for wider scopes', async () => {
  await using manager = await started()
  const { body } = await token(manager, PASSWORD)
  assert.equal((await introspected(manager, body['access_token']))['sub'], '(usr!demo)')
  const refreshing = { grant_type: 'refresh_token', refresh_token: String(body['refresh_token']) }
  const narrow = await token(manager, { ...refreshing, scope: 'mail' })
  assert.equal(narrow.body['scope'], 'mail')
  assert.equal((await token(manager, refreshing)).body['error'], 'invalid_grant')
  const next = { grant_type: 'refresh_token', refresh_token: String(narrow.body['refresh_token']) }
  assert.equal((await token(manager, { ...next, scope: 'mail admin' })).body['error'], 'invalid_scope')
  assert.equal((await token(manager, next)).body['scope'], 'mail profile')
})

test('revoking the refresh token revokes the grant, revoking an access token only itself', async () => {
  await using manager = await started()
  const { body: first } = await token(manager, PASSWORD)
  const refreshing = { grant_type: 'refresh_token', refresh_token: String(first['refresh_token']) }
  const { body: second } = await token(manager, refreshing)
  const revoke = (value: unknown): Promise<ManagerResponse> =>
    sendRequest(manager, 'POST', '/oauth2/token/revoke', form({ token: String(value) }, BASIC))
  assert.equal((await revoke(first['access_token'])).status, 200)
  assert.equal((await introspected(manager, first['access_token']))['active'], false)
  assert.equal((await introspected(manager, second['access_token']))['active'], true)
  await revoke(second['refresh_token'])
  assert.equal((await introspected(manager, second['access_token']))['active'], false)
  assert.equal((await revoke('nothing')).status, 200)
})

test('a client revokes only tokens of its own', async () => {
  await using manager = await started([CLIENT, { id: 'other', secret: 'x' }])
  const value = await manager.issueToken({ clientId: 'app' })
  const answer = await sendRequest(manager, 'POST', '/oauth2/token/revoke', form({ token: value }, basic('other', 'x')))
  assert.equal(answer.body['error'], 'unauthorized_client')
  assert.equal((await introspected(manager, value))['active'], true)
})

test('bad requests get the errors of RFC 6749', async () => {
  await using manager = await started()
  const errors = async (fields: Record<string, string>, headers = BASIC): Promise<[number, unknown]> => {
    const { status, body } = await token(manager, fields, headers)
    return [status, body['error']]
  }
  assert.deepEqual(await errors({}), [400, 'invalid_request'])
  assert.deepEqual(await errors({ grant_type: 'magic' }), [400, 'unsupported_grant_type'])
  assert.deepEqual(await errors({ grant_type: 'constructor' }), [400, 'unsupported_grant_type'])
  assert.deepEqual(await errors({ grant_type: 'client_credentials', scope: 'root' }), [400, 'invalid_scope'])
  assert.deepEqual(await errors({ ...PASSWORD, password: 'wrong' }), [400, 'invalid_grant'])
  assert.deepEqual(await errors({ grant_type: 'client_credentials' }, basic('app', 'wrong')), [401, 'invalid_client'])
  const twice = { ...form({}, BASIC), body: 'grant_type=password&grant_type=password' }
  assert.equal((await sendRequest(manager, 'POST', '/oauth2/access_token', twice)).body['error'], 'invalid_request')
})

for (const signingAlgorithm of ['RS256', 'ES256', 'EdDSA', 'HS256'] as const) {
  test(`client-side tokens signed with ${signingAlgorithm} have the claims of the real ones`, async () => {
    await using manager = await started([{ ...CLIENT, tokenFormat: 'jwt', signingAlgorithm }])
    const { body } = await token(manager, PASSWORD)
    const jwt = String(body['access_token'])
    const { body: set } = await sendRequest(manager, 'GET', '/oauth2/connect/jwk_uri')
    const shared = Buffer.from(manager.hmacSecret, 'base64')
    const options = { issuer: `${manager.url}/oauth2`, currentDate: new Date(manager.clock.now()) }
    const { payload, protectedHeader } =
      signingAlgorithm === 'HS256'
        ? await jwtVerify(jwt, shared, options)
        : await jwtVerify(jwt, createLocalJWKSet(set as unknown as JSONWebKeySet), options)
    assert.equal(protectedHeader.alg, signingAlgorithm)
    const { jti, authGrantId, auditTrackingId, ...claims } = payload
    assert.ok([jti, authGrantId, auditTrackingId].every((id) => typeof id === 'string'))
    assert.deepEqual(claims, {
      sub: '(usr!demo)',
      cts: 'OAUTH2_STATELESS_GRANT',
      auth_level: 0,
      subname: 'demo',
      iss: `${manager.url}/oauth2`,
      tokenName: 'access_token',
      token_type: 'Bearer',
      client_id: 'app',
      aud: 'app',
      nbf: 1_794_701_400,
      grant_type: 'password',
      scope: ['mail', 'profile'],
      auth_time: 1_794_701_400,
      realm: '/',
      exp: 1_794_705_000,
      iat: 1_794_701_400,
      expires_in: 3600,
    })
    assert.equal((await introspected(manager, jwt))['active'], true)
  })
}

test('rotated keys are new keys, and the published set has no private parts', async () => {
  await using manager = await started()
  const set = async (): Promise<Record<string, unknown>[]> =>
    (await sendRequest(manager, 'GET', '/oauth2/realms/root/connect/jwk_uri')).body['keys'] as Record<string, unknown>[]
  const before = await set()
  assert.deepEqual(before.map((key) => key['alg']).toSorted(), ['ES256', 'EdDSA', 'RS256'])
  assert.ok(before.every((key) => !('d' in key) && !('k' in key)))
  manager.rotateKeys()
  const kids = before.map(({ kid }) => kid)
  assert.ok((await set()).every(({ kid }) => !kids.includes(kid)))
})

test('who may introspect: the client itself, an agent of the realm, a client with the privilege', async () => {
  await using manager = await DevelopmentAccessManager.start({
    clients: [
      CLIENT,
      { id: 'other', secret: 'x' },
      { id: 'all', secret: 'x', introspectsAll: true },
      { ...CLIENT, realm: '/alpha' },
    ],
    agents: [
      { name: 'ig_agent', password: 'password' },
      { name: 'none', password: 'x', introspection: 'none' },
      { name: 'deep', password: 'x', introspection: 'realm-and-subrealms' },
    ],
  })
  const value = await manager.issueToken({ clientId: 'app' })
  const active = async (name: string, password: string, token = value): Promise<unknown> =>
    (await introspected(manager, token, basic(name, password)))['active']
  assert.equal(await active('app', 's:ecret'), true)
  assert.equal(await active('ig_agent', 'password'), true)
  assert.equal(await active('all', 'x'), true)
  assert.equal(await active('other', 'x'), false)
  assert.equal(await active('none', 'x'), false)
  const below = await manager.issueToken({ clientId: 'app', realm: '/alpha' })
  assert.equal(await active('ig_agent', 'password', below), false)
  assert.equal(await active('deep', 'x', below), true)
  const refused = await sendRequest(
    manager,
    'POST',
    '/oauth2/introspect',
    form({ token: value }, basic('ig_agent', 'no')),
  )
  assert.deepEqual([refused.status, refused.body['error']], [401, 'invalid_client'])
  const missing = await sendRequest(manager, 'POST', '/oauth2/introspect', form({}, basic(...AGENT)))
  assert.deepEqual([missing.status, missing.body['error']], [400, 'invalid_request'])
})

test('OpenAM: only the client of the token may introspect, and the response has no grant id', async () => {
  const stateless: Client = { ...CLIENT, tokenFormat: 'jwt' }
  await using manager = await started([stateless, { id: 'all', secret: 'x', introspectsAll: true }], {
    family: 'openam',
  })
  const value = await manager.issueToken({ clientId: 'app', username: 'demo' })
  assert.deepEqual(await introspected(manager, value, BASIC), {
    active: true,
    scope: 'mail profile',
    client_id: 'app',
    user_id: 'demo',
    token_type: 'access_token',
    exp: 1_794_705_000,
    sub: 'demo',
    iss: `${manager.url}/oauth2`,
  })
  assert.deepEqual(await introspected(manager, value, basic('all', 'x')), { active: false })
  assert.deepEqual(await introspected(manager, value), { active: false }, 'an agent is a client of its own')
  const missing = await sendRequest(manager, 'POST', '/oauth2/introspect', form({}, BASIC))
  assert.deepEqual([missing.status, missing.body['error']], [400, 'server_error'])
  const claims = JSON.parse(Buffer.from(value.split('.')[1]!, 'base64url').toString()) as Record<string, unknown>
  assert.equal(claims['scope'], 'mail profile')
  assert.equal(claims['expires_in'], 3_600_000)
  assert.equal(claims['sub'], 'demo')
})

test('a token has the confirmation with which it was issued', async () => {
  await using manager = await started()
  const confirmation = { 'x5t#S256': 'abc' }
  const value = await manager.issueToken({ clientId: 'app', confirmation, lifetime: 5000 })
  const info = await introspected(manager, value)
  assert.deepEqual(info['cnf'], confirmation)
  assert.equal(info['expires_in'], 5)
})

test('tokeninfo responds to any holder of the token', async () => {
  await using manager = await started()
  const value = await manager.issueToken({ clientId: 'app' })
  const { body } = await sendRequest(manager, 'GET', `/oauth2/tokeninfo?access_token=${value}`)
  assert.deepEqual(body, {
    mail: '',
    profile: '',
    access_token: value,
    grant_type: 'client_credentials',
    scope: ['mail', 'profile'],
    realm: '/',
    token_type: 'Bearer',
    expires_in: 3600,
    client_id: 'app',
  })
  const dead = await sendRequest(manager, 'GET', '/oauth2/tokeninfo?access_token=none')
  assert.deepEqual([dead.status, dead.body['error']], [401, 'invalid_token'])
})

test('the URLs of discovery exist', async () => {
  await using manager = await started([CLIENT, { ...CLIENT, realm: '/alpha' }])
  for (const path of ['/oauth2', '/oauth2/realms/root/realms/alpha']) {
    const { body } = await sendRequest(manager, 'GET', `${path}/.well-known/openid-configuration`)
    assert.equal(body['issuer'], manager.url + path)
    assert.equal((await fetch(String(body['jwks_uri']))).status, 200)
    const { body: sent, headers } = form({ grant_type: 'client_credentials', scope: 'mail' }, BASIC)
    const answer = await fetch(String(body['token_endpoint']), { method: 'POST', body: sent!, headers: headers! })
    assert.equal(answer.status, 200)
  }
})

test('the oldest tokens are evicted at the limit', async () => {
  await using manager = await started([CLIENT], { limits: { tokens: 2 } })
  const [one, two, three] = [
    await manager.issueToken({ clientId: 'app' }),
    await manager.issueToken({ clientId: 'app' }),
    await manager.issueToken({ clientId: 'app' }),
  ]
  assert.equal((await introspected(manager, one))['active'], false)
  assert.equal((await introspected(manager, two))['active'], true)
  assert.equal((await introspected(manager, three))['active'], true)
})
