import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HandlerKind, Secret, SecretStoreKind, secretsProvider } from '#contracts'
import { documentType, secretsField } from '#heap'
import { type Handler, respond } from '#http'
import type { JsonObject } from '#json'
import { ConfigError, defineType, formatProblem, map, ref, string } from '#schema'
import { type DocumentOptions, openDocument } from '#test/document'
import { exchangeFor } from '#test/exchange'

let built = 0
const changes = new Set<() => void>()

/** A store of plain passwords, which may need a password of another store. */
const WordStore = defineType({
  name: 'WordStore',
  kind: SecretStoreKind,
  summary: 'Contains some passwords.',
  config: { words: map(string()), openedWith: string().optional(), secretsProvider: secretsProvider('that password') },
  create: async ({ words, openedWith, secretsProvider: provider }) => {
    built += 1
    if (openedWith !== undefined) await provider.active({ secretId: openedWith, purpose: 'GENERIC' })
    return {
      find: async ({ secretId }) => {
        const word = words[secretId]
        return word === undefined ? null : [new Secret({ secretId, bytes: Buffer.from(word) })]
      },
      onChange: (listener) => {
        changes.add(listener)
        return () => changes.delete(listener)
      },
    }
  },
})

/** Returns the secret of its own provider, otherwise an inherited one. */
const Teller = defineType({
  name: 'Teller',
  kind: HandlerKind,
  summary: 'Returns a secret.',
  config: { secretsProvider: secretsProvider('the secret') },
  create: ({ secretsProvider: provider }): Handler => {
    let heard = 0
    provider.onChange(() => {
      heard += 1
    })
    return async ({ request }) => {
      const secretId = request.uri.path.slice(1)
      const word = await provider.active({ secretId, purpose: 'GENERIC' }).catch((error: Error) => error.message)
      return respond(200, { Heard: String(heard) }, typeof word === 'string' ? word : word.revealText())
    }
  },
})

const Document = documentType({ handler: ref(HandlerKind).optional(), secrets: secretsField() })
const TYPES = [WordStore, Teller]
const words = (entries: JsonObject, more: JsonObject = {}) => ({
  type: 'WordStore',
  config: { words: entries, ...more },
})
const open = (json: JsonObject, options: Partial<DocumentOptions> = {}) =>
  openDocument(Document, json, { types: TYPES, ...options })

async function secretOf(handler: Handler | undefined, id: string): Promise<string> {
  const response = await handler!(exchangeFor('GET', `http://app.example/${id}`))
  return Buffer.from(await response.body.read(1000)).toString()
}

test('secrets are looked up in the own provider, then in the document, then in its parents', async () => {
  const root = open({ secrets: { stores: [words({ a: 'root', b: 'root', c: 'root' })] } })
  await root.build()
  const child = open(
    {
      handler: { type: 'Teller', config: { secretsProvider: words({ a: 'own' }) } },
      secrets: { stores: [words({ z: 'first' }), words({ a: 'child', b: 'child', z: 'second' })] },
    },
    { parent: root.heap },
  )
  const { handler } = await child.build()
  assert.equal(await secretOf(handler, 'a'), 'own')
  assert.equal(await secretOf(handler, 'b'), 'child')
  assert.equal(await secretOf(handler, 'c'), 'root')
  assert.equal(await secretOf(handler, 'z'), 'first')
  assert.equal(await secretOf(handler, 'none'), 'no secret store knows the secret id "none"')
})

test('a store with keys for every id causes a warning before another one', async () => {
  const EveryId = defineType({
    name: 'EveryId',
    kind: SecretStoreKind,
    summary: 'Has keys for every id.',
    config: {},
    create: () => ({ hasEveryId: true, find: async () => [], onChange: () => () => {} }),
  })
  const document = open(
    { secrets: { stores: [{ type: 'EveryId' }, words({}), { type: 'EveryId' }] } },
    { types: [...TYPES, EveryId] },
  )
  await document.build()
  const places = document.warnings.filter(({ message }) => message.includes('every secret id'))
  assert.deepEqual(
    places.map(({ pointer }) => pointer),
    ['/secrets/stores/0'],
  )
})

test('inline stores are built once, and subscribers are notified of changes of the used ones', async () => {
  built = 0
  changes.clear()
  const document = open({ handler: { type: 'Teller' }, secrets: { stores: [words({ a: 'x' })] } })
  const { handler } = await document.build()
  assert.equal(await secretOf(handler, 'a'), 'x')
  assert.equal(built, 1)
  for (const tell of changes) tell()
  const response = await handler!(exchangeFor('GET', 'http://app.example/a'))
  assert.equal(response.headers.get('heard'), '1')
  await document.heap.dispose()
  assert.equal(changes.size, 0)
  assert.equal(await secretOf(handler, 'a'), 'x')
  assert.equal(changes.size, 0, 'a lookup after the disposal subscribes to nothing')
})

test('a store that needs a password of another store gets it, in any order', async () => {
  const document = open({
    heap: [{ name: 'locked', ...words({ b: 'inside' }, { openedWith: 'a' }) }],
    handler: { type: 'Teller' },
    secrets: { stores: ['locked', words({ a: 'key' }), words({ c: 'also' }, { openedWith: 'a' })] },
  })
  const { handler } = await document.build()
  assert.equal(await secretOf(handler, 'b'), 'inside')
  assert.equal(await secretOf(handler, 'c'), 'also')
})

test('stores that reference each other fail instead of waiting for ever', async () => {
  const document = open({
    handler: { type: 'Teller' },
    secrets: { stores: [words({ a: 'x' }, { openedWith: 'b' }), words({ b: 'y' }, { openedWith: 'a' })] },
  })
  await assert.rejects(document.build(), /no secret store knows the secret id "a"/)
  const alone = open({ handler: { type: 'Teller' }, secrets: { stores: [words({ a: 'x' }, { openedWith: 'a' })] } })
  await assert.rejects(alone.build(), /no secret store knows the secret id "a"/)
})

test('the field causes a warning, and its problems are reported', async () => {
  const fine = open({ secrets: { stores: [words({})] } })
  await fine.build()
  assert.deepEqual(fine.warnings.map(formatProblem), [
    '/secrets: secrets is deprecated; give each object the secretsProvider it is to use',
  ])
  const problems = async (secrets: JsonObject) => {
    const error = await open({ secrets })
      .build()
      .then(
        () => null,
        (thrown: unknown) => thrown,
      )
    assert.ok(error instanceof ConfigError)
    return error.problems.map(formatProblem)
  }
  assert.deepEqual(await problems({ stores: [{ type: 'Teller' }] }), [
    '/secrets/stores/0: expected a SecretStore, got a Handler (type Teller)',
  ])
  assert.deepEqual(await problems({ stores: ['none'] }), [
    '/secrets/stores/0: no SecretStore named "none" in this heap or its parents',
  ])
  assert.deepEqual(await problems({}), [
    '/secrets/stores: expected an array of SecretStore reference; this field is required',
  ])
})
