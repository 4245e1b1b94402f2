import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HandlerKind } from '#contracts'
import { Body, type Filter, type Handler, Response, respond } from '#http'
import type { JsonValue } from '#json'
import { defineType, string } from '#schema'
import { build } from '#test/build'
import { exchangeFor } from '#test/exchange'
import { SwitchFilter } from './switch-filter.ts'

const Named = defineType({
  name: 'Named',
  kind: HandlerKind,
  summary: 'Says its name and the path of the request.',
  config: { is: string() },
  create:
    ({ is }): Handler =>
    async (exchange) =>
      respond(200, { 'X-From': `${is} ${exchange.request.uri.path}` }),
})

const named = (is: string) => ({ type: 'Named', config: { is } })

interface Outcome {
  readonly from: string | null
  readonly nextRan: boolean
  readonly cancelled: boolean
}

/** Sends a request for /a through the filter; the next handler responds 201. */
async function through(config: JsonValue, headers: Record<string, string> = {}): Promise<Outcome> {
  await using built = await build<Filter>(SwitchFilter, config, { types: [Named] })
  let nextRan = false
  let cancelled = false
  const next: Handler = async () => {
    nextRan = true
    const cancel = () => {
      cancelled = true
    }
    const body = Body.fromSource({ start: () => {}, resume: () => {}, cancel })
    return new Response(201, { headers: { 'X-From': 'next' }, body })
  }
  try {
    const response = await built.object(exchangeFor('GET', 'http://app.test/a', { headers }), next)
    return { from: response.headers.get('x-from'), nextRan, cancelled }
  } catch (error) {
    assert.equal(cancelled, nextRan, 'an unused response must be cancelled')
    throw error
  }
}

test('without cases every request passes', async () => {
  assert.deepEqual(await through({}), { from: 'next', nextRan: true, cancelled: false })
})

test('the first case of onRequest whose condition is true handles the request, and no other', async () => {
  const onRequest = [
    { condition: false, handler: named('one') },
    { condition: '${attributes.nothing}', handler: named('two') },
    { condition: "${request.uri.path == '/a'}", handler: named('three') },
    { handler: named('four') },
  ]
  assert.deepEqual(await through({ onRequest }), { from: 'three /a', nextRan: false, cancelled: false })
})

test('a case without condition always applies', async () => {
  assert.equal((await through({ onRequest: [{ handler: named('always') }] })).from, 'always /a')
})

test('a case of onResponse gets the request, and the response is cancelled', async () => {
  const onResponse = [
    { condition: '${response.status.code == 500}', handler: named('one') },
    { condition: '${response.status.code == 201}', handler: named('two') },
  ]
  assert.deepEqual(await through({ onResponse }), { from: 'two /a', nextRan: true, cancelled: true })
})

test('a response without a matching case passes', async () => {
  const onResponse = [{ condition: '${response.status.code == 500}', handler: named('one') }]
  assert.deepEqual(await through({ onResponse }), { from: 'next', nextRan: true, cancelled: false })
})

test('a condition that fails is a fault, in onRequest and onResponse', async () => {
  for (const way of ['onRequest', 'onResponse']) {
    const config = { [way]: [{ condition: '${request.method - 1 == 0}', handler: named('one') }] }
    await assert.rejects(through(config), { name: 'EvaluationError' })
  }
})

test('a condition that is neither boolean nor text is a fault', async () => {
  const config = { onRequest: [{ condition: "${request.headers['X']}", handler: named('one') }] }
  await assert.rejects(through(config, { X: 'true' }), { name: 'EvaluationError' })
})

const refusals: readonly [string, JsonValue, string][] = [
  [
    'a case without handler',
    { onRequest: [{ condition: true }] },
    '/onRequest/0/handler: expected a Handler reference; this field is required',
  ],
  [
    'a condition that is not one',
    { onResponse: [{ condition: 'yes', handler: named('one') }] },
    '/onResponse/0/condition: expected an expression (boolean) such as "${...}", got "yes"',
  ],
  ['cases that are no array', { onRequest: {} }, '/onRequest: expected an array, got an object'],
]

for (const [what, config, message] of refusals) {
  test(`refuses ${what}`, async () => {
    await assert.rejects(build(SwitchFilter, config, { types: [Named] }), {
      code: 'GW_CONFIG_INVALID',
      message: `/heap/0/config${message}`,
    })
  })
}
