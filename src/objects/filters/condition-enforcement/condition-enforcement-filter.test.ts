import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HandlerKind } from '#contracts'
import { type Filter, type Handler, type Response, respond } from '#http'
import type { JsonValue } from '#json'
import { defineType } from '#schema'
import { build } from '#test/build'
import { exchangeFor } from '#test/exchange'
import { ConditionEnforcementFilter } from './condition-enforcement-filter.ts'

const Teapot = defineType({
  name: 'Teapot',
  kind: HandlerKind,
  summary: 'Answers 418.',
  config: {},
  create: (): Handler => async (exchange) => respond(418, { 'X-Path': exchange.request.uri.path }),
})

const next: Handler = async () => respond(200)

async function answer(config: JsonValue): Promise<{ response: Response; log: readonly object[] }> {
  await using built = await build<Filter>(ConditionEnforcementFilter, config, { types: [Teapot] })
  const exchange = exchangeFor('GET', 'http://app.test/a', { headers: { 'X-Flag': 'true' } })
  return { response: await built.object(exchange, next), log: built.log.entries }
}

test('passes a request on where the condition is true', async () => {
  for (const condition of [true, "${request.method == 'GET'}", { expression: '${true}', label: 'everybody' }]) {
    assert.equal((await answer({ condition })).response.status, 200)
  }
})

test('responds 403 without content and with no-store where the condition is false, null or not a boolean', async () => {
  for (const condition of [false, '${attributes.nothing}', "${request.headers['X-Flag'][0]}"]) {
    const { response } = await answer({ condition })
    assert.equal(response.status, 403)
    assert.equal(response.headers.get('cache-control'), 'no-store')
    assert.equal(response.body.isEmpty, true)
  }
})

test('a condition that fails rejects the request and is logged', async () => {
  const { response, log } = await answer({ condition: '${request.method - 1 == 0}' })
  assert.equal(response.status, 403)
  assert.equal(log.length, 1)
})

test('the failure handler handles the request instead', async () => {
  const { response } = await answer({ condition: false, failureHandler: { type: 'Teapot' } })
  assert.equal(response.status, 418)
  assert.equal(response.headers.get('x-path'), '/a')
})

const refusals: readonly [string, JsonValue, string][] = [
  ['no condition', {}, '/condition: expected a condition; this field is required'],
  [
    'text without an expression',
    { condition: 'true' },
    '/condition: expected true, false or an expression such as "${find(request.uri.path, \'^/home\')}", got "true"',
  ],
  [
    'a failure handler that is not one',
    { condition: true, failureHandler: 5 },
    '/failureHandler: expected the name of a Handler or an object { "type": ... }, got 5',
  ],
]

for (const [what, config, message] of refusals) {
  test(`refuses ${what}`, async () => {
    await assert.rejects(build(ConditionEnforcementFilter, config), {
      code: 'GW_CONFIG_INVALID',
      message: `/heap/0/config${message}`,
    })
  })
}
