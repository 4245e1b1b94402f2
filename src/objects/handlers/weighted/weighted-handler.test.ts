import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Handler } from '#http'
import type { JsonObject, JsonValue } from '#json'
import { build } from '#test/build'
import { textOf } from '#test/client'
import { exchangeFor } from '#test/exchange'
import { StaticResponseHandler } from '../static-response/static-response-handler.ts'
import { WeightedHandler } from './weighted-handler.ts'

const answering = (entity: string) => ({ type: 'StaticResponseHandler', config: { status: 200, entity } })
const of = (...handlers: JsonObject[]) =>
  build<Handler>(WeightedHandler, { handlers: handlers as JsonValue[] }, { types: [StaticResponseHandler] })

async function countsOf(handler: Handler, requests: number, headers: Record<string, string> = {}) {
  const counts: Record<string, number> = {}
  for (let i = 0; i < requests; i++) {
    const response = await handler(exchangeFor('GET', 'http://app.example.com/', { headers }))
    const text = response.status === 200 ? await textOf(response) : String(response.status)
    counts[text] = (counts[text] ?? 0) + 1
  }
  return counts
}

test('requests are spread by weight, within three standard deviations over 10,000', async () => {
  await using built = await of(
    { handler: answering('a'), weight: 70 },
    { handler: answering('b'), weight: 30 },
    { handler: answering('c'), weight: 0 },
  )
  const { a = 0, b = 0, c = 0 } = await countsOf(built.object, 10_000)
  // Four, since the choice has no seed: it fails once in 16,000 runs.
  assert.ok(Math.abs(a - 7_000) <= 4 * Math.sqrt(10_000 * 0.7 * 0.3), `${a} of a`)
  assert.deepEqual([a + b, c], [10_000, 0])
})

test('a handler whose condition is false gets no requests, and others share them', async () => {
  const when = "${request.headers['X-Tenant'][0] == 'acme'}"
  await using built = await of(
    { handler: answering('canary'), weight: 1_000_000, when },
    { handler: answering('stable') },
  )
  assert.deepEqual(await countsOf(built.object, 50), { stable: 50 })
  const { canary = 0 } = await countsOf(built.object, 50, { 'X-Tenant': 'acme' })
  assert.ok(canary >= 49)
})

test('a request without a handler gets 500', async () => {
  await using built = await of({ handler: answering('canary'), when: '${false}' })
  assert.deepEqual(await countsOf(built.object, 2), { 500: 2 })
  assert.match(built.warnings.join(), /each handler with a weight has a condition/)
})

test('refuses no handlers, and weights of 0 everywhere', async () => {
  await assert.rejects(of(), /handlers: expected at least one element/)
  await assert.rejects(of({ handler: answering('a'), weight: 0 }), /handlers: expected a handler with a weight above 0/)
})
