import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WaitingEvents } from './waiting-events.ts'

test('events wait until they can be passed on, and keep their order', ({ mock }) => {
  mock.timers.enable({ apis: ['setInterval'] })
  const passed: unknown[] = []
  let room = 0
  using events = new WaitingEvents(({ n }) => {
    if (room === 0) return false
    room--
    passed.push(n)
    return true
  })
  events.add({ n: 1 })
  events.add({ n: 2 })
  mock.timers.tick(1_000)
  assert.deepEqual(passed, [])
  room = 1
  mock.timers.tick(1_000)
  room = 9
  events.add({ n: 3 })
  assert.deepEqual(passed, [1])
  mock.timers.tick(1_000)
  events.add({ n: 4 })
  assert.deepEqual(passed, [1, 2, 3, 4])
})

test('so many that nothing can pass on are bounded', ({ mock }) => {
  mock.timers.enable({ apis: ['setInterval'] })
  let isOpen = false
  let passed = 0
  using events = new WaitingEvents(() => {
    if (isOpen) passed++
    return isOpen
  })
  for (let n = 0; n < 2_000; n++) events.add({ n })
  isOpen = true
  mock.timers.tick(1_000)
  assert.equal(passed, 1_000)
})
