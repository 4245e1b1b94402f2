import assert from 'node:assert/strict'
import { test } from 'node:test'
import { activeTraces, RequestTrace, traceOf } from '#contracts'
import { exchangeFor } from '#test/exchange'
import { LiveTraces } from './live-traces.ts'

const exchange = () => exchangeFor('GET', 'http://a.example/')

/** Begins and stores a trace in a second of its own. */
function stored(traces: LiveTraces, request: object): string {
  traces.refill(1)
  const trace = traces.begin(exchange())
  assert.ok(trace !== null)
  traces.store(trace, request)
  return trace.id
}

test('the newest 500 finished traces are stored', () => {
  const traces = new LiveTraces()
  const ids = Array.from({ length: 503 }, (_, n) => stored(traces, { n }))
  assert.deepEqual(
    ids.slice(0, 4).map((id) => traces.read(id)),
    [null, null, null, '{"n":3,"steps":[]}'],
  )
  assert.equal(activeTraces, 0)
})

test('finished traces are bounded in size', () => {
  const traces = new LiveTraces()
  const text = 'x'.repeat(1024 * 1024)
  const ids = Array.from({ length: 6 }, () => stored(traces, { text }))
  assert.deepEqual(
    ids.map((id) => traces.read(id) !== null),
    [false, false, false, true, true, true],
  )
})

test('of more than 500 requests in flight the oldest are no longer traced', () => {
  const traces = new LiveTraces()
  const begun = Array.from({ length: 501 }, () => {
    traces.refill(1)
    const trace = traces.begin(exchange())
    assert.ok(trace !== null)
    return trace
  })
  const [first, second] = begun
  assert.ok(first !== undefined && second !== undefined)
  assert.deepEqual([activeTraces, traces.has(first), traces.has(second)], [500, false, true])
  traces.store(first, {})
  assert.equal(traces.read(first.id), null)
  traces.clear()
  assert.equal(activeTraces, 0)
})

test('at most fifty traces begin in a second, or fewer where fewer requests are shown', () => {
  const traces = new LiveTraces()
  const admitted = () => Array.from({ length: 100 }, () => traces.begin(exchange())).filter((each) => each !== null)
  assert.equal(admitted().length, 0)
  traces.refill(1_000)
  assert.equal(admitted().length, 50)
  traces.refill(7)
  assert.equal(admitted().length, 7)
  traces.clear()
})

test('a request that is traced by its token shares that trace, which outlasts the live one', () => {
  const traces = new LiveTraces()
  const request = exchange()
  const armed = new RequestTrace(request)
  traces.refill(1)
  assert.equal(traces.begin(request)?.trace, armed)
  traces.clear()
  assert.equal(traceOf(request), armed)
  armed.end()
})
