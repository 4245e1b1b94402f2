import assert from 'node:assert/strict'
import { test } from 'node:test'
import { manualClock } from '#test/build'
import { balancerOf, seededRandom } from '#test/upstream-servers'
import { OutlierDetection } from './outlier-detection.ts'
import { ServerStates } from './server-states.ts'

const SETTINGS = {
  consecutiveFailures: 3,
  interval: 10_000,
  baseEjectionTime: 30_000,
  maxEjectionTime: 300_000,
  maxEjectionPercent: 50,
}

function detecting(servers: number, settings: Partial<typeof SETTINGS> = {}) {
  const clock = manualClock()
  clock.advance(1_000)
  const made = balancerOf(
    Array.from({ length: servers }, () => ({})),
    {},
    clock,
    seededRandom(1),
  )
  const all = { ...SETTINGS, ...settings }
  const units = [0, 1].map((unit) => new OutlierDetection(new ServerStates(made.memory, unit), all, clock))
  const fail = (slot: number, times: number) =>
    Array.from({ length: times }, (_, i) => units[i % 2]!.failed(slot, servers)).filter(Boolean).length
  return { ...made, clock, units, fail }
}

test('failures in a row are counted over units, and a success ends the row', () => {
  const { states, fail, units, balancer } = detecting(3)
  assert.equal(fail(0, 2), 0)
  units[1]!.succeeded(0)
  assert.equal(fail(0, 2), 0)
  assert.equal(fail(0, 1), 1)
  assert.equal(states.isEjected(0), true)
  assert.equal(states.reason(0), '3 requests in a row failed')
  assert.equal(balancer.healthy, 2)
})

test('an ejection ends by time, and each further one is longer', () => {
  const { states, fail, balancer, clock } = detecting(3)
  fail(0, 3)
  clock.advance(29_999)
  assert.equal(balancer.healthy, 2)
  clock.advance(1)
  assert.equal(balancer.healthy, 3)
  assert.equal(states.reason(0), 'the time of its ejection is over')
  fail(0, 3)
  clock.advance(59_999)
  assert.equal(balancer.healthy, 2)
  clock.advance(1)
  assert.equal(balancer.healthy, 3)
  clock.advance(100_000)
  fail(0, 3)
  clock.advance(30_000)
  assert.equal(balancer.healthy, 3, 'a long good time shortens the next ejection')
})

test('a single server is never ejected', () => {
  const { states, fail } = detecting(1)
  assert.equal(fail(0, 20), 0)
  assert.equal(states.ejected, 0)
})

test('one of two servers is ejected, whatever the percentage, and never both', () => {
  for (const maxEjectionPercent of [0, 10, 100]) {
    const { states, fail } = detecting(2, { maxEjectionPercent })
    assert.equal(fail(0, 3), 1)
    assert.equal(fail(1, 20), 0)
    assert.equal(states.ejected, 1)
  }
})

test('no more servers than maxEjectionPercent are ejected', () => {
  const { states, fail } = detecting(10, { maxEjectionPercent: 30 })
  for (let slot = 0; slot < 10; slot++) fail(slot, 5)
  assert.equal(states.ejected, 3)
})

test('an ejected server keeps its ejection and its count in the memory of the next revision', () => {
  const { states, fail, balancer, clock } = detecting(3)
  fail(1, 3)
  const next = ServerStates.memory({ capacity: 3, units: 2, textBytes: 1_000 })
  const taken = new ServerStates(next, null)
  for (let slot = 0; slot < 3; slot++) taken.takeOver(slot, states, slot)
  assert.equal(taken.ejected, 1)
  assert.equal(taken.isEjected(1), true)
  assert.equal(taken.ejectedUntil(1), clock.monotonic() + 30_000)
  assert.equal(taken.reason(1), '3 requests in a row failed')
  assert.equal(balancer.healthy, 2)
})
