import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SecretsProvider as Provider } from '#contracts'
import { SecretsProviderKind } from '#contracts'
import type { JsonObject, JsonValue } from '#json'
import { defineType, ref } from '#schema'
import { build } from '#test/build'
import { StaticResponseHandler } from '../../handlers/static-response/static-response-handler.ts'
import { Base64EncodedSecretStore } from '../base64-encoded/base64-encoded-secret-store.ts'
import { JwkSetSecretStore } from '../jwk-set/jwk-set-secret-store.ts'
import { SecretsProvider } from './secrets-provider.ts'

const words = (secrets: Record<string, string>): JsonValue => ({
  type: 'Base64EncodedSecretStore',
  config: { secrets: Object.fromEntries(Object.entries(secrets).map(([id, word]) => [id, btoa(word)])) },
})
const types = [Base64EncodedSecretStore]
const wordOf = async (provider: Provider, secretId: string) =>
  (await provider.active({ secretId, purpose: 'GENERIC' })).revealText()

test('stores are searched in order', async () => {
  const stores = [words({ a: 'first' }), words({ a: 'second', b: 'second' })]
  await using built = await build<Provider>(SecretsProvider, { stores }, { types })
  assert.equal(await wordOf(built.object, 'a'), 'first')
  assert.equal(await wordOf(built.object, 'b'), 'second')
  await assert.rejects(wordOf(built.object, 'c'), { message: 'no secret store knows the secret id "c"' })
})

test('one store needs no list', async () => {
  await using built = await build<Provider>(SecretsProvider, { stores: words({ a: 'x' }) }, { types })
  assert.equal(await wordOf(built.object, 'a'), 'x')
})

const published = (config: JsonObject = {}): JsonValue => ({
  type: 'JwkSetSecretStore',
  config: {
    jwkUrl: 'https://partner.example/jwks',
    handler: { type: 'StaticResponseHandler', config: { status: 503 } },
    ...config,
  },
})
const warningsOf = async (stores: JsonValue) => {
  await using built = await build<Provider>(
    SecretsProvider,
    { stores },
    { types: [...types, JwkSetSecretStore, StaticResponseHandler] },
  )
  return built.warnings
}

test('a store with keys for every id causes a warning before another store, and none in the last place', async () => {
  assert.deepEqual(await warningsOf([words({}), published(), published()]), [
    '/heap/0/config/stores/1: its keys are used for every secret id, so that tokens are verified with them in place of the keys of the stores after it; name its own ids in secretIds, or put it last',
  ])
  assert.deepEqual(await warningsOf([published({ secretIds: ['a'] }), published()]), [])
})

test('a store with keys of some ids does not hide those of the stores after it', async () => {
  const stores = [published({ secretIds: ['a'] }), words({ b: 'second' })]
  await using built = await build<Provider>(
    SecretsProvider,
    { stores },
    { types: [...types, JwkSetSecretStore, StaticResponseHandler] },
  )
  assert.equal((await built.object.find({ secretId: 'b', purpose: 'VERIFY' }))?.length, 1)
})

test('a store may be used as a provider', async () => {
  const User = defineType({
    name: 'User',
    kind: SecretsProviderKind,
    summary: 'Hands its provider on.',
    config: { secretsProvider: ref(SecretsProviderKind) },
    create: ({ secretsProvider }) => secretsProvider,
  })
  await using built = await build<Provider>(User, { secretsProvider: words({ a: 'x' }) }, { types })
  assert.equal(await wordOf(built.object, 'a'), 'x')
})

const refusals: readonly [string, JsonValue, string][] = [
  ['no stores', {}, 'stores: expected a SecretStore reference or an array of them; this field is required'],
  ['an empty list', { stores: [] }, 'stores: expected at least one secret store'],
  [
    'a provider among the stores',
    { stores: [{ type: 'SecretsProvider', config: { stores: [words({})] } }] },
    'stores/0: expected a SecretStore, got a SecretsProvider (type SecretsProvider)',
  ],
]

for (const [what, config, message] of refusals) {
  test(`refuses ${what}`, async () => {
    await assert.rejects(build(SecretsProvider, config, { types }), { message: `/heap/0/config/${message}` })
  })
}
