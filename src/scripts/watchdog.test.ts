import assert from 'node:assert/strict'
import { test } from 'node:test'
import { threadWatchdog, watchdogFor } from './watchdog.ts'

for (const [name, make] of Object.entries({ watchdogFor, threadWatchdog })) {
  test(`${name}: code that ends in time completes, repeatedly`, () => {
    let runs = 0
    const watchdog = make(() => {
      runs += 1
    }, 2_000)
    for (let at = 1; at <= 50; at += 1) assert.deepEqual([watchdog.run(), runs], ['done', at])
  })

  test(`${name}: code that does not end is stopped at the limit, and the next run is not`, () => {
    let endless = true
    const watchdog = make(() => {
      while (endless);
    }, 300)
    const started = performance.now()
    assert.equal(watchdog.run(), 'stopped')
    assert.ok(performance.now() - started >= 290)
    endless = false
    assert.equal(watchdog.run(), 'done')
  })

  test(`${name}: two watchdogs do not stop each other`, () => {
    const quick = make(() => undefined, 1_000)
    const slow = make(() => {
      const end = performance.now() + 100
      while (performance.now() < end);
    }, 2_000)
    assert.equal(quick.run(), 'done')
    assert.equal(slow.run(), 'done')
    assert.equal(quick.run(), 'done')
  })
}

test('a long limit uses a thread', () => {
  let runs = 0
  const watchdog = watchdogFor(() => {
    runs += 1
  }, 60_000)
  assert.equal(watchdog.run(), 'done')
  assert.equal(runs, 1)
})
