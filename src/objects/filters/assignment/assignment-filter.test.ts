import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Body, type Exchange, type Filter, type Handler, Response, respond } from '#http'
import type { JsonValue } from '#json'
import { type Built, build } from '#test/build'
import { auditedExchange, exchangeFor } from '#test/exchange'
import { AssignmentFilter } from './assignment-filter.ts'

const ok: Handler = async () => respond(200, { 'X-Up': 'upstream' })
const request = () => exchangeFor('GET', 'http://app.test/a?q=1', { headers: { 'X-In': 'in' } })

async function run(config: JsonValue, exchange: Exchange = request(), next: Handler = ok) {
  await using built: Built<Filter> = await build<Filter>(AssignmentFilter, config)
  const response = await built.object(exchange, next)
  return { response, attributes: { ...exchange.attributes }, warnings: built.log.entries.length }
}

test('without assignments nothing changes', async () => {
  assert.deepEqual((await run({})).attributes, {})
})

test('assigns text, typed expressions, JSON and null', async () => {
  const { attributes } = await run({
    onRequest: [
      { target: '${attributes.text}', value: 'path ${request.uri.path}' },
      { target: '${attributes.list}', value: "${request.headers['X-In']}" },
      { target: '${attributes.number}', value: 5 },
      { target: '${attributes.flag}', value: false },
      { target: '${attributes.json}', value: { a: ['${request.method}', 1], '${b}': null } },
      { target: '${attributes.nothing}' },
      { target: '${attributes.nul}', value: null },
    ],
  })
  assert.deepEqual(attributes, {
    text: 'path /a',
    list: ['in'],
    number: 5,
    flag: false,
    json: { a: ['GET', 1], '${b}': null },
    nothing: null,
    nul: null,
  })
})

test('assigns to the request before it is passed on', async () => {
  const exchange = request()
  let seen: unknown
  await run(
    {
      onRequest: [
        { target: '${request.method}', value: 'POST' },
        { target: "${request.headers['X-In']}", value: null },
        { target: "${request.headers['X-New']}", value: ['a', 'b'] },
        { target: '${request.uri.path}', value: '/new' },
        { target: '${request.entity}', value: '{"a":1}' },
      ],
    },
    exchange,
    async ({ request: { method, uri, headers, body } }) => {
      seen = [method, uri.toString(), headers.get('x-in'), headers.all('x-new'), body.text()]
      return respond(200)
    },
  )
  assert.deepEqual(seen, ['POST', 'http://app.test/new?q=1', null, ['a', 'b'], '{"a":1}'])
})

test('a later assignment sees an earlier one', async () => {
  const { attributes } = await run({
    onRequest: [
      { target: '${attributes.a}', value: 'one' },
      { condition: "${attributes.a == 'one'}", target: '${attributes.b}', value: '${attributes.a} two' },
    ],
  })
  assert.equal(attributes['b'], 'one two')
})

test('onResponse assigns after the response, which expressions can read', async () => {
  const { response, attributes } = await run({
    onResponse: [
      { target: '${attributes.up}', value: "${response.headers['X-Up'][0]} for ${request.method}" },
      { target: '${response.status}', value: 201 },
      { target: "${response.headers['X-Up']}", value: '${attributes.up}' },
    ],
  })
  assert.equal(attributes['up'], 'upstream for GET')
  assert.equal(response.status, 201)
  assert.equal(response.headers.get('x-up'), 'upstream for GET')
})

test('an assigned refusal is a decision, as opposed to a received one', async () => {
  const received: Handler = async () => new Response(403, { isReceived: true })
  const decided = async (value: number) => {
    const exchange = auditedExchange('GET', 'http://app.test/')
    await run({ onResponse: [{ target: '${response.status}', value }] }, exchange, received)
    return exchange.audit?.decision?.reason
  }
  assert.deepEqual([await decided(403), await decided(429)], [undefined, 'status assigned'])
})

test('assigns only where the condition is true; one that fails is logged, and the assignment skipped', async () => {
  const target = '${attributes.a}'
  const value = 'set'
  for (const condition of [false, '${attributes.none}', "${request.headers['X-In'][0]}"]) {
    assert.deepEqual((await run({ onRequest: [{ condition, target, value }] })).attributes, {})
  }
  const { attributes, warnings } = await run({
    onRequest: [
      { condition: '${request.method - 1 == 0}', target, value },
      { condition: "${request.method == 'GET'}", target: '${attributes.b}', value },
    ],
  })
  assert.deepEqual(attributes, { b: 'set' })
  assert.equal(warnings, 1)
})

test('text of a request that looks like an expression is assigned unchanged', async () => {
  const exchange = exchangeFor('GET', 'http://app.test/', { headers: { X: '${env.HOME}' } })
  const { attributes } = await run(
    { onRequest: [{ target: '${attributes.a}', value: "${request.headers['X'][0]}" }] },
    exchange,
  )
  assert.equal(attributes['a'], '${env.HOME}')
})

test('a value or target that fails is a fault, and the request is not passed on', async () => {
  let called = false
  const next: Handler = async () => {
    called = true
    return respond(200)
  }
  for (const onRequest of [
    [{ target: '${attributes.a}', value: '${request.method - 1}' }],
    [{ target: '${request.method}', value: 'not a token' }],
    [{ target: "${request.headers['X-A']}", value: 'a\r\nX-B: c' }],
  ]) {
    await assert.rejects(run({ onRequest }, request(), next), { name: 'EvaluationError' })
  }
  assert.equal(called, false)
})

test('a body that fails while a list waits for it is one fault', async () => {
  const body = Body.fromSource({
    start: (sink) => setImmediate(() => sink.fail(new Error('broke off'))),
    resume: () => {},
    cancel: () => {},
  })
  const value = ['${request.entity.string}', '${request.method - 1}']
  await assert.rejects(
    run({ onRequest: [{ target: '${attributes.a}', value }] }, exchangeFor('POST', 'http://app.test/', { body })),
    { message: 'broke off' },
  )
})

test('a fault in onResponse cancels the body of the response', async () => {
  let cancelled = false
  const cancel = () => {
    cancelled = true
  }
  const body = Body.fromSource({ start: () => {}, resume: () => {}, cancel })
  const onResponse = [{ target: '${response.status}', value: 9 }]
  await assert.rejects(
    run({ onResponse }, request(), async () => new Response(200, { body })),
    { name: 'EvaluationError' },
  )
  assert.equal(cancelled, true)
})

const refusals: readonly [string, JsonValue, string][] = [
  [
    'no target',
    { onRequest: [{ value: 1 }] },
    '/onRequest/0/target: expected a place to assign to; this field is required',
  ],
  [
    'a target that is not a place',
    { onResponse: [{ target: '${request}' }] },
    '/onResponse/0/target: expected a place to assign to, such as ${attributes.name}',
  ],
  [
    'a value that does not compile',
    { onRequest: [{ target: '${attributes.a}', value: ['${nothing('] }] },
    '/onRequest/0/value/0: "${nothing(" is not a valid expression: expected a value, a name, a function call or "(", found the end of the text',
  ],
]

for (const [what, config, message] of refusals) {
  test(`refuses ${what}`, async () => {
    await assert.rejects(build(AssignmentFilter, config), {
      code: 'GW_CONFIG_INVALID',
      message: `/heap/0/config${message}`,
    })
  })
}

test('a header value beyond Latin-1 is left out with a warning, and the header of the client removed', async () => {
  const exchange = exchangeFor('GET', 'http://app.test/?u=%C5%81', { headers: { 'X-User': 'admin' } })
  const onRequest = [{ target: "${request.headers['X-User']}", value: "${request.queryParams['u'][0]}" }]
  const { response, warnings } = await run({ onRequest }, exchange)
  assert.equal(response.status, 200)
  assert.equal(exchange.request.headers.has('x-user'), false)
  assert.equal(warnings, 1)
})
