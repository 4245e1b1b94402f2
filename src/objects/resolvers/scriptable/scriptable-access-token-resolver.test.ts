import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AccessTokenResolver, TokenResolution } from '#contracts'
import type { JsonValue } from '#json'
import { build, manualClock } from '#test/build'
import { exchangeFor } from '#test/exchange'
import { StaticResponseHandler } from '../../handlers/static-response/static-response-handler.ts'
import { ScriptableAccessTokenResolver } from './scriptable-access-token-resolver.ts'

const NOW = 1_700_000_000
const heap = [{ name: 'ClientHandler', type: 'StaticResponseHandler', config: { status: 200, entity: '{"sub":"me"}' } }]

async function resolve(
  source: string,
  fields: Record<string, JsonValue> = {},
  more: JsonValue[] = [],
): Promise<TokenResolution> {
  const config = { type: 'application/javascript', source, ...fields }
  await using resolver = await build<AccessTokenResolver>(ScriptableAccessTokenResolver, config, {
    types: [StaticResponseHandler],
    heap: [...heap, ...more],
    clock: manualClock(NOW * 1_000),
  })
  return await resolver.object.resolve('the-token', exchangeFor('GET', 'http://a.example.com/x'))
}

async function valid(source: string) {
  const resolution = await resolve(source)
  assert.equal(resolution.outcome, 'valid')
  return (resolution as Extract<TokenResolution, { outcome: 'valid' }>).accessToken
}

test('the result of the script is the token info', async () => {
  const { token, info, scopes, expiresAt } = await valid(
    `return { sub: token, scope: 'a b', exp: ${NOW + 60}, groups: ['x'] }`,
  )
  assert.equal(token, 'the-token')
  assert.deepEqual(JSON.parse(JSON.stringify(info)), { sub: 'the-token', scope: 'a b', exp: NOW + 60, groups: ['x'] })
  assert.deepEqual([...scopes], ['a', 'b'])
  assert.equal(expiresAt, (NOW + 60) * 1_000)
})

test('scopes may be a list or a set, and exp a number of seconds', async () => {
  assert.deepEqual([...(await valid("return { scope: ['a', 'b'] }")).scopes], ['a', 'b'])
  assert.deepEqual([...(await valid("return { scope: new Set(['a']) }")).scopes], ['a'])
  assert.equal((await valid('return { expires_in: 5 }')).expiresAt, (NOW + 5) * 1_000)
  assert.equal((await valid('return {}')).expiresAt, null)
})

test('spec gap: active may be missing, and only true is active', async () => {
  await valid('return { active: true }')
  for (const active of ['false', '"true"', '1', 'null']) {
    assert.equal((await resolve(`return { active: ${active} }`)).outcome, 'invalid')
  }
})

test('null, no result and an expired token are invalid', async () => {
  for (const source of ['return null', 'token', `return { exp: ${NOW - 1} }`, 'return { expires_in: 0 }']) {
    assert.equal((await resolve(source)).outcome, 'invalid')
  }
})

test('info about a token of another use, or of a later time, is refused', async () => {
  for (const source of [`return { nbf: ${NOW + 60} }`, 'return { token_use: "id" }', 'return { typ: "Refresh" }'])
    assert.equal((await resolve(source)).outcome, 'invalid')
})

test('an invalid result rejects the token', async () => {
  assert.equal((await resolve('return { scope: 1 }')).outcome, 'unavailable')
  assert.equal((await resolve('return { exp: "soon" }')).outcome, 'unavailable')
  for (const source of ['return "me"', 'return true', 'return ["a"]']) {
    await assert.rejects(resolve(source), /expected the script to return the token info as an object, or null/)
  }
  await assert.rejects(resolve('throw new Error("no")'), { message: 'source of object:1:7: no' })
})

test('a service and other resolvers can be called', async () => {
  const asked = await valid("return (await http.send(new Request({ uri: 'http://x.example.com/' }))).entity.json()")
  assert.equal(asked.info['sub'], 'me')
  const inner = {
    name: 'Inner',
    type: 'ScriptableAccessTokenResolver',
    config: { type: 'application/javascript', source: "return token === 'the-token' ? { sub: 'inner' } : null" },
  }
  const args = { args: { inner: "${heap['Inner']}" } }
  const delegated = await resolve('return inner.resolve(context, token)', args, [inner])
  assert.equal(delegated.outcome === 'valid' && delegated.accessToken.info['sub'], 'inner')
  assert.equal((await resolve("return inner.resolve('other')", args, [inner])).outcome, 'invalid')
})
