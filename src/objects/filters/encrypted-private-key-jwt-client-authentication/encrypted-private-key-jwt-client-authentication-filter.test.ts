// Claims, signatures and forms are tested with PrivateKeyJwtClientAuthenticationFilter, which shares the code.
import assert from 'node:assert/strict'
import { createPublicKey, createSecretKey, generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { compactDecrypt, compactVerify } from 'jose'
import { type Filter, respond } from '#http'
import type { JsonValue } from '#json'
import { build, manualClock } from '#test/build'
import { type ChangingSecrets, secretsType } from '#test/changing-secrets'
import { exchangeFor } from '#test/exchange'
import { EncryptedPrivateKeyJwtClientAuthenticationFilter } from './encrypted-private-key-jwt-client-authentication-filter.ts'

const client = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
const server = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
const serverEc = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
const SECRETS: ChangingSecrets = {
  signing: client,
  rsa: { key: createPublicKey(server), kid: 'server-1' },
  ec: createPublicKey(serverEc),
  symmetric: createSecretKey(Buffer.alloc(32, 1)),
}
const ENDPOINT = 'https://as.example/oauth2/token'

async function asserted(config: Record<string, JsonValue> = {}) {
  await using built = await build<Filter>(
    EncryptedPrivateKeyJwtClientAuthenticationFilter,
    {
      clientId: 'gateway',
      tokenEndpoint: ENDPOINT,
      secretsProvider: { type: 'TestSecrets' },
      signingSecretId: 'signing',
      signingAlgorithm: 'ES256',
      encryptionSecretId: 'rsa',
      encryptionAlgorithm: 'RSA-OAEP-256',
      ...config,
    },
    { types: [secretsType(SECRETS)], clock: manualClock() },
  )
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded', Authorization: 'Basic x' }
  let form = new URLSearchParams()
  let authorization: string | null = null
  await built.object(
    exchangeFor('POST', ENDPOINT, { headers, body: 'grant_type=client_credentials' }),
    async ({ request }) => {
      form = new URLSearchParams(request.body.text())
      authorization = request.headers.get('authorization')
      return respond(200)
    },
  )
  return { form, authorization }
}

test('the assertion is signed by the client, then encrypted for the server', async () => {
  const { form, authorization } = await asserted({ claims: { tenant: 'blue' } })
  assert.deepEqual(
    [form.get('grant_type'), form.get('client_id'), authorization],
    ['client_credentials', 'gateway', null],
  )
  const { plaintext, protectedHeader } = await compactDecrypt(form.get('client_assertion') ?? '', server)
  assert.deepEqual(
    [protectedHeader.alg, protectedHeader.enc, protectedHeader.cty, protectedHeader['kid']],
    ['RSA-OAEP-256', 'A256GCM', 'JWT', 'server-1'],
  )
  const { payload } = await compactVerify(plaintext, createPublicKey(client))
  const claims = JSON.parse(Buffer.from(payload).toString())
  assert.deepEqual([claims.iss, claims.sub, claims.aud, claims.tenant], ['gateway', 'gateway', ENDPOINT, 'blue'])
})

test('an elliptic curve key and another method', async () => {
  const { form } = await asserted({
    encryptionSecretId: 'ec',
    encryptionAlgorithm: 'ECDH-ES+A128KW',
    encryptionMethod: 'A128CBC-HS256',
  })
  const { protectedHeader } = await compactDecrypt(form.get('client_assertion') ?? '', serverEc)
  assert.deepEqual([protectedHeader.alg, protectedHeader.enc], ['ECDH-ES+A128KW', 'A128CBC-HS256'])
})

test('a key that does not suit the algorithm is a fault: nothing is sent', async () => {
  await assert.rejects(asserted({ encryptionSecretId: 'ec' }), /can not encrypt by RSA-OAEP-256/)
  await assert.rejects(asserted({ encryptionSecretId: 'missing' }), /missing/)
})

for (const [name, config, message] of [
  ['no encryptionAlgorithm', { encryptionAlgorithm: null }, /encryptionAlgorithm/],
  ['no key to encrypt with', { encryptionSecretId: null }, /encryptionSecretId/],
  ['RSA1_5', { encryptionAlgorithm: 'RSA1_5' }, /encryptionAlgorithm/],
  ['a claim of the gateway', { claims: { iss: 'x' } }, /claims\/iss/],
] as const) {
  test(`refused: ${name}`, async () => {
    const attempt = asserted(config as unknown as Record<string, JsonValue>)
    await assert.rejects(attempt, (error: Error & { problems?: object[] }) => {
      assert.match(JSON.stringify(error.problems), message)
      return true
    })
  })
}
