import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { type Filter, respond } from '#http'
import type { JsonObject } from '#json'
import { build } from '#test/build'
import { opensslMissing } from '#test/certificates'
import { type ChangingSecrets, secretsType } from '#test/changing-secrets'
import { exchangeFor } from '#test/exchange'
import { Base64EncodedSecretStore } from '../../stores/base64-encoded/base64-encoded-secret-store.ts'
import { SecretsProvider } from '../../stores/secrets-provider/secrets-provider.ts'
import { CryptoHeaderFilter } from './crypto-header-filter.ts'

const KEY = Buffer.from('0123456789abcdef')
const SECRETS: ChangingSecrets = {
  aes: KEY.toString('base64'),
  des: Buffer.from('8 bytes!').toString('base64'),
  short: 'no key',
}

const built = (config: JsonObject) =>
  build<Filter>(
    CryptoHeaderFilter,
    {
      ...{ messageType: 'REQUEST', operation: 'ENCRYPT', keySecretId: 'aes', headers: ['X-Data'] },
      ...(config['key'] === undefined ? { secretsProvider: { type: 'TestSecrets' } } : {}),
      ...config,
    },
    { types: [secretsType(SECRETS), SecretsProvider, Base64EncodedSecretStore] },
  )

/** Values of X-Data that the application gets. */
async function requestValues(filter: Filter, ...values: string[]): Promise<string[]> {
  let seen: string[] = []
  await filter(exchangeFor('GET', 'http://app.example/', { headers: { 'X-Data': values } }), async ({ request }) => {
    seen = [...request.headers.all('x-data')]
    return respond(200)
  })
  return seen
}

test('a value is encrypted as openssl does, and decrypted again', { skip: opensslMissing }, async () => {
  for (const [algorithm, keySecretId, cipher, hex] of [
    ['AES/ECB/PKCS5Padding', 'aes', 'aes-128-ecb', KEY.toString('hex')],
    ['DES/ECB/PKCS5Padding', 'des', 'des-ede3', Buffer.from('8 bytes!'.repeat(3)).toString('hex')],
  ] as const) {
    await using encrypt = await built({ algorithm, keySecretId })
    const [encrypted = ''] = await requestValues(encrypt.object, 'ann:s3cret')
    const input = Buffer.from(encrypted, 'base64')
    assert.equal(execFileSync('openssl', ['enc', '-d', `-${cipher}`, '-K', hex], { input }).toString(), 'ann:s3cret')
    await using decrypt = await built({ algorithm, keySecretId, operation: 'DECRYPT' })
    assert.deepEqual(await requestValues(decrypt.object, encrypted), ['ann:s3cret'])
  }
})

test('DES is a warning', async () => {
  await using des = await built({ algorithm: 'DES/ECB/PKCS5Padding', keySecretId: 'des' })
  assert.match(des.warnings.join('\n'), /\/algorithm: DES is not secure: its key can be found by trying all of them/)
  await using aes = await built({ algorithm: 'AES/ECB/PKCS5Padding', keySecretId: 'aes' })
  assert.doesNotMatch(aes.warnings.join('\n'), /not secure/)
})

test('each value of each header is converted, in requests or in responses', async () => {
  await using encrypt = await built({ messageType: 'RESPONSE', headers: ['X-Data', 'x-data', 'X-Other'] })
  const response = await encrypt.object(exchangeFor('GET', 'http://app.example/'), async ({ request }) => {
    assert.equal(request.headers.get('x-data'), null)
    return respond(200, { 'X-Data': ['a', 'b'], 'X-Other': 'a', 'X-Clear': 'c' })
  })
  const [first, second] = response.headers.all('x-data')
  assert.equal(first, response.headers.get('x-other'))
  assert.notEqual(first, second)
  assert.equal(response.headers.get('x-clear'), 'c')
  await using decrypt = await built({ operation: 'DECRYPT' })
  assert.deepEqual(await requestValues(decrypt.object, first ?? '', second ?? ''), ['a', 'b'])
})

test('a value that can not be decrypted is removed, and not logged', async () => {
  await using filter = await built({ operation: 'DECRYPT' })
  assert.deepEqual(
    await requestValues(filter.object, 'clear text', '', 'AAAA', Buffer.alloc(16).toString('base64')),
    [],
  )
  assert.match(filter.log.lines.join(), /header value removed/)
  assert.doesNotMatch(filter.log.lines.join(), /clear text/)
})

test('decrypted line breaks do not become header fields', async () => {
  await using encrypt = await built({ messageType: 'REQUEST' })
  const { encryptText } = await import('../../lib/messages/text-cipher.ts')
  const hostile = encryptText(Buffer.from('a\r\nX-Admin: true'), KEY, 'AES/ECB/PKCS5Padding') as string
  await using decrypt = await built({ operation: 'DECRYPT' })
  assert.deepEqual(await requestValues(decrypt.object, hostile), [])
  assert.equal((await requestValues(encrypt.object, 'a')).length, 1)
})

test('content that does not fill its blocks can not be encrypted without padding', async () => {
  await using filter = await built({ algorithm: 'AES/ECB/NoPadding' })
  assert.deepEqual(await requestValues(filter.object, 'short'), [])
  const [encrypted = ''] = await requestValues(filter.object, 'sixteen bytes ok')
  await using decrypt = await built({ algorithm: 'AES/ECB/NoPadding', operation: 'DECRYPT' })
  assert.deepEqual(await requestValues(decrypt.object, encrypted), ['sixteen bytes ok'])
})

test('a key in the file works with a warning that does not show it, and the type is deprecated', async () => {
  await using filter = await built({ key: KEY.toString('base64'), keyType: 'AES', keySecretId: null })
  assert.equal((await requestValues(filter.object, 'x')).length, 1)
  const warnings = filter.warnings.join('\n')
  assert.match(warnings, /CryptoHeaderFilter is deprecated; use JwtBuilderFilter .* do not detect changed ones/)
  assert.match(warnings, /key is deprecated; it is a secret in clear text/)
  assert.ok(!warnings.includes(KEY.toString('base64')))
})

test('a key of another length fails the request', async () => {
  await using filter = await built({ keySecretId: 'short' })
  await assert.rejects(requestValues(filter.object, 'x'), /the secret "short" is no key for AES\/ECB\/PKCS5Padding/)
})

for (const [what, config, message] of [
  ['another cipher than that of the key', { keyType: 'DES' }, /\/keyType: expected the cipher of algorithm/],
  ['an unknown charset', { charset: 'x-none' }, /\/charset: expected a character encoding/],
  ['a charset that is only decoded', { charset: 'shift_jis' }, /\/charset: expected UTF-8 or ISO-8859-1 for ENCRYPT/],
  ['a cipher with an initialization vector', { algorithm: 'AES/CBC/PKCS5Padding' }, /\/algorithm: expected one of/],
] as const) {
  test(`${what} is refused at load`, async () => {
    await assert.rejects(built(config), message)
  })
}
