import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FilterKind } from '#contracts'
import { type Filter, type Handler, respond } from '#http'
import type { JsonValue } from '#json'
import { defineType } from '#schema'
import { build } from '#test/build'
import { exchangeFor } from '#test/exchange'
import { ConditionalFilter } from './conditional-filter.ts'

const Guard = defineType({
  name: 'Guard',
  kind: FilterKind,
  summary: 'Refuses every request.',
  config: {},
  create: (): Filter => async () => respond(418),
})

const next: Handler = async () => respond(200)
const request = () => exchangeFor('GET', 'http://app.test/private', { headers: { 'X-Flag': 'true' } })

async function outcome(condition: JsonValue): Promise<number> {
  await using built = await build<Filter>(
    ConditionalFilter,
    { condition, delegate: { type: 'Guard' } },
    { types: [Guard] },
  )
  return (await built.object(request(), next)).status
}

test('runs the delegate where the condition is true', async () => {
  assert.equal(await outcome(true), 418)
  assert.equal(await outcome("${find(request.uri.path, '^/private')}"), 418)
  assert.equal(await outcome("${request.entity.string == ''}"), 418)
})

test('a condition may have a label', async () => {
  assert.equal(await outcome({ expression: "${request.method == 'GET'}", label: 'reads' }), 418)
  assert.equal(await outcome({ expression: false, _off: 1 }), 200)
  await assert.rejects(outcome({ label: 'reads' }), /\/config\/condition\/expression: .*required/)
  await assert.rejects(outcome({ expression: '${true}', lable: 'x' }), /\/condition\/lable: unknown field.*"label"/)
})

test('warns about a condition that no request can fulfil', async () => {
  const delegate = { type: 'Guard' }
  const condition = "${find(request.uri.path, '^//private') and request.method == 'GET'}"
  await using built = await build<Filter>(ConditionalFilter, { condition, delegate }, { types: [Guard] })
  assert.deepEqual(built.warnings.length, 1)
  assert.match(built.warnings[0] ?? '', /\/condition: find\(request\.uri\.path, "\^\/\/private"\) is never true/)
})

test('skips the delegate where the condition is false or null', async () => {
  assert.equal(await outcome(false), 200)
  assert.equal(await outcome("${request.method == 'POST'}"), 200)
  assert.equal(await outcome('${attributes.nothing}'), 200)
})

test('a condition that fails is a fault and does not skip the delegate', async () => {
  await assert.rejects(outcome('${request.method - 1 == 0}'), {
    name: 'EvaluationError',
  })
})

test('the text "true" counts as true', async () => {
  assert.equal(await outcome("${request.headers['X-Flag'][0]}"), await outcome('${true}'))
  assert.equal(await outcome("${request.headers['X-Flag'][0].concat('r')}"), await outcome('${false}'))
})

test('a condition that is neither boolean nor text is a fault', async () => {
  await assert.rejects(outcome("${request.headers['X-Flag']}"), {
    name: 'EvaluationError',
    message: "${request.headers['X-Flag']}: expected a result of type boolean, got an array",
  })
})

test('the delegate can be a reference by name', async () => {
  await using built = await build<Filter>(
    ConditionalFilter,
    { condition: true, delegate: 'guard' },
    { types: [Guard], heap: [{ name: 'guard', type: 'Guard' }] },
  )
  assert.equal((await built.object(request(), next)).status, 418)
})

const refusals: readonly [string, JsonValue, string][] = [
  [
    'no condition',
    { delegate: { type: 'Guard' } },
    '/condition: expected an expression (boolean); this field is required',
  ],
  [
    'text without an expression',
    { condition: 'yes', delegate: { type: 'Guard' } },
    '/condition: expected an expression (boolean) such as "${...}", got "yes"',
  ],
  ['no delegate', { condition: true }, '/delegate: expected a Filter reference; this field is required'],
]

for (const [what, config, message] of refusals) {
  test(`refuses ${what}`, async () => {
    await assert.rejects(build(ConditionalFilter, config, { types: [Guard] }), {
      code: 'GW_CONFIG_INVALID',
      message: `/heap/0/config${message}`,
    })
  })
}
