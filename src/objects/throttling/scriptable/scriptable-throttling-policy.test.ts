import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ThrottlingPolicy } from '#contracts'
import type { JsonValue } from '#json'
import { build } from '#test/build'
import { exchangeFor } from '#test/exchange'
import { StaticResponseHandler } from '../../handlers/static-response/static-response-handler.ts'
import { ScriptableThrottlingPolicy } from './scriptable-throttling-policy.ts'

const heap = [{ name: 'ClientHandler', type: 'StaticResponseHandler', config: { status: 202 } }]

async function rateOf(source: string, args: Record<string, JsonValue> = {}, method = 'GET') {
  const config = { type: 'application/javascript', source: [source], args }
  await using built = await build<ThrottlingPolicy>(ScriptableThrottlingPolicy, config, {
    types: [StaticResponseHandler],
    heap,
    settings: { scriptTimeout: 200, scriptDeadline: 400 },
  })
  return built.object.rateFor(exchangeFor(method, 'http://a.example.com/x'))
}

test('a script returns a rate, or null for none', async () => {
  const rate = { numberOfRequests: 6, duration: 10_000 }
  assert.deepEqual({ ...(await rateOf("return new ThrottlingRate(6, '10 seconds')")) }, rate)
  assert.deepEqual({ ...(await rateOf('return new ThrottlingRate(n, 10_000)', { n: 6 })) }, rate)
  assert.equal(await rateOf("return request.method === 'GET' ? null : new ThrottlingRate(6, '10 s')"), null)
  const byMethod = "return request.method === 'GET' ? null : new ThrottlingRate(6, '10 s')"
  assert.deepEqual({ ...(await rateOf(byMethod, {}, 'POST')) }, rate)
})

test('the script may call services for the rate', async () => {
  const source = "const r = await http.send(new Request({ method: 'GET', uri: 'http://rates.example.com/' }))"
  const rate = await rateOf(`${source}; return new ThrottlingRate(r.status.code ?? r.status, 1000)`)
  assert.equal(rate?.numberOfRequests, 202)
})

test('any other result is a fault, never an unlimited request', async () => {
  for (const [source, problem] of [
    ['request.method', /expected the script to return a ThrottlingRate or null, got undefined/],
    ['return 5', /expected the script to return a ThrottlingRate, got number/],
    ['return { numberOfRequests: 1, duration: 1 }', /expected the script to return a ThrottlingRate, got object/],
    ["return new ThrottlingRate(0, '1 s')", /numberOfRequests: expected an integer of at least 1, got 0/],
    ["return new ThrottlingRate(-1, '1 s')", /got -1/],
    ["return new ThrottlingRate(1, 'unlimited')", /duration: expected a limited duration/],
    ["return new ThrottlingRate(1, '0 s')", /duration: expected a limited duration/],
    ["throw new Error('no')", /no/],
    ['for (;;) {}', /./],
    ['await new Promise(() => {})', /./],
  ] as const) {
    await assert.rejects(rateOf(source), (error: Error) => {
      assert.match(error.message, problem)
      return true
    })
  }
})
