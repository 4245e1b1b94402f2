import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Admission, runThreads } from '#test/throttling-thread'

/** Milliseconds of full load; 30 seconds in the acceptance run. */
const LOAD = Number(process.env['THROTTLING_LOAD'] ?? 1_000)

function perPartition(admissions: readonly Admission[], partitions: number): Admission[][] {
  const lists: Admission[][] = Array.from({ length: partitions }, () => [])
  for (const admission of admissions) lists[admission.partition]!.push(admission)
  return lists
}

const latest = (all: readonly Admission[], of: 'before' | 'after') =>
  all.reduce((time, each) => Math.max(time, each[of]), 0)
const earliest = (all: readonly Admission[], of: 'before' | 'after') =>
  all.reduce((time, each) => Math.min(time, each[of]), Number.POSITIVE_INFINITY)

for (const units of [2, 8]) {
  test(`${units} units under full load: each of 50 partitions gets its rate, within one request`, async () => {
    // The first requests empty the bucket; filling it takes five times the duration of the test, so that no token is lost.
    const rate = { numberOfRequests: LOAD / 4, duration: LOAD * 5 }
    const work = {
      size: { maxPartitions: 1_000 },
      rate,
      partitions: 50,
      time: LOAD,
      clockSpeed: 1,
      burst: null,
      cleaner: true,
    }
    const reports = await runThreads(units + 1, work)
    const each = rate.numberOfRequests / rate.duration
    const all = reports.flatMap(({ admissions }) => admissions)
    for (const [partition, admissions] of perPartition(all, 50).entries()) {
      const most = rate.numberOfRequests + (latest(admissions, 'after') - earliest(admissions, 'before')) * each
      assert.ok(admissions.length <= most, `${admissions.length}, at most ${most}`)
      // From the first to the last refusal the bucket was never full, and empty at both.
      const refusals = reports.flatMap((report) => report.refusals[partition] ?? [])
      const first = refusals.map((refusal) => refusal.first).sort((a, b) => a.after - b.after)[0]!
      const least = (Math.max(...refusals.map(({ last }) => last)) - first.after) * each - 1
      const between = admissions.filter(({ after }) => after >= first.before).length
      assert.ok(least > 10, `${least}`)
      assert.ok(between >= least, `${between}, at least ${least}`)
    }
  })
}

test('a partition never has two buckets, while buckets are freed and created concurrently', async () => {
  // One request each 400 ms of a clock a thousand times as fast: a bucket is full after 0.4 ms and freed a
  // millisecond later, while all threads pause; then all create it again at the same time. More threads than processors.
  const rate = { numberOfRequests: 1, duration: 400 }
  const work = {
    size: { maxPartitions: 32 },
    rate,
    partitions: 4,
    time: 1_500,
    clockSpeed: 1_000,
    burst: 4,
    cleaner: true,
  }
  const reports = await runThreads(6, work)
  const lists = perPartition(
    reports.flatMap((report) => report.admissions),
    4,
  )
  for (const admissions of lists) {
    assert.ok(admissions.length > 100)
    admissions.sort((a, b) => a.before - b.before)
    for (let at = 1; at < admissions.length; at++) {
      const [one, other] = [admissions[at - 1]!, admissions[at]!]
      const apart = Math.max(one.after, other.after) - one.before
      assert.ok(apart >= rate.duration, `two requests within ${apart} ms, although there is one for each 400 ms`)
    }
  }
})
