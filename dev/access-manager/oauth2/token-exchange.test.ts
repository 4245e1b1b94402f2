import assert from 'node:assert/strict'
import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { calculateJwkThumbprint, type JWK, type JWTPayload, SignJWT } from 'jose'
import { AGENT, basic, form, type ManagerResponse, sendRequest } from '#test/access-manager-requests'
import { DevelopmentAccessManager } from '../development-access-manager.ts'

const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange'
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token'

const started = (): Promise<DevelopmentAccessManager> =>
  DevelopmentAccessManager.start({
    clients: [
      { id: 'app', secret: 'x', scopes: ['mail', 'profile'] },
      { id: 'backend', secret: 'x', scopes: ['mail', 'orders'] },
      { id: 'elsewhere', secret: 'x', scopes: ['mail'], realm: '/alpha' },
    ],
  })

function exchanged(
  manager: DevelopmentAccessManager,
  fields: Record<string, string>,
  headers = {},
): Promise<ManagerResponse> {
  return sendRequest(manager, 'POST', '/oauth2/access_token', form(fields, { ...basic('backend', 'x'), ...headers }))
}

async function introspected(manager: DevelopmentAccessManager, token: unknown): Promise<Record<string, unknown>> {
  return (await sendRequest(manager, 'POST', '/oauth2/introspect', form({ token: String(token) }, basic(...AGENT))))
    .body
}

test('a token is exchanged for one of the client, for the same subject and without a longer lifetime', async () => {
  await using manager = await started()
  const subject = await manager.issueToken({ clientId: 'app', username: 'demo', lifetime: 60_000 })
  const fields = { grant_type: EXCHANGE, subject_token: subject, subject_token_type: ACCESS_TOKEN }
  const { body } = await exchanged(manager, fields)
  assert.equal(body['issued_token_type'], ACCESS_TOKEN)
  assert.equal(body['scope'], 'mail')
  const info = await introspected(manager, body['access_token'])
  assert.equal(info['client_id'], 'backend')
  assert.equal(info['sub'], '(usr!demo)')
  assert.ok(Number(info['expires_in']) <= 60)
  const wider = await exchanged(manager, { ...fields, scope: 'orders', audience: 'shop' })
  assert.equal(wider.body['scope'], 'orders')
  assert.equal((await introspected(manager, wider.body['access_token']))['aud'], 'shop')
})

test('with an actor token the new one has the claim act', async () => {
  await using manager = await started()
  const { body } = await exchanged(manager, {
    grant_type: EXCHANGE,
    subject_token: await manager.issueToken({ clientId: 'app', username: 'demo' }),
    subject_token_type: ACCESS_TOKEN,
    actor_token: await manager.issueToken({ clientId: 'backend' }),
    actor_token_type: ACCESS_TOKEN,
  })
  assert.deepEqual((await introspected(manager, body['access_token']))['act'], { sub: '(age!backend)' })
})

test('revoked, foreign and missing tokens and unknown types are rejected', async () => {
  await using manager = await started()
  const good = await manager.issueToken({ clientId: 'app' })
  const refused = async (fields: Record<string, string>): Promise<unknown> => {
    const { status, body } = await exchanged(manager, {
      grant_type: EXCHANGE,
      subject_token_type: ACCESS_TOKEN,
      ...fields,
    })
    assert.equal(status, 400)
    return body['error']
  }
  assert.equal(await refused({}), 'invalid_request')
  assert.equal(await refused({ subject_token: 'dead' }), 'invalid_request')
  assert.equal(await refused({ subject_token: good, subject_token_type: 'saml' }), 'invalid_request')
  assert.equal(await refused({ subject_token: good, requested_token_type: 'saml' }), 'invalid_request')
  assert.equal(await refused({ subject_token: good, scope: 'root' }), 'invalid_scope')
  assert.equal(await refused({ subject_token: good, actor_token: good }), 'invalid_request')
  const foreign = await manager.issueToken({ clientId: 'elsewhere', realm: '/alpha' })
  assert.equal(await refused({ subject_token: foreign }), 'invalid_request')
})

test('a proof of possession binds the token to its key, once and for this URL', async () => {
  await using manager = await started()
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const jwk = publicKey.export({ format: 'jwk' }) as JWK
  const proof = (claims: JWTPayload = {}): Promise<string> =>
    new SignJWT({
      htm: 'POST',
      htu: `${manager.url}/oauth2/access_token`,
      jti: randomUUID(),
      iat: Math.floor(manager.clock.now() / 1000),
      ...claims,
    })
      .setProtectedHeader({ alg: 'EdDSA', typ: 'dpop+jwt', jwk })
      .sign(privateKey)
  const fields = { grant_type: 'client_credentials', scope: 'mail' }
  const DPoP = await proof()
  const { body } = await exchanged(manager, fields, { DPoP })
  assert.equal(body['token_type'], 'DPoP')
  const { cnf } = await introspected(manager, body['access_token'])
  assert.deepEqual(cnf, { jkt: await calculateJwkThumbprint(jwk) })
  const error = async (sent: string): Promise<unknown> =>
    (await exchanged(manager, fields, { DPoP: sent })).body['error']
  assert.equal(await error(DPoP), 'invalid_dpop_proof')
  assert.equal(await error(await proof({ htm: 'GET' })), 'invalid_dpop_proof')
  assert.equal(await error(await proof({ htu: 'https://elsewhere.example.com/' })), 'invalid_dpop_proof')
  assert.equal(await error(await proof({ iat: Math.floor(manager.clock.now() / 1000) - 600 })), 'invalid_dpop_proof')
  assert.equal(await error('nonsense'), 'invalid_dpop_proof')
})
