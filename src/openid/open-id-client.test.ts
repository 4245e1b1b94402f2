import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Handler, respond } from '#http'
import { JsonNumber } from '#json'
import { manualClock } from '#test/build'
import { exchangeFor } from '#test/exchange'
import { loginSecrets, newLoginSecret, OpenIdClient } from './index.ts'

const ISSUER = 'https://as.example.com'
const base64url = (content: string | Buffer) => Buffer.from(content).toString('base64url')
const clock = manualClock()
const now = clock.now() / 1_000

/** A client of a server that responds with exactly these bodies. */
function clientOf(answers: { readonly token?: string; readonly userInfo?: string }): OpenIdClient {
  const answering =
    (text = ''): Handler =>
    async () =>
      respond(200, { 'Content-Type': 'application/json' }, text)
  return new OpenIdClient({
    metadata: {
      issuer: ISSUER,
      authorization_endpoint: `${ISSUER}/authorize`,
      token_endpoint: `${ISSUER}/token`,
      userinfo_endpoint: `${ISSUER}/userinfo?tenant=a`,
    },
    clientId: 'shop',
    scopes: ['openid'],
    pkce: 'S256',
    tokenHandler: answering(answers.token),
    userInfoHandler: answering(answers.userInfo),
    skew: 0,
    clock,
    responseMode: null,
    decrypt: () => Promise.reject(new Error('nothing is encrypted')),
    signatureProblem: async () => null,
  })
}

/** The tokens of a login whose ID token has this payload, as JSON text in which `NONCE` is the nonce of the login. */
function completed(
  payload: string | Buffer,
  { header = { alg: 'RS256' } as object, maxAge = null as number | null } = {},
) {
  const secrets = loginSecrets(newLoginSecret())
  const content = typeof payload === 'string' ? payload.replace('NONCE', secrets.nonce) : payload
  const idToken = [JSON.stringify(header), content, 'signature'].map(base64url).join('.')
  return complete(`{"access_token":"a","token_type":"Bearer","id_token":"${idToken}"}`, secrets, maxAge)
}

function complete(token: string, secrets = loginSecrets(newLoginSecret()), maxAge: number | null = null) {
  const attempt = { secrets, redirectUri: 'https://shop.example.com/callback', maxAge }
  const parameters = new URLSearchParams({ code: 'c', state: secrets.state })
  return clientOf({ token }).complete(parameters, attempt, exchangeFor('GET', 'https://shop.example.com/callback'))
}

const CLAIMS = { iss: ISSUER, aud: 'shop', sub: 'bjensen', iat: now, exp: now + 60, nonce: 'NONCE' }
const payload = (changes: object = {}) => JSON.stringify({ ...CLAIMS, ...changes })

test('claims of ID tokens keep the exact value of large numbers', async () => {
  const text = `${payload().slice(0, -1)},"account":9007199254740993,"rate":1.0}`
  const { claims, idToken, answer } = await completed(text)
  assert.deepEqual(claims?.['account'], new JsonNumber('9007199254740993'))
  assert.deepEqual(claims?.['rate'], new JsonNumber('1.0'))
  assert.equal(claims?.['sub'], 'bjensen')
  assert.ok(idToken?.startsWith(base64url('{"alg":"RS256"}')))
  assert.equal(answer['access_token'], 'a')
})

for (const [name, text, options, message] of [
  ['a claim twice', `${payload().slice(0, -1)},"sub":"admin"}`, {}, /gives a member twice/],
  ['an exp that is no time', payload().replace(`"exp":${now + 60}`, '"exp":1e999'), {}, /claim exp is not a number/],
  ['an iat far in the future', payload({ iat: now + 61 }), {}, /issued in the future/],
  ['an nbf in the future', payload({ nbf: now + 1 }), {}, /not valid yet/],
  ['an end in the past', payload({ exp: now }), {}, /has expired/],
  ['another nonce', payload({ nonce: 'n' }), {}, /another login/],
  ['another issuer', payload({ iss: `${ISSUER}/` }), {}, /another issuer/],
  ['another audience', payload({ aud: 'bank' }), {}, /another audience/],
  ['several audiences without azp', payload({ aud: ['shop', 'bank'] }), {}, /no claim azp/],
  ['the azp of another client', payload({ aud: ['shop', 'bank'], azp: 'bank' }), {}, /another client/],
  ['no sub', payload({ sub: undefined }), {}, /no claim sub/],
  ['the type of an access token', payload(), { header: { alg: 'RS256', typ: 'at+jwt' } }, /not an ID token/],
  ['the use of an access token', payload({ token_use: 'access' }), {}, /not an ID token/],
  ['another algorithm', payload(), { header: { alg: 'ES256' } }, /algorithm/],
  ['critical extensions', payload(), { header: { alg: 'RS256', crit: ['x'] } }, /extensions/],
  ['no auth_time, where it is limited', payload(), { maxAge: 60 }, /no claim auth_time/],
  ['an old login', payload({ auth_time: now - 61 }), { maxAge: 60 }, /login that is older/],
] as const) {
  test(`an ID token of a login with ${name} is refused`, async () => {
    await assert.rejects(completed(text, options), { name: 'OpenIdError', error: 'server_error', description: message })
  })
}

test('an ID token of a login that is not UTF-8 is refused', async () => {
  const bytes = Buffer.from(payload({ nonce: undefined, name: '\u00ff' }), 'latin1')
  await assert.rejects(completed(bytes), /the payload of the token is not valid UTF-8/)
})

test('the clock of the gateway decides about an ID token, and max_age about the time of the login', async () => {
  assert.equal((await completed(payload({ auth_time: now - 60 }), { maxAge: 60 })).claims?.['sub'], 'bjensen')
  assert.equal((await completed(payload({ iat: now + 60, aud: ['shop'] }))).claims?.['sub'], 'bjensen')
})

test('a token response with a member twice, or without the ID token of the login, is refused', async () => {
  const twice = '{"access_token":"a","token_type":"Bearer","access_token":"b"}'
  await assert.rejects(complete(twice), /without an object that has each member once, which is not the protocol/)
  await assert.rejects(complete('{"access_token":"a","token_type":"Bearer"}'), /has no id_token/)
  await assert.rejects(complete('{"access_token":"a","token_type":"Bearer","id_token":7}'), /id_token is not a text/)
})

test('user info keeps the exact value of large numbers', async () => {
  const client = clientOf({ userInfo: '{"sub":"bjensen","account":9007199254740993}' })
  const info = await client.userInfo('a', 'bjensen', exchangeFor('GET', 'https://shop.example.com/'))
  assert.deepEqual(info['account'], new JsonNumber('9007199254740993'))
  await assert.rejects(client.userInfo('a', 'other', exchangeFor('GET', 'https://shop.example.com/')))
  const twice = clientOf({ userInfo: '{"sub":"other","sub":"bjensen"}' })
  await assert.rejects(
    twice.userInfo('a', 'bjensen', exchangeFor('GET', 'https://shop.example.com/')),
    /without an object that has each member once/,
  )
})

test('a failure has the endpoint that failed, without the query of its URL', async () => {
  const client = clientOf({ token: '<html>', userInfo: '<html>' })
  const exchange = exchangeFor('GET', 'https://shop.example.com/')
  const failure = (path: string) => ({
    unavailable: true,
    description: `${ISSUER}${path}: the server answered with status 200 and content of type application/json without an object that has each member once, which is not the protocol`,
  })
  await assert.rejects(client.refresh('r', exchange), failure('/token'))
  await assert.rejects(client.userInfo('a', 'bjensen', exchange), failure('/userinfo'))
})
