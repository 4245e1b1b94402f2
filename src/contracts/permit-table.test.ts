import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { leastCost } from '#test/loop-watch'
import { startPermitThreads } from '#test/permit-thread'
import { within } from '#test/waiting'
import { PermitTable } from './permit-table.ts'

function tables(units: number, permits: number): { memory: SharedArrayBuffer; table: PermitTable[] } {
  const memory = new SharedArrayBuffer(PermitTable.bytes(units, permits))
  return { memory, table: Array.from({ length: units }, (_, unit) => new PermitTable(memory, units, unit)) }
}

/** Takes all free permits, and returns their number. */
function drain(table: PermitTable): number {
  let count = 0
  while (table.acquire()) count++
  return count
}

test('any sequence of operations, and of crashes at any point, neither loses a permit nor exceeds their number', () => {
  const step = fc.record({
    unit: fc.nat(3),
    action: fc.constantFrom('acquire', 'release', 'yield', 'demand', 'adopt', 'crash'),
    count: fc.nat(3),
  })
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 6 }),
      fc.constantFrom(0, 254),
      fc.array(step, { maxLength: 80 }),
      (few, taken, steps) => {
        const permits = few + taken
        const { memory, table } = tables(5, permits)
        for (let i = 0; i < taken; i++) assert.equal(table[4]!.acquire(), true)
        for (const { unit, action, count } of steps) {
          const own = table[unit]!
          if (action === 'acquire') own.acquire()
          else if (action === 'demand') own.setDemand(own.acquire() ? 0 : count)
          else if (action === 'adopt') own.adoptGranted()
          else if (action === 'crash') {
            new PermitTable(memory, 5, unit).releaseAll()
            table[unit] = new PermitTable(memory, 5, unit)
          } else if (own.held > 0) own.release(action === 'yield')
          const held = table.reduce((sum, { held: each }) => sum + each, 0)
          assert.ok(held <= permits)
        }
        for (const each of table) each.releaseAll()
        assert.equal(drain(table[0]!), permits)
      },
    ),
    { numRuns: 500 },
  )
})

test('a released permit goes to the unit with the fewest that waits, and is free where none waits', () => {
  const { table } = tables(3, 4)
  const [first, second, third] = table as [PermitTable, PermitTable, PermitTable]
  for (let i = 0; i < 3; i++) first.acquire()
  second.acquire()
  second.setDemand(1)
  third.setDemand(1)
  assert.equal(first.othersWait, true)
  first.release()
  assert.deepEqual([second.adoptGranted(), third.adoptGranted()], [0, 1])
  first.release()
  assert.deepEqual([second.adoptGranted(), third.adoptGranted()], [1, 0])
  assert.equal(first.othersWait, false)
  first.release()
  assert.equal(third.hasFree, true)
})

test('a unit whose own requests wait yields only to units with no permit, or two fewer', () => {
  const { table } = tables(2, 5)
  const [first, second] = table as [PermitTable, PermitTable]
  drain(first)
  second.setDemand(5)
  const given: boolean[] = []
  for (let i = 0; i < 4; i++) {
    given.push(first.mustGiveUpOne)
    first.release(true)
    second.adoptGranted()
    if (first.held + second.held < 5) first.acquire()
  }
  assert.deepEqual(given, [true, true, false, false])
  assert.deepEqual([first.held, second.held], [3, 2])
})

test('with fewer permits than units they move from unit to unit', () => {
  const { table } = tables(4, 1)
  table[0]!.acquire()
  const order: number[] = []
  for (const [unit, each] of table.entries()) if (unit > 0) each.setDemand(1)
  for (let turn = 0, holder = 0; turn < 8; turn++) {
    table[holder]!.setDemand(1)
    assert.equal(table[holder]!.mustGiveUpOne, true)
    table[holder]!.release(true)
    holder = table.findIndex((each) => each.adoptGranted() > 0)
    order.push(holder)
  }
  assert.deepEqual(order, [1, 2, 3, 0, 1, 2, 3, 0])
})

test('threads never hold more permits than there are, all get their turns, and those of a terminated thread return', async () => {
  await using threads = startPermitThreads(5, 3)
  await within('100 turns of each thread', threads.turns(100))
  await threads.terminate(0)
  await within('200 turns of the remaining threads', threads.turns(200))
  assert.ok(threads.most <= 3)
  assert.ok(threads.most > 1)
})

test('thousands of permits are taken, looked for in vain and moved to another unit in a time that does not grow with the connections', async () => {
  const permits = 8_000
  const { total } = await leastCost({ total: 200, longest: Number.POSITIVE_INFINITY }, async () => {
    const [first, second] = tables(9, permits).table as [PermitTable, PermitTable]
    assert.equal(drain(first), permits)
    for (let i = 0; i < permits; i++) assert.equal(second.hasFree, false)
    for (let i = 0; i < permits; i++) {
      second.setDemand(1)
      first.release()
      assert.equal(second.adoptGranted(), 1)
    }
    second.releaseAll()
    assert.equal(drain(first), permits)
  })
  assert.ok(total < 200, `${total} ms`)
})

test('a permit that a unit has freed or handed over as it ended, before it counted the change, is found', () => {
  const { memory, table } = tables(3, 300)
  const [first, second] = table as [PermitTable, PermitTable]
  assert.equal(drain(first), 300)
  assert.deepEqual([second.hasFree, second.adoptGranted()], [false, 0])
  const words = new Int32Array(memory)
  const lastPermits = words.length - 2
  Atomics.store(words, lastPermits, 0)
  Atomics.store(words, lastPermits + 1, 2)
  new PermitTable(memory, 3, 2).releaseAll()
  assert.equal(second.adoptGranted(), 1)
  assert.equal(second.acquire(), true)
})
