import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Handler, respond } from '#http'
import { JsonNumber } from '#json'
import { exchangeFor } from '#test/exchange'
import { loginSecrets, newLoginSecret, OpenIdClient } from './index.ts'

const ISSUER = 'https://as.example.com'
const base64url = (text: string) => Buffer.from(text).toString('base64url')

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
    responseMode: null,
    decrypt: () => Promise.reject(new Error('nothing is encrypted')),
    signatureProblem: async () => null,
  })
}

test('claims of ID tokens keep the exact value of large numbers', async () => {
  const now = Math.floor(Date.now() / 1_000)
  const secrets = loginSecrets(newLoginSecret())
  const payload = `{"iss":"${ISSUER}","aud":"shop","sub":"bjensen","iat":${now},"exp":${now + 60},"nonce":"${secrets.nonce}","account":9007199254740993,"rate":1.0}`
  const idToken = `${base64url('{"alg":"RS256"}')}.${base64url(payload)}.${base64url('signature')}`
  const client = clientOf({ token: `{"access_token":"a","token_type":"Bearer","id_token":"${idToken}"}` })
  const attempt = { secrets, redirectUri: 'https://shop.example.com/callback', maxAge: null }
  const parameters = new URLSearchParams({ code: 'c', state: secrets.state })
  const { claims } = await client.complete(parameters, attempt, exchangeFor('GET', 'https://shop.example.com/callback'))
  assert.deepEqual(claims?.['account'], new JsonNumber('9007199254740993'))
  assert.deepEqual(claims?.['rate'], new JsonNumber('1.0'))
  assert.equal(claims?.['sub'], 'bjensen')
})

test('user info keeps the exact value of large numbers', async () => {
  const client = clientOf({ userInfo: '{"sub":"bjensen","account":9007199254740993}' })
  const info = await client.userInfo('a', 'bjensen', exchangeFor('GET', 'https://shop.example.com/'))
  assert.deepEqual(info['account'], new JsonNumber('9007199254740993'))
  await assert.rejects(client.userInfo('a', 'other', exchangeFor('GET', 'https://shop.example.com/')))
})

test('a failure has the endpoint that failed, without the query of its URL', async () => {
  const client = clientOf({ token: '<html>', userInfo: '<html>' })
  const exchange = exchangeFor('GET', 'https://shop.example.com/')
  const failure = (path: string) => ({
    unavailable: true,
    description: `${ISSUER}${path}: the server answered with status 200 and content of type application/json, which is not the protocol`,
  })
  await assert.rejects(client.refresh('r', exchange), failure('/token'))
  await assert.rejects(client.userInfo('a', 'bjensen', exchange), failure('/userinfo'))
})
