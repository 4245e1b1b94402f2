import assert from 'node:assert/strict'
import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { type JWTPayload, SignJWT } from 'jose'
import { basic, form, type ManagerResponse, sendRequest } from '#test/access-manager-requests'
import { DevelopmentAccessManager } from '../development-access-manager.ts'

const KEYS = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const OTHER = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const JWKS = { keys: [{ ...KEYS.publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'ES256' }] }
const ASKING = { grant_type: 'client_credentials', scope: 'mail' }

const started = (family: 'pingam' | 'openam' = 'pingam'): Promise<DevelopmentAccessManager> =>
  DevelopmentAccessManager.start({
    family,
    clients: [
      { id: 'jwt app', jwks: JWKS, scopes: ['mail'] },
      { id: 'post', secret: 'a+b%', scopes: ['mail'], authenticationMethod: 'client_secret_post' },
      { id: 'any', secret: 'ü +%', scopes: ['mail'] },
    ],
  })

function token(
  manager: DevelopmentAccessManager,
  fields: Record<string, string>,
  headers = {},
): Promise<ManagerResponse> {
  return sendRequest(manager, 'POST', '/oauth2/access_token', form({ ...ASKING, ...fields }, headers))
}

async function withAssertion(
  manager: DevelopmentAccessManager,
  claims: JWTPayload = {},
  { key = KEYS.privateKey, fields = {}, kid = 'one' as string | null } = {},
): Promise<number> {
  const seconds = Math.floor(manager.clock.now() / 1000)
  const payload = {
    iss: 'jwt app',
    sub: 'jwt app',
    aud: `${manager.url}/oauth2/realms/root/access_token`,
    exp: seconds + 60,
    jti: randomUUID(),
    ...claims,
  }
  const assertion = await new SignJWT(payload)
    .setProtectedHeader({ alg: 'ES256', ...(kid !== null && { kid }) })
    .sign(key)
  const type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
  return (await token(manager, { client_assertion: assertion, client_assertion_type: type, ...fields })).status
}

test('a secret is accepted in the header, form-encoded or not, or in the body', async () => {
  await using manager = await started()
  assert.equal((await token(manager, {}, basic('any', 'ü +%'))).status, 200)
  assert.equal((await token(manager, {}, basic('any', '%C3%BC+%2B%25'))).status, 200)
  assert.equal((await token(manager, { client_id: 'any', client_secret: 'ü +%' })).status, 200)
  assert.equal((await token(manager, { client_id: 'post', client_secret: 'a+b%' })).status, 200)
})

test('a method other than that of the client, two methods, or none are rejected', async () => {
  await using manager = await started()
  const refused = await token(manager, {}, basic('post', 'a+b%'))
  assert.deepEqual([refused.status, refused.headers.get('www-authenticate')], [401, 'Basic realm="/"'])
  const both = await token(manager, { client_id: 'any', client_secret: 'ü +%' }, basic('any', 'ü +%'))
  assert.deepEqual([both.status, both.body['error']], [400, 'invalid_request'])
  assert.equal((await token(manager, {})).status, 401)
  assert.equal((await token(manager, {}, { Authorization: 'Bearer x' })).status, 401)
  assert.equal((await token(manager, {}, basic('jwt app', ''))).status, 401)
  assert.equal((await token(manager, {}, basic('ig_agent', 'password'))).status, 401)
})

test('private_key_jwt: a valid assertion is accepted once', async () => {
  await using manager = await started()
  assert.equal(await withAssertion(manager, { aud: `${manager.url}/oauth2` }), 200)
  const jti = randomUUID()
  assert.equal(await withAssertion(manager, { jti }, { fields: { client_id: 'jwt app' } }), 200)
  assert.equal(await withAssertion(manager, { jti }), 401)
})

test('private_key_jwt: invalid assertions are rejected', async () => {
  await using manager = await started()
  const seconds = Math.floor(manager.clock.now() / 1000)
  assert.equal(await withAssertion(manager, { aud: 'https://elsewhere.example.com' }), 401)
  assert.equal(await withAssertion(manager, { iss: 'post' }), 401)
  assert.equal(await withAssertion(manager, { sub: 'post' }), 401)
  assert.equal(await withAssertion(manager, { exp: seconds - 1 }), 401)
  assert.equal(await withAssertion(manager, { exp: seconds + 3600 }), 401)
  assert.equal(await withAssertion(manager, {}, { key: OTHER.privateKey }), 401)
  assert.equal(await withAssertion(manager, {}, { fields: { client_id: 'any' } }), 401)
  assert.equal(await withAssertion(manager, {}, { fields: { client_assertion: 'nonsense' } }), 401)
  assert.equal(await withAssertion(manager, {}, { fields: { client_assertion_type: 'other' } }), 401)
})

test('OpenAM: client_id beside Basic, two secrets, other content types and no credentials are 400', async () => {
  await using manager = await started('openam')
  const Basic = basic('any', 'ü +%')
  const refused = async (fields: Record<string, string>, headers = {}) => {
    const { status, body } = await token(manager, fields, headers)
    return [status, body['error']]
  }
  assert.equal((await token(manager, {}, Basic)).status, 200)
  assert.deepEqual(await refused({ client_id: 'any' }, Basic), [400, 'invalid_request'])
  assert.deepEqual(await refused({ client_secret: 'ü +%' }, Basic), [400, 'invalid_request'])
  assert.deepEqual(await refused({}, { ...Basic, 'Content-Type': 'application/json' }), [400, 'invalid_request'])
  assert.deepEqual(await refused({}), [400, 'invalid_client'])
  assert.deepEqual(await refused({}, basic('any', 'wrong')), [401, 'invalid_client'])
})

test('OpenAM: private_key_jwt requires kid, and the short URL of the token endpoint as audience', async () => {
  await using manager = await started('openam')
  const aud = `${manager.url}/oauth2/access_token`
  assert.equal(await withAssertion(manager, { aud }), 200)
  assert.equal(await withAssertion(manager), 401)
  assert.equal(await withAssertion(manager, { aud }, { kid: null }), 401)
})
