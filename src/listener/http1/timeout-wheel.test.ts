import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Timed, TimeoutWheel } from './timeout-wheel.ts'

/** Records its checks, and moves its deadline. */
class Recorded implements Timed {
  slot = -1
  dueAt = 0
  deadline: number
  readonly checks: number[] = []
  expired = -1

  constructor(deadline: number) {
    this.deadline = deadline
  }

  check(now: number): number | null {
    this.checks.push(now)
    if (now < this.deadline) return this.deadline
    this.expired = now
    return null
  }
}

function turn(wheel: TimeoutWheel, ticks: number): void {
  for (let count = 0; count < ticks; count++) wheel.tick()
}

test('an item is checked at its tick, once', () => {
  const wheel = new TimeoutWheel()
  const items = [1, 2, 2, 700].map((deadline) => new Recorded(deadline))
  for (const item of items) wheel.add(item, item.deadline)
  turn(wheel, 2_000)
  assert.deepEqual(
    items.map(({ expired, checks }) => [expired, checks.length]),
    [
      [1, 1],
      [2, 1],
      [2, 1],
      [700, 1],
    ],
  )
})

test('a deadline beyond the wheel, or none, costs a check in each revolution', () => {
  const wheel = new TimeoutWheel()
  const [far, never] = [new Recorded(3_000), new Recorded(Number.POSITIVE_INFINITY)]
  for (const item of [far, never]) wheel.add(item, item.deadline)
  turn(wheel, 4_000)
  assert.equal(far.expired, 3_000)
  assert.deepEqual([never.expired, never.checks.length], [-1, 3])
  wheel.delete(never)
})

test('a deadline that moves later is found at the check, and one that moves earlier is hastened', () => {
  const wheel = new TimeoutWheel()
  const item = new Recorded(10)
  wheel.add(item, 10)
  item.deadline = 100
  wheel.hasten(item, 100)
  turn(wheel, 10)
  assert.deepEqual([item.checks, item.dueAt], [[10], 100])
  item.deadline = 20
  wheel.hasten(item, 20)
  turn(wheel, 10)
  assert.equal(item.expired, 20)
})

test('an item that is deleted is not checked, also by another one of its tick', () => {
  const wheel = new TimeoutWheel()
  const other = new Recorded(5)
  const item: Timed = {
    slot: -1,
    dueAt: 0,
    check: () => {
      wheel.delete(other)
      return null
    },
  }
  wheel.add(item, 5)
  wheel.add(other, 5)
  turn(wheel, 10)
  assert.deepEqual(other.checks, [])
})

test('so many ticks last at least the milliseconds', () => {
  const wheel = new TimeoutWheel()
  assert.deepEqual(
    [1, 50, 51, 1_000, Number.POSITIVE_INFINITY].map((time) => wheel.ticks(time)),
    [2, 2, 3, 21, Number.POSITIVE_INFINITY],
  )
})
