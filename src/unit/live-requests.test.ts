import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import type { RequestWatch, WatchedRequests } from '#contracts'
import { Response } from '#http'
import { manualClock } from '#test/build'
import { exchangeFor } from '#test/exchange'
import { LiveRequests } from './live-requests.ts'

const FLUSH = 200

/** Watched requests with a manual clock; `pass` lets one request begin and end, `flush` returns the next message. */
function watching(t: { after(end: () => void): void }, ...watches: readonly RequestWatch[]) {
  mock.timers.enable({ apis: ['setInterval'] })
  t.after(() => mock.timers.reset())
  const sent: (readonly WatchedRequests[])[] = []
  const live = new LiveRequests({ clock: manualClock(0), send: (batches) => sent.push(batches) })
  live.watch(watches)
  return {
    live,
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
