import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readUserInfo } from './user-info-response.ts'

const NOW = 1_700_000_000_000
const rules = {
  subject: 'demo',
  issuer: 'https://as.example.com',
  clientId: 'shop',
  skew: 0,
  now: NOW,
  decrypt: () => Promise.reject(new Error('no key')),
  signatureProblem: async (): Promise<string | null> => null,
}

function signed(claims: object, header: object = { alg: 'RS256' }) {
  const parts = [header, claims, {}].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
  const headers = { 'Content-Type': 'application/jwt' }
  return readUserInfo(new globalThis.Response(parts.join('.'), { headers }), rules)
}

test('signed user info of the user is read; issuer and audience are optional', async () => {
  assert.equal((await signed({ sub: 'demo', name: 'Demo' }))['name'], 'Demo')
  assert.equal((await signed({ sub: 'demo', iss: rules.issuer, aud: ['shop'], exp: NOW / 1_000 + 1 }))['sub'], 'demo')
})

for (const [name, claims, message] of [
  ['of another user', { sub: 'other' }, /another user/],
  ['without a user', {}, /another user/],
  ['of another issuer', { sub: 'demo', iss: 'https://other.example.com' }, /another issuer/],
  ['for another client', { sub: 'demo', aud: 'bank' }, /another audience/],
  ['that has expired', { sub: 'demo', exp: NOW / 1_000 }, /expired/],
  ['that is an access token', { sub: 'demo', tokenName: 'access_token' }, /another use/],
] as const) {
  test(`signed user info ${name} is refused`, async () => {
    await assert.rejects(signed(claims), message)
  })
}

/** An answer in JSON, from its bytes. */
const plain = (text: string) =>
  readUserInfo(
    new globalThis.Response(Buffer.from(text, 'latin1'), { headers: { 'Content-Type': 'application/json' } }),
    rules,
  )

test('plain user info is about the user, with each member once, in UTF-8', async () => {
  assert.equal((await plain('{"sub":"demo","exp":"never","iss":"x"}'))['iss'], 'x')
  await assert.rejects(plain('{"sub":"other"}'), /another user/)
  await assert.rejects(plain('{"sub":null}'), /another user/)
  await assert.rejects(plain('{"sub":"other","sub":"demo"}'), /each member once/)
  await assert.rejects(plain('{"sub":"demo","name":"\xff"}'), /no JSON object/)
})

test('a logout token is no user info', async () => {
  await assert.rejects(signed({ sub: 'demo' }, { alg: 'RS256', typ: 'logout+jwt' }), /another use/)
})
