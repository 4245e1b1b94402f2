import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ResourceAccess } from '#contracts'
import type { JsonValue } from '#json'
import { build } from '#test/build'
import { exchangeFor } from '#test/exchange'
import { StaticResponseHandler } from '../../handlers/static-response/static-response-handler.ts'
import { ScriptableResourceAccess } from './scriptable-resource-access.ts'

const heap = [{ name: 'ClientHandler', type: 'StaticResponseHandler', config: { status: 202 } }]

async function scopesOf(source: string, method = 'GET', fields: Record<string, JsonValue> = {}): Promise<string[]> {
  const config = { type: 'application/javascript', source: [source], ...fields }
  await using access = await build<ResourceAccess>(ScriptableResourceAccess, config, {
    types: [StaticResponseHandler],
    heap,
  })
  return [...(await access.object.requiredScopes(exchangeFor(method, 'http://a.example.com/x')))]
}

test('returns the scopes of a set or an array', async () => {
  assert.deepEqual(await scopesOf("return new Set(['a', 'b', 'a'])"), ['a', 'b'])
  assert.deepEqual(await scopesOf("return ['a', 'a']"), ['a'])
  assert.deepEqual(await scopesOf('return []'), [])
})

test('the scopes depend on the request', async () => {
  const source = "return request.method === 'GET' ? [read] : [read, 'write']"
  assert.deepEqual(await scopesOf(source, 'GET', { args: { read: 'r' } }), ['r'])
  assert.deepEqual(await scopesOf(source, 'POST', { args: { read: 'r' } }), ['r', 'write'])
})

test('any other result of the script is a fault', async () => {
  for (const [source, got] of [
    ['return null', 'null'],
    ['const x = 1', 'undefined'],
    ["return 'a b'", 'string'],
    ['return { a: 1 }', 'object'],
    ['return [1]', 'number'],
    ["return new Map([['a', 'b']])", 'object'],
  ] as const) {
    await assert.rejects(scopesOf(source), (error: Error) => {
      assert.match(error.message, new RegExp(`expected the script to return .*strings, got ${got}$`))
      return true
    })
  }
  await assert.rejects(scopesOf('throw new Error("no")'), { message: 'source of object:1:7: no' })
})
