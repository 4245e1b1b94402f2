import assert from 'node:assert/strict'
import { test } from 'node:test'
import { threadedWatch, watchOver } from './watch.ts'

for (const [name, make] of Object.entries({ watchOver, threadedWatch })) {
  test(`${name}: code that ends in time runs to its end, again and again`, () => {
    let runs = 0
    const watch = make(() => {
      runs += 1
    }, 2_000)
    for (let at = 1; at <= 50; at += 1) assert.deepEqual([watch.run(), runs], ['done', at])
  })

  test(`${name}: code that does not end is stopped after its time, and another run is not`, () => {
    let endless = true
    const watch = make(() => {
      while (endless);
    }, 300)
    const started = performance.now()
    assert.equal(watch.run(), 'stopped')
    assert.ok(performance.now() - started >= 290)
    endless = false
    assert.equal(watch.run(), 'done')
  })

  test(`${name}: two watches do not stop each other`, () => {
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

test('a limit that is long is kept by a thread', () => {
  let runs = 0
  const watch = watchOver(() => {
    runs += 1
  }, 60_000)
  assert.equal(watch.run(), 'done')
  assert.equal(runs, 1)
})
