import assert from 'node:assert/strict'
import { test } from 'node:test'
import { faultOrigin } from '#contracts'
import type { Handler } from '#http'
import type { JsonValue } from '#json'
import { build } from '#test/build'
import { exchangeFor } from '#test/exchange'
import { StaticResponseHandler } from '../static-response/static-response-handler.ts'
import { ScriptableHandler } from './scriptable-handler.ts'

const heap = [
  { name: 'ClientHandler', type: 'StaticResponseHandler', config: { status: 202, entity: '{"a":1}' } },
  { name: 'Teapot', type: 'StaticResponseHandler', config: { status: 418 } },
]

const scripted = (config: Record<string, JsonValue>) =>
  build<Handler>(
    ScriptableHandler,
    { type: 'application/javascript', ...config },
    { types: [StaticResponseHandler], heap },
  )

async function answerOf(source: JsonValue, parts: Record<string, JsonValue> = {}) {
  await using handler = await scripted({ source, ...parts })
  const response = await handler.object(exchangeFor('GET', 'http://a.example.com/x?name=me'))
  await response.body.read(10_000)
  return { status: response.status, headers: [...response.headers], text: response.body.text() }
}

test('responds with the result of the script', async () => {
  assert.deepEqual(await answerOf('return new Response(204)'), { status: 204, headers: [], text: '' })
  assert.deepEqual(await answerOf('return new Response(Status.NOT_FOUND)'), { status: 404, headers: [], text: '' })
  assert.deepEqual(await answerOf('return new Response({ entity: { name: request.queryParams.name[0] } })'), {
    status: 200,
    headers: [['Content-Type', 'application/json']],
    text: '{"name":"me"}',
  })
})

test('responds with the response of another server', async () => {
  const sent = await answerOf("return http.send(new Request({ uri: 'http://x.example.com/' }))")
  assert.deepEqual([sent.status, sent.text], [202, '{"a":1}'])
  const delegated = await answerOf('return teapot.handle(context, request)', { args: { teapot: "${heap['Teapot']}" } })
  assert.equal(delegated.status, 418)
  const moved = await answerOf(
    "const r = new Response(Status.CREATED); r.entity = (await http.send(new Request({ uri: 'http://x/' }))).entity; return r",
  )
  assert.deepEqual([moved.status, moved.text], [201, '{"a":1}'])
})

test('has no next', async () => {
  await using handler = await scripted({ source: 'return next.handle(context, request)' })
  await assert.rejects(handler.object(exchangeFor('GET', 'http://a.example.com/')), (error: Error) => {
    assert.equal(faultOrigin(error), 'gateway+object')
    assert.equal(error.message, 'source of object:1:1: ReferenceError: next is not defined')
    return true
  })
})

test('a script that returns nothing returns no response', async () => {
  await using handler = await scripted({ source: 'return null' })
  assert.equal(await handler.object(exchangeFor('GET', 'http://a.example.com/')), null)
})

test('globals belong to one object', async () => {
  const config = { source: 'globals.n = (globals.n ?? 0) + 1; return new Response(200 + globals.n)' }
  await using one = await scripted(config)
  await using other = await scripted(config)
  const status = async ({ object }: typeof one) => (await object(exchangeFor('GET', 'http://a.example.com/'))).status
  assert.deepEqual([await status(one), await status(one), await status(other)], [201, 202, 201])
})
