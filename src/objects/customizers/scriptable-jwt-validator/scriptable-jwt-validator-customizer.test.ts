import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Filter, respond } from '#http'
import { signJwt } from '#jose'
import type { JsonObject } from '#json'
import { build } from '#test/build'
import { exchangeFor } from '#test/exchange'
import { keyPairs, keySecret, testKeysType } from '#test/token-secrets'
import { JwtValidationFilter } from '../../filters/jwt-validation/jwt-validation-filter.ts'
import { StaticResponseHandler } from '../../handlers/static-response/static-response-handler.ts'
import { ScriptableJwtValidatorCustomizer } from './scriptable-jwt-validator-customizer.ts'

const { p256 } = keyPairs
const types = [
  ScriptableJwtValidatorCustomizer,
  StaticResponseHandler,
  testKeysType({ v: [keySecret(p256.publicKey)] }),
]
const heap = [
  { name: 'Keys', type: 'TestKeys' },
  { name: 'ClientHandler', type: 'StaticResponseHandler', config: { status: 202 } },
]

/** The result of a script for a token: `good`, or the violations. */
async function judged(claims: JsonObject, source: string | string[], args: JsonObject = {}): Promise<string> {
  const customizer = {
    type: 'ScriptableJwtValidatorCustomizer',
    config: { type: 'application/javascript', source, args },
  }
  const failureHandler = {
    type: 'StaticResponseHandler',
    config: {
      status: 403,
      headers: { 'Content-Type': ['text/plain; charset=utf-8'] },
      entity: '${contexts.jwtValidationError.violations[0].description}',
    },
  }
  const config = {
    jwt: '${request.headers.jwt[0]}',
    verificationSecretId: 'v',
    secretsProvider: 'Keys',
    customizer,
    failureHandler,
  }
  await using built = await build<Filter>(JwtValidationFilter, config, { types, heap })
  const jwt = await signJwt(keySecret(p256.privateKey), claims, { algorithm: 'ES256' })
  const exchange = exchangeFor('GET', 'http://a.example.com/', { headers: { jwt } })
  const response = await built.object(exchange, async () => respond(204))
  return response.status === 204 ? 'good' : (await response.body.bytes()).toString()
}

test('a script gets the claims and returns whether they are valid', async () => {
  const source = "return contexts.jwtValidation.info.level > least ? true : ['the level is too low']"
  assert.equal(await judged({ level: 7 }, source, { least: 5 }), 'good')
  assert.equal(await judged({ level: 5 }, source, { least: 5 }), 'the level is too low')
  assert.equal(await judged({}, source, { least: 5 }), 'the level is too low')
})

test('true or an empty list is valid; false is not', async () => {
  assert.equal(await judged({}, 'return true'), 'good')
  assert.equal(await judged({}, 'return []'), 'good')
  assert.equal(await judged({}, 'return false'), 'the claims of the token are not those that are wanted')
  assert.equal(await judged({ sub: 'demo' }, "return contexts.jwtValidation.claims.getClaim('sub') === 'demo'"), 'good')
})

test('the script does not run for a token with other violations', async () => {
  assert.equal(await judged({ exp: 1 }, 'return true'), 'the token has expired')
})

test('a script that returns nothing or another value, or throws, rejects the token', async () => {
  for (const source of [
    '',
    'return null',
    "return 'yes'",
    'return 1',
    'return {}',
    'return [1]',
    'throw new Error("x")',
  ]) {
    await assert.rejects(judged({}, source === '' ? ['const x = 1'] : source))
  }
})
