import assert from 'node:assert/strict'
import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { compactVerify } from 'jose'
import { type Filter, respond } from '#http'
import type { JsonValue } from '#json'
import { build, manualClock } from '#test/build'
import { secretsType } from '#test/changing-secrets'
import { exchangeFor } from '#test/exchange'
import { StaticResponseHandler } from '../../handlers/static-response/static-response-handler.ts'
import { GrantSwapJwtAssertionOAuth2ClientFilter } from './grant-swap-jwt-assertion-oauth2-client-filter.ts'

const key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
const Secrets = secretsType({ signing: key, password: 'sesame' })
const ASSERTION = {
  issuer: "${request.entity.form['client_id'][0]}",
  subject: 'service',
  audience: 'https://as.example/oauth2/access_token',
}

async function swapped(
  config: Record<string, JsonValue> = {},
  body = 'grant_type=password&client_id=app&username=u&password=p',
) {
  await using built = await build<Filter>(
    GrantSwapJwtAssertionOAuth2ClientFilter,
    {
      assertion: ASSERTION,
      secretsProvider: { type: Secrets.name },
      signature: { secretId: 'signing', algorithm: 'ES256' },
      ...config,
    },
    { types: [Secrets, StaticResponseHandler], clock: manualClock(1_700_000_000_000) },
  )
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded', Authorization: 'Basic eDp5' }
  let form: URLSearchParams | null = null
  let sent = ''
  const response = await built.object(
    exchangeFor('POST', 'https://as.example/oauth2/access_token?password=q', { headers, body }),
    async ({ request }) => {
      form = new URLSearchParams(request.body.text())
      sent = `${request.method} ${request.uri} ${request.headers.get('authorization')}`
      return respond(200)
    },
  )
  return { response, form: form as URLSearchParams | null, sent, log: built.log.lines.join() }
}

async function claimsIn(form: URLSearchParams | null): Promise<Record<string, unknown>> {
  const { payload } = await compactVerify(form?.get('assertion') ?? '', createPublicKey(key))
  return JSON.parse(Buffer.from(payload).toString())
}

test('the grant is replaced by a signed JWT; nothing of the received grant is passed on', async () => {
  const { form, sent } = await swapped({ clientId: 'gateway', scopes: ['a', 'b'] })
  assert.deepEqual([...(form?.keys() ?? [])], ['grant_type', 'assertion', 'client_id', 'scope'])
  assert.equal(form?.get('grant_type'), 'urn:ietf:params:oauth:grant-type:jwt-bearer')
  assert.deepEqual([form?.get('client_id'), form?.get('scope')], ['gateway', 'a b'])
  assert.equal(sent, 'POST https://as.example/oauth2/access_token null')
  const { iss, sub, aud, iat, exp, jti } = await claimsIn(form)
  assert.deepEqual(
    [iss, sub, aud, iat, exp],
    ['app', 'service', 'https://as.example/oauth2/access_token', 1_700_000_000, 1_700_000_120],
  )
  assert.match(String(jti), /^[\w-]{36}$/)
})

test('otherClaims do not replace those of the gateway', async () => {
  const otherClaims = { scope: 'x', iss: 'forged', exp: 9_999_999_999, from: '${request.method}' }
  const { form } = await swapped({ assertion: { ...ASSERTION, expiryTime: '10 seconds', otherClaims } })
  const { iss, exp, scope, from } = await claimsIn(form)
  assert.deepEqual([iss, exp, scope, from], ['app', 1_700_000_010, 'x', 'POST'])
})

test('a request without issuer, subject or audience gets 400, or the response of failureHandler', async () => {
  const { response, form, log } = await swapped({}, 'grant_type=password&password=secret')
  assert.deepEqual([response.status, form, response.headers.get('content-type')], [400, null, 'application/json'])
  assert.match(response.body.text(), /"error":"invalid_request"/)
  assert.doesNotMatch(log, /secret/)
  const failureHandler = { type: 'StaticResponseHandler', config: { status: 418 } }
  assert.equal((await swapped({ failureHandler }, 'a=b')).response.status, 418)
})

test('a key that can not sign, and a scope that is null, are faults: nothing is sent', async () => {
  await assert.rejects(swapped({ scopes: ['${null}'] }), /scopes: .* gave null/)
  await assert.rejects(swapped({ signature: { secretId: 'password', algorithm: 'ES256' } }))
})

for (const [name, config, message] of [
  ['no assertion', { assertion: null }, /assertion/],
  ['no audience', { assertion: { issuer: 'a', subject: 'b' } }, /assertion\/audience/],
  ['neither signature nor encryption', { signature: null }, /signature/],
  ['an unlimited lifetime', { assertion: { ...ASSERTION, expiryTime: 'unlimited' } }, /expiryTime/],
] as const) {
  test(`refused: ${name}`, async () => {
    await assert.rejects(
      swapped(config as unknown as Record<string, JsonValue>),
      (error: Error & { problems?: object[] }) => {
        assert.match(JSON.stringify(error.problems), message)
        return true
      },
    )
  })
}
