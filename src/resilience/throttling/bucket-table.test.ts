import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { ThrottlingRate } from '#contracts'
import { type ManualClock, manualClock } from '#test/build'
import { BucketTable } from './bucket-table.ts'

const SMALL = { maxPartitions: 32 }
const RATE: ThrottlingRate = { numberOfRequests: 3, duration: 3_000 }
const pause = async () => {}

function tableOf(clock: ManualClock, size = SMALL): BucketTable {
  return new BucketTable(new SharedArrayBuffer(BucketTable.bytes(size)), size, clock)
}

/** Reference implementation in exact fractions: tokens times duration. */
class Reference {
  readonly #rate: ThrottlingRate
  #level: bigint
  #at: number

  constructor(rate: ThrottlingRate, now: number) {
    this.#rate = rate
    this.#level = this.#full
    this.#at = now
  }

  get #full(): bigint {
    return BigInt(this.#rate.numberOfRequests * this.#rate.duration)
  }

  take(now: number): boolean {
    const filled = this.#level + BigInt((now - this.#at) * this.#rate.numberOfRequests)
    this.#level = filled < this.#full ? filled : this.#full
    this.#at = now
    if (this.#level < BigInt(this.#rate.duration)) return false
    this.#level -= BigInt(this.#rate.duration)
    return true
  }
}

test('admits the same requests as a token bucket in exact fractions, for any rate, partitions, order and cleaning', async () => {
  const rates = fc.array(
    fc.record({ numberOfRequests: fc.integer({ min: 1, max: 50 }), duration: fc.integer({ min: 1, max: 5_000 }) }),
    { minLength: 1, maxLength: 3 },
  )
  const step = fc.record({
    wait: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 300 }), fc.integer({ min: 300, max: 8_000 })),
    partition: fc.nat(3),
    rate: fc.nat(2),
    clean: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(rates, fc.array(step, { maxLength: 300 }), async (chosen, steps) => {
      const clock = manualClock()
      const table = tableOf(clock)
      const references = new Map<string, Reference>()
      for (const { wait, partition, rate, clean } of steps) {
        clock.advance(wait)
        if (clean) await table.clean(0, pause)
        const used = chosen[rate % chosen.length]!
        const key = `${partition} ${used.numberOfRequests} ${used.duration}`
        const reference = references.get(key) ?? new Reference(used, clock.monotonic())
        references.set(key, reference)
        assert.equal(table.take(`${partition}`, used).admitted, reference.take(clock.monotonic()))
      }
    }),
    { numRuns: 300 },
  )
})

test('remaining and nextAfter', () => {
  const clock = manualClock()
  const table = tableOf(clock)
  const take = () => table.take('a', RATE)
  assert.deepEqual(take(), { admitted: true, remaining: 2, nextAfter: 1_000 })
  assert.deepEqual(take(), { admitted: true, remaining: 1, nextAfter: 1_000 })
  assert.deepEqual(take(), { admitted: true, remaining: 0, nextAfter: 1_000 })
  assert.deepEqual(take(), { admitted: false, remaining: 0, nextAfter: 1_000 })
  clock.advance(999)
  assert.deepEqual(take(), { admitted: false, remaining: 0, nextAfter: 1 })
  clock.advance(1)
  assert.equal(take().admitted, true)
})

test('refused requests consume no tokens', () => {
  const clock = manualClock()
  const table = tableOf(clock)
  for (let i = 0; i < 1_000; i++) table.take('a', RATE)
  clock.advance(1_000)
  assert.equal(table.take('a', RATE).admitted, true)
})

test('one bucket for each partition and rate: switching between rates refills none', () => {
  const clock = manualClock()
  const table = tableOf(clock)
  const other = { numberOfRequests: 2, duration: 3_000 }
  const admitted = [0, 0]
  for (let i = 0; i < 20; i++) {
    if (table.take('a', RATE).admitted) admitted[0]!++
    if (table.take('a', other).admitted) admitted[1]!++
  }
  assert.deepEqual(admitted, [3, 2])
  assert.equal(table.take('b', RATE).admitted, true)
})

test('a rate that is no whole number of milliseconds per request is exact over a long time', () => {
  const clock = manualClock()
  const table = tableOf(clock)
  const rate = { numberOfRequests: 7, duration: 11 }
  let admitted = 0
  for (let i = 0; i < 110_000; i++) {
    while (table.take('a', rate).admitted) admitted++
    clock.advance(1)
  }
  assert.equal(admitted, 7 + Math.floor((7 * 109_999) / 11))
})

test('B72: within any interval of duration there are at most twice the requests, and the rate on average', () => {
  const clock = manualClock()
  const table = tableOf(clock)
  const times: number[] = []
  for (let i = 0; i < 30_000; i++) {
    if (table.take('a', RATE).admitted) times.push(clock.monotonic())
    clock.advance(1)
  }
  const within = (from: number) => times.filter((time) => time >= from && time < from + RATE.duration).length
  assert.equal(within(0), 3 + 2)
  for (let from = 1; from < 27_000; from += 100) assert.ok(within(from) <= 3 + 2)
  assert.equal(times.length, 3 + 29)
})

test('B71: partitions beyond the limit share one bucket of their rate and are counted; no bucket in use is freed', async () => {
  const clock = manualClock()
  const table = tableOf(clock)
  const rate = { numberOfRequests: 2, duration: 60_000 }
  table.take('active', rate)
  table.take('active', rate)
  const admitted = Array.from({ length: 10_000 }, (_, at) => table.take(`flood ${at}`, rate)).filter((d) => d.admitted)
  assert.ok(table.partitions <= 64)
  assert.equal(admitted.length, table.partitions - 1 + 2)
  assert.equal(table.overflows, 10_000 - (table.partitions - 1))
  await table.clean(0, pause)
  assert.equal(table.take('active', rate).admitted, false)
  assert.equal(table.take('another', { ...rate, duration: 30_000 }).admitted, true)
  clock.advance(30_000 + 2_000)
  // Buckets of the flood are full again after 30 seconds, the active one after 60.
  table.take('new', rate)
  assert.equal(table.partitions, 2)
  assert.equal(table.take('active', rate).admitted, true)
  assert.equal(table.take('active', rate).admitted, false)
})

test('the cleaner frees full buckets, and only one unit cleans in an interval', async () => {
  const clock = manualClock()
  const memory = new SharedArrayBuffer(BucketTable.bytes(SMALL))
  const [table, other] = [new BucketTable(memory, SMALL, clock), new BucketTable(memory, SMALL, clock)]
  clock.advance(1)
  table.take('a', RATE)
  other.take('b', { numberOfRequests: 1, duration: 100_000 })
  assert.deepEqual([table.partitions, other.partitions], [2, 2])
  clock.advance(5_000)
  assert.deepEqual([await table.clean(5_000, pause), await other.clean(5_000, pause)], [true, false])
  assert.equal(table.partitions, 1)
  assert.equal(table.take('b', { numberOfRequests: 1, duration: 100_000 }).admitted, false)
})

/** Partitions of the flood; a million in the acceptance run. */
const FLOOD = Number(process.env['THROTTLING_FLOOD'] ?? 200_000)

test('B71: a flood of partitions keeps all their buckets in memory that does not grow', () => {
  assert.ok(BucketTable.bytes({ maxPartitions: 1_000_000 }) < 51 * 2 ** 20)
  const clock = manualClock()
  const table = tableOf(clock, { maxPartitions: FLOOD })
  const rate = { numberOfRequests: 1, duration: 3_600_000 }
  for (let at = 0; at < FLOOD; at++) if (!table.take(`partition ${at}`, rate).admitted) assert.fail(`${at}`)
  assert.equal(table.partitions + table.overflows, FLOOD)
  assert.ok(table.overflows === 0)
  for (let at = 0; at < FLOOD; at += 97) assert.equal(table.take(`partition ${at}`, rate).admitted, false)
})
