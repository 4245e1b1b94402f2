import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openJwtResponse, stateOfJwtResponse } from './jwt-response.ts'

const NOW = 1_700_000_000_000
const jwt = (claims: object | string) =>
  [{ alg: 'RS256' }, claims, {}]
    .map((part) => Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url'))
    .join('.')
const rules = {
  issuer: 'https://as.example.com',
  clientId: 'shop',
  skew: 0,
  now: NOW,
  decrypt: () => Promise.reject(new Error('no key')),
  signatureProblem: async (): Promise<string | null> => null,
}
const CLAIMS = { iss: 'https://as.example.com', aud: 'shop', exp: NOW / 1_000 + 60, code: 'c', state: 's' }

test('the claims of a response are its parameters', async () => {
  const parameters = await openJwtResponse(jwt(CLAIMS), rules)
  assert.deepEqual(Object.fromEntries(parameters), { iss: 'https://as.example.com', code: 'c', state: 's' })
  assert.equal((await openJwtResponse(jwt({ ...CLAIMS, aud: ['a', 'shop'] }), rules)).get('code'), 'c')
})

for (const [name, claims, message] of [
  ['of another issuer', { ...CLAIMS, iss: 'https://other.example.com' }, /another issuer/],
  ['for another client', { ...CLAIMS, aud: 'bank' }, /another audience/],
  ['without audience', { ...CLAIMS, aud: undefined }, /another audience/],
  ['that has expired', { ...CLAIMS, exp: NOW / 1_000 }, /expired/],
  ['without expiry', { ...CLAIMS, exp: undefined }, /no claim exp/],
  ['whose expiry is a text', { ...CLAIMS, exp: '1800000000' }, /claim exp is not a number/],
  ['that is not valid yet', { ...CLAIMS, nbf: NOW / 1_000 + 60 }, /not valid yet/],
  ['that is an ID token', { ...CLAIMS, token_use: 'id' }, /another use/],
] as const) {
  test(`B45: a response ${name} is rejected`, async () => {
    await assert.rejects(openJwtResponse(jwt(claims), rules), message)
  })
}

test('a response that is not signed by the server, or no JWT, is rejected', async () => {
  await assert.rejects(
    openJwtResponse(jwt(CLAIMS), { ...rules, signatureProblem: async () => 'wrong key' }),
    /wrong key/,
  )
  await assert.rejects(openJwtResponse('', rules), /no JWT/)
  await assert.rejects(openJwtResponse('a.b.c', rules), /not in base64url|not valid JSON/)
  await assert.rejects(openJwtResponse('a.b.c.d.e', rules), /no key/)
})

test('the state is read before the signature is verified, and is null if missing', async () => {
  assert.equal(await stateOfJwtResponse(jwt(CLAIMS), rules.decrypt), 's')
  assert.equal(await stateOfJwtResponse('x', rules.decrypt), null)
  assert.equal(await stateOfJwtResponse('a.b.c.d.e', rules.decrypt), null)
})

test('the issuer may be given twice with one value, as by Keycloak; nothing else', async () => {
  const text = JSON.stringify(CLAIMS)
  const twice = jwt(text.replace(',"code"', ',"iss":"https://as.example.com","code"'))
  assert.equal((await openJwtResponse(twice, rules)).get('iss'), 'https://as.example.com')
  assert.equal(await stateOfJwtResponse(twice, rules.decrypt), 's')
  for (const more of [
    '"iss":"https://other.example.com"',
    '"iss":"https:\\/\\/as.example.com"',
    '"aud":"shop"',
    '"state":"s"',
  ]) {
    const ambiguous = jwt(text.replace(',"code"', `,${more},"code"`))
    await assert.rejects(openJwtResponse(ambiguous, rules), /gives a member twice/, more)
    assert.equal(await stateOfJwtResponse(ambiguous, rules.decrypt), null)
  }
  const thrice = jwt(text.replace('{', '{"iss":"https://as.example.com","iss":"https://as.example.com",'))
  await assert.rejects(openJwtResponse(thrice, rules), /gives a member twice/)
})
