import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { activeTraces, type RequestWatch, type WatchedRequests } from '#contracts'
import { Response } from '#http'
import { manualClock } from '#test/build'
import { exchangeFor } from '#test/exchange'
import { LiveRequests } from './live-requests.ts'
import { LiveTraces } from './live-traces.ts'
import { compileRequestFilter } from './request-filter.ts'

const FLUSH = 200

/** Watched requests with a manual clock; `pass` lets one request begin and end, `flush` returns the next message. */
function watching(t: { after(end: () => void): void }, ...watches: readonly RequestWatch[]) {
  mock.timers.enable({ apis: ['setInterval'] })
  t.after(() => mock.timers.reset())
  const sent: (readonly WatchedRequests[])[] = []
  const clock = manualClock(0)
  const traces = new LiveTraces()
  const live = new LiveRequests({ clock, traces, filter: compileRequestFilter, send: (batches) => sent.push(batches) })
  live.watch(watches)
  return {
    live,
    clock,
    traces,
    pass(path: string, status = 200): boolean {
      const observation = live.begin(exchangeFor('GET', `http://a.example${path}`))
      observation?.ended({ response: new Response(status), end: 'sent' })
      return observation !== null
    },
    flush(times = 1): readonly WatchedRequests[] {
      sent.length = 0
      mock.timers.tick(times * FLUSH)
      return sent.flat()
    },
  }
}

const all: RequestWatch = { id: 1, filter: null, rate: 2 }

test('requests beyond the rate of a watch are counted and not observed, until the next second', (t) => {
  const { pass, flush } = watching(t, all)
  assert.deepEqual(
    ['/1', '/2', '/3', '/4'].map((path) => pass(path)),
    [true, true, false, false],
  )
  const [batch] = flush()
  assert.deepEqual(
    batch?.events.map(({ path }) => path),
    ['/1', '/2'],
  )
  assert.equal(batch?.skipped, 2)
  assert.equal(pass('/5'), false)
  assert.equal(flush(4).at(-1)?.skipped, 1)
  assert.equal(pass('/6'), true)
})

test('a filter is applied before its rate, and does not use up the rate of another watch', (t) => {
  const { pass, flush } = watching(t, all, { id: 2, filter: 'status ge 500 and path sw "/x"', rate: 1 })
  for (const path of ['/x1', '/x2', '/x3', '/y4']) pass(path, 502)
  pass('/x5', 200)
  const [one, two] = flush()
  assert.deepEqual([one?.events.map(({ path }) => path), one?.skipped], [['/x1', '/x2'], 3])
  assert.deepEqual([two?.events.map(({ path }) => path), two?.skipped], [['/x1'], 2])
})

test('a filter over a field that requests do not have matches none', (t) => {
  for (const filter of ['constructor pr', 'path/0 eq "/"', 'cookie pr']) {
    const { pass, flush } = watching(t, { id: 1, filter, rate: 1 })
    pass('/')
    assert.deepEqual(flush(), [], filter)
    mock.timers.reset()
  }
})

/** Ids of traces by path. */
function tracesIn(batches: readonly WatchedRequests[]): Record<string, string | null> {
  return Object.fromEntries(batches.flatMap(({ events }) => events.map(({ path, trace }) => [path, trace])))
}

test('a request that is shown has a trace, and one beyond the rate has none', (t) => {
  const { pass, flush, traces } = watching(t, all)
  for (const path of ['/1', '/2', '/3']) pass(path)
  const ids = tracesIn(flush())
  assert.deepEqual(Object.keys(ids), ['/1', '/2'])
  const { steps, trace, ...request } = JSON.parse(traces.read(String(ids['/1'])) ?? 'null')
  assert.deepEqual([request.path, request.status, steps, trace], ['/1', 200, [], undefined])
})

test('of many requests shown in a second fifty are traced', (t) => {
  const { pass, flush } = watching(t, { ...all, rate: 1_000 })
  for (let n = 0; n < 200; n++) pass(`/${n}`)
  const traced = () => Object.values(tracesIn(flush(5))).filter((id) => id !== null).length
  assert.equal(traced(), 50)
  for (let n = 0; n < 20; n++) pass(`/${n}`)
  assert.equal(traced(), 20)
})

test('with a filter, requests whose method and path match are traced, and the trace is stored if they match at the end', (t) => {
  const { pass, flush, traces } = watching(t, { id: 1, filter: 'path sw "/x" and status ge 500', rate: 3 })
  for (let n = 0; n < 10; n++) pass('/other', 500)
  pass('/x/fine', 200)
  pass('/x/failed', 500)
  assert.equal(activeTraces, 0)
  const ids = tracesIn(flush())
  assert.deepEqual(Object.keys(ids), ['/x/failed'])
  assert.notEqual(traces.read(String(ids['/x/failed'])), null)
})

test('traces are discarded with the last watch, and those in flight end', (t) => {
  const { live, pass, flush, traces } = watching(t, all, { id: 2, filter: 'status ge 500', rate: 1 })
  pass('/1')
  const id = String(tracesIn(flush())['/1'])
  const inFlight = live.begin(exchangeFor('GET', 'http://a.example/2'))
  assert.equal(activeTraces, 1)
  live.watch([all])
  assert.notEqual(traces.read(id), null)
  live.watch([])
  assert.deepEqual([traces.read(id), activeTraces, traces.isAdmitting], [null, 0, false])
  inFlight?.ended({ response: new Response(200), end: 'sent' })
  live.watch([all])
  assert.deepEqual([flush(), traces.read(id)], [[], null])
})

test('traces are discarded when the control plane no longer renews the watches', (t) => {
  const { pass, flush, traces, clock, live } = watching(t, all)
  pass('/1')
  const id = String(tracesIn(flush())['/1'])
  clock.advance(10_001)
  flush()
  assert.deepEqual([live.isOpen, traces.read(id)], [false, null])
})

test('a path is shown without credentials', (t) => {
  const { pass, flush } = watching(t, all)
  pass('/a;jsessionid=s3cret/b')
  assert.deepEqual(
    flush()[0]?.events.map(({ path }) => path),
    ['/a;jsessionid=[redacted]/b'],
  )
})
