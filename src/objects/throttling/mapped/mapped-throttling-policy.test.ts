import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ThrottlingPolicy } from '#contracts'
import type { JsonObject } from '#json'
import { ConfigError } from '#schema'
import { build } from '#test/build'
import { exchangeFor } from '#test/exchange'
import { MappedThrottlingPolicy } from './mapped-throttling-policy.ts'

const CONFIG = {
  throttlingRateMapper: "${request.headers['X-Plan'][0]}",
  throttlingRatesMapping: {
    gold: { numberOfRequests: 6, duration: '10 seconds' },
    silver: { numberOfRequests: 3, duration: '10 seconds' },
  },
  defaultRate: { numberOfRequests: 1, duration: '10 seconds' },
}

async function requestsFor(headers: Record<string, string>, config: JsonObject = {}): Promise<number | undefined> {
  await using built = await build<ThrottlingPolicy>(MappedThrottlingPolicy, { ...CONFIG, ...config })
  return (await built.object.rateFor(exchangeFor('GET', 'http://a.example.com/', { headers })))?.numberOfRequests
}

test('the value of the mapper selects the rate', async () => {
  assert.equal(await requestsFor({ 'X-Plan': 'gold' }), 6)
  assert.equal(await requestsFor({ 'X-Plan': 'silver' }), 3)
})

test('null and unmapped values have the default rate, also names of prototype members', async () => {
  for (const plan of ['bronze', 'Gold', '', '__proto__', 'constructor']) {
    assert.equal(await requestsFor({ 'X-Plan': plan }), 1, plan)
  }
  assert.equal(await requestsFor({}), 1)
})

test('a mapper that fails is a fault', async () => {
  await assert.rejects(requestsFor({}, { throttlingRateMapper: '${contexts.client}' }))
})

const rate = (fields: JsonObject) => ({ numberOfRequests: 1, duration: '1 s', ...fields })
const REFUSALS: [string, JsonObject, string][] = [
  ['no mapper', { throttlingRateMapper: null }, '/throttlingRateMapper'],
  ['no mapping', { throttlingRatesMapping: null }, '/throttlingRatesMapping'],
  ['no default', { defaultRate: null }, '/defaultRate'],
  [
    'a rate of nothing',
    { throttlingRatesMapping: { a: rate({ numberOfRequests: 0 }) } },
    '/throttlingRatesMapping/a/numberOfRequests',
  ],
  ['a rate without end', { defaultRate: rate({ duration: 'unlimited' }) }, '/defaultRate/duration'],
  [
    'more than can be',
    { throttlingRatesMapping: { 'a/b': rate({ numberOfRequests: 10_000_000 }) } },
    '/throttlingRatesMapping/a~1b/numberOfRequests',
  ],
]

for (const [what, config, pointer] of REFUSALS) {
  test(`refused at load: ${what}`, async () => {
    await assert.rejects(requestsFor({}, config), (error: unknown) => {
      assert.ok(error instanceof ConfigError)
      assert.deepEqual(
        error.problems.map((problem) => problem.pointer),
        [`/heap/0/config${pointer}`],
      )
      return true
    })
  })
}
