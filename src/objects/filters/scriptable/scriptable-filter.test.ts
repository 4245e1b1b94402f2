import assert from 'node:assert/strict'
import { test } from 'node:test'
import { faultOrigin, HandlerKind } from '#contracts'
import { type Filter, type Handler, Response, respond } from '#http'
import type { JsonValue } from '#json'
import { defineType } from '#schema'
import { type BuildOptions, build } from '#test/build'
import { auditedExchange, exchangeFor } from '#test/exchange'
import { StaticResponseHandler } from '../../handlers/static-response/static-response-handler.ts'
import { ScriptableFilter } from './scriptable-filter.ts'

const CLIENT = { name: 'ClientHandler', type: 'StaticResponseHandler', config: { status: 202 } }

function scripted(source: JsonValue, fields: Record<string, JsonValue> = {}, surroundings: BuildOptions = {}) {
  const config = { type: 'application/javascript', source, ...fields }
  return build<Filter>(ScriptableFilter, config, {
    ...surroundings,
    types: [StaticResponseHandler, ...(surroundings.types ?? [])],
    heap: [CLIENT, ...(surroundings.heap ?? [])],
  })
}

const echo: Handler = async ({ request }) =>
  respond(200, { 'X-Seen': request.headers.get('X-Tag') ?? 'none' }, `${request.method} ${request.uri}`)

const text = async (response: Response): Promise<string> => {
  await response.body.read(10_000)
  return response.body.text()
}

test('passes the request on, and the response back', async () => {
  await using filter = await scripted('return next.handle(context, request)')
  const response = await filter.object(exchangeFor('GET', 'http://a.example.com/x'), echo)
  assert.equal(await text(response), 'GET http://a.example.com/x')
})

test('changes the request and the response', async () => {
  await using filter = await scripted([
    "request.headers.put('X-Tag', 'mine')",
    "request.uri.path = '/other path'",
    "request.method = 'PUT'",
    'const response = await next.handle(context, request)',
    "response.headers.add('X-More', response.headers.get('X-Seen'))",
    'response.status = Status.ACCEPTED',
    'response.entity = (await response.entity.string()).toLowerCase()',
    'return response',
  ])
  const response = await filter.object(exchangeFor('GET', 'http://a.example.com/x'), echo)
  assert.equal(response.status, 202)
  assert.equal(response.headers.get('x-more'), 'mine')
  assert.equal(await text(response), 'put http://a.example.com/other%20path')
})

test('passes another request on instead of the first', async () => {
  await using filter = await scripted(
    "return next.handle(context, new Request({ method: 'POST', uri: 'http://b.example.com/y', headers: { 'X-Tag': 'new' } }))",
  )
  const response = await filter.object(exchangeFor('GET', 'http://a.example.com/x'), echo)
  assert.equal(response.headers.get('x-seen'), 'new')
  assert.equal(await text(response), 'POST http://b.example.com/y')
})

test('returns its own response; the next handler is not called', async () => {
  await using filter = await scripted("return new Response({ status: 403, headers: { 'X-Why': 'no' }, entity: 'no' })")
  const response = await filter.object(exchangeFor('GET', 'http://a.example.com/x'), () => assert.fail('called'))
  assert.deepEqual([response.status, response.headers.get('x-why'), await text(response)], [403, 'no', 'no'])
})

test('a script that returns nothing returns no response', async () => {
  for (const source of ['return null', 'request.method']) {
    await using filter = await scripted(source)
    assert.equal(await filter.object(exchangeFor('GET', 'http://a.example.com/x'), echo), null)
  }
})

test('a script that throws or returns something else is a fault of this filter', async () => {
  for (const [source, message] of [
    ['const x = 1\nthrow new Error("no")', 'source of object:2:7: no'],
    ['return "text"', 'TypeError: expected the script to return a Response, got string'],
    ['return next', 'TypeError: expected the script to return a Response, got object'],
    ['return next.handle(context)', 'next.handle: expected a Request among the arguments'],
  ] as const) {
    await using filter = await scripted(source)
    await assert.rejects(filter.object(exchangeFor('GET', 'http://a.example.com/x'), echo), (error: Error) => {
      assert.equal(faultOrigin(error), 'gateway+object')
      assert.ok(error.message.includes(message), error.message)
      return true
    })
  }
})

test('a failure of the next handler is passed through', async () => {
  const down = new Error('down')
  await using filter = await scripted('return next.handle(context, request)')
  const failing = () => Promise.reject(down)
  await assert.rejects(filter.object(exchangeFor('GET', 'http://a.example.com/x'), failing), (error) => error === down)
})

test('a header with a line break is rejected', async () => {
  await using filter = await scripted(
    "request.headers.set('X-Tag', request.queryParams.tag[0]); return next.handle(request)",
  )
  await assert.rejects(filter.object(exchangeFor('GET', 'http://a.example.com/x?tag=a%0d%0ab'), echo), {
    code: 'GW_HEADER_INVALID',
  })
})

test('http sends through clientHandler, ClientHandler by default', async () => {
  const source = "return http.send(new Request({ uri: 'http://x.example.com/' }))"
  await using standard = await scripted(source)
  const own = { type: 'StaticResponseHandler', config: { status: 418 } }
  await using other = await scripted(source, { clientHandler: own })
  const exchange = () => exchangeFor('GET', 'http://a.example.com/x')
  assert.equal((await standard.object(exchange(), echo)).status, 202)
  assert.equal((await other.object(exchange(), echo)).status, 418)
})

test('a filter among the arguments has the same next handler', async () => {
  await using filter = await scripted(
    'return inner.filter(context, request)',
    { args: { inner: "${heap['Inner']}" } },
    {
      heap: [
        {
          name: 'Inner',
          type: 'ScriptableFilter',
          config: {
            type: 'application/javascript',
            source: "request.headers.set('X-Tag', 'inner'); return next.handle(context, request)",
          },
        },
      ],
    },
  )
  const response = await filter.object(exchangeFor('GET', 'http://a.example.com/x'), echo)
  assert.equal(response.headers.get('x-seen'), 'inner')
})

test('the time limits are those of the gateway', async () => {
  await using looping = await scripted('await 1; for (;;);', {}, { settings: { scriptTimeout: 50 } })
  await using waiting = await scripted('await new Promise(() => {})', {}, { settings: { scriptDeadline: 50 } })
  const exchange = exchangeFor('GET', 'http://a.example.com/x')
  await assert.rejects(looping.object(exchange, echo), { code: 'GW_SCRIPT_TIMEOUT' })
  await assert.rejects(waiting.object(exchange, echo), { code: 'GW_SCRIPT_TIMEOUT' })
})

test('a refusal that the script returns is a decision, also after it passed the request on; that of a server has no decision', async () => {
  const decided = async (source: string, status: number, type = 'application/javascript') => {
    await using filter = await scripted(source, { type })
    const exchange = auditedExchange('GET', 'http://a.example.com/x')
    const response = await filter.object(exchange, async () => new Response(status, { isReceived: true }))
    const { decision } = exchange.audit ?? {}
    return [response.status, decision?.result, decision?.by]
  }
  const by = 'gateway+object'
  assert.deepEqual(await decided('return new Response(403)', 200), [403, 'DENIED', by])
  assert.deepEqual(await decided('await next.handle(request); return new Response(403)', 200), [403, 'DENIED', by])
  const changed = 'const response = await next.handle(request); response.status = 503; return response'
  assert.deepEqual(await decided(changed, 200), [503, 'FAILED', by])
  assert.deepEqual(await decided('return next.handle(request)', 403), [403, undefined, undefined])
  const copied = 'next.handle(context, request).then({ new Response(it) })'
  assert.deepEqual(await decided(copied, 403, 'application/x-groovy'), [403, undefined, undefined])
})

test('a response that the script got from another server, without passing the request on, is its decision', async () => {
  const Server = defineType({
    name: 'Server',
    kind: HandlerKind,
    summary: 'Responds as a server.',
    config: {},
    create: () => async () => new Response(403, { isReceived: true }),
  })
  const source = "return http.send(new Request({ uri: 'http://x.example.com/' }))"
  await using filter = await scripted(source, { clientHandler: { type: 'Server' } }, { types: [Server] })
  const exchange = auditedExchange('GET', 'http://a.example.com/x')
  assert.equal((await filter.object(exchange, echo)).status, 403)
  assert.equal(exchange.audit?.decision?.reason, 'response of the script')
})

test('a refusal behind a script that returns it unchanged is not that of the script', async () => {
  await using filter = await scripted('return next.handle(request)')
  const exchange = auditedExchange('GET', 'http://a.example.com/x')
  await filter.object(exchange, async () => respond(403))
  assert.equal(exchange.audit?.decision, null)
})
