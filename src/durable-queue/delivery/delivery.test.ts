import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type QueuedRecord, RecordRefused } from '#durable-queue'
import { systemClock } from '#schema'
import {
  ACCEPT,
  AuditDestination,
  idsOf,
  QUICK,
  REFUSE_CONNECTION,
  recordOf,
  recordsOf,
  STALL,
  StartedDelivery,
  until,
} from '#test/audit-destination'
import { leastCost, threadTime } from '#test/loop-watch'
import { RecordsDiscarded, SendDeferred } from './transport.ts'

describe('a delivery', () => {
  test('sends records in their order, in batches of at most 500 records and 256 KiB', async () => {
    const destination = new AuditDestination()
    await using started = new StartedDelivery(destination)
    started.delivery.add(recordsOf(1_200))
    assert.equal(await started.delivery.flush(10_000), true)
    assert.deepEqual(destination.ids, idsOf(1_200))
    assert.deepEqual(
      destination.calls.map(({ length }) => length),
      [500, 500, 200],
    )
    started.delivery.add(idsOf(6).map((id) => recordOf(id, 'x'.repeat(100 * 1024))))
    started.delivery.add([recordOf('large', 'x'.repeat(1 << 20)), recordOf('last')])
    assert.equal(await started.delivery.flush(10_000), true)
    assert.deepEqual(
      destination.calls.slice(3).map(({ length }) => length),
      [2, 2, 2, 1, 1],
    )
    assert.deepEqual([...started.delivery.counts.delivered], [['access', 1_208]])
    assert.deepEqual(started.delivery.state, { isUp: true, reason: null })
  })

  test('sends at once; records that are added during a send go into the next batch', async () => {
    const first = Promise.withResolvers<void>()
    const destination = new AuditDestination(() => first.promise)
    await using started = new StartedDelivery(destination)
    started.delivery.add([recordOf(0)])
    await until(() => destination.calls.length === 1)
    for (const record of recordsOf(10, 1)) started.delivery.add([record])
    destination.treatment = ACCEPT
    first.resolve()
    await started.delivery.flush(10_000)
    assert.deepEqual(
      destination.calls.map(({ length }) => length),
      [1, 10],
    )
  })

  test('repeats a failed batch with the same records, and keeps the order', async () => {
    const destination = new AuditDestination(REFUSE_CONNECTION)
    await using started = new StartedDelivery(destination)
    started.delivery.add(recordsOf(3))
    await until(() => destination.calls.length >= 3)
    started.delivery.add(recordsOf(3, 3))
    const failed = destination.calls.length
    await until(() => destination.calls.length > failed)
    destination.treatment = ACCEPT
    assert.equal(await started.delivery.flush(10_000), true)
    assert.deepEqual(destination.ids, idsOf(6))
    assert.ok(destination.calls.slice(0, -1).every(({ length }) => length === 3))
    assert.ok(started.delivery.counts.failures >= 3)
  })

  test('one log entry begins an outage and one ends it, with the events that waited and were lost', async () => {
    const destination = new AuditDestination(REFUSE_CONNECTION)
    await using started = new StartedDelivery(destination, { maxEvents: 4 })
    started.delivery.add(recordsOf(4))
    await until(() => destination.calls.length >= 6)
    started.delivery.add(recordsOf(2, 4))
    assert.equal(started.logged('GW_AUDIT_DELIVERY_FAILED').length, 1)
    assert.equal(started.logged('GW_AUDIT_DELIVERY_FAILED')[0]?.['errno'], 'ECONNREFUSED')
    assert.deepEqual(started.delivery.state, { isUp: false, reason: 'delivery failed: ECONNREFUSED' })
    assert.equal(started.delivery.counts.lost.full, 2)
    destination.treatment = ACCEPT
    await started.delivery.flush(10_000)
    const end = started.entries.filter(({ message }) => message === 'audit events are delivered again')
    assert.deepEqual(
      end.map(({ handler, queued, lost }) => [handler, queued, lost]),
      [['broker', 4, 2]],
    )
    assert.equal(started.delivery.state.isUp, true)
  })

  test('a single failure, such as that of an idle connection closed by the peer, is repeated at once and not logged', async () => {
    const destination = new AuditDestination((records) => {
      if (destination.calls.length === 1) REFUSE_CONNECTION(records, AbortSignal.abort())
    })
    await using started = new StartedDelivery(destination)
    started.delivery.add(recordsOf(3))
    assert.equal(await started.delivery.flush(10_000), true)
    assert.deepEqual([started.delivery.counts.failures, started.entries.length], [1, 0])
  })

  test('attempts that the destination asked to put off are no failures, and are repeated at the time it named', async () => {
    const answers = [new Error('busy'), new SendDeferred(40, 'busy; wait'), new SendDeferred(20, 'busy; wait')]
    const destination = new AuditDestination(() => {
      const answer = answers.shift()
      if (answer !== undefined) throw answer
    })
    const timing = { ...QUICK, shortestRetry: 30_000, longestRetry: 30_000 }
    await using started = new StartedDelivery(destination, {}, { timing })
    started.delivery.add([recordOf(0)])
    await until(() => started.delivery.counts.delivered.size > 0)
    assert.equal(destination.calls.length, 4)
    assert.equal(started.delivery.counts.failures, 1)
    assert.equal(started.logged('GW_AUDIT_DELIVERY_FAILED').length, 1)
    assert.deepEqual(started.delivery.state, { isUp: true, reason: null })
  })

  test('a destination that takes long to fail is logged with the first failure, and degraded while records wait for it', async () => {
    let elapsed = 0
    const clock = { ...systemClock, monotonic: () => elapsed }
    // As one that accepts connections and reads nothing: a new one has room for a batch.
    const destination = new AuditDestination(() => {
      if (destination.calls.length % 2 === 1) return
      elapsed += 10_000
      throw new Error('the receiver took no bytes for 10 s')
    })
    await using started = new StartedDelivery(destination, {}, { clock })
    started.delivery.add([recordOf(0)])
    assert.equal(await started.delivery.flush(10_000), true)
    started.delivery.add([recordOf(1)])
    assert.equal(await started.delivery.flush(10_000), true)
    assert.equal(started.logged('GW_AUDIT_DELIVERY_FAILED').length, 1)

    destination.treatment = STALL
    started.delivery.add([recordOf(2)])
    await until(() => destination.calls.length === 4)
    assert.equal(started.delivery.state.isUp, true)
    elapsed += 12_345
    assert.deepEqual(started.delivery.state, { isUp: false, reason: 'audit events wait for delivery for 12 s' })
  })

  test('a destination that refuses every record is degraded until it accepts one', async () => {
    const destination = new AuditDestination(() => {
      throw new RecordRefused(0, 'unknown index')
    })
    await using started = new StartedDelivery(destination)
    started.delivery.add(recordsOf(3))
    assert.equal(await started.delivery.flush(10_000), true)
    assert.deepEqual(started.delivery.state, { isUp: false, reason: 'the destination refuses audit events' })
    destination.treatment = ACCEPT
    started.delivery.add([recordOf(3)])
    assert.equal(await started.delivery.flush(10_000), true)
    assert.equal(started.delivery.state.isUp, true)
  })

  test('a record that the destination refuses for good is counted as lost; those before and after it are delivered', async () => {
    const destination = new AuditDestination((records) => {
      const index = records.findIndex(({ id }) => Number(id) % 3 === 1)
      if (index === -1) return
      destination.accepted.push(...records.slice(0, index))
      throw new RecordRefused(index, 'too large for the broker')
    })
    await using started = new StartedDelivery(destination)
    started.delivery.add(recordsOf(9))
    assert.equal(await started.delivery.flush(10_000), true)
    assert.deepEqual(destination.ids, ['0', '2', '3', '5', '6', '8'])
    assert.equal(started.delivery.counts.lost.refused, 3)
    assert.deepEqual([...started.delivery.counts.delivered], [['access', 6]])
    assert.equal(started.logged('GW_AUDIT_EVENT_REFUSED').length, 1)
  })

  test('records that the destination accepted and discarded are counted as lost, and not sent again', async () => {
    for (const [count, lost] of [
      [2, 2],
      [99, 5],
      [-1, 0],
      [Number.NaN, 0],
    ] as const) {
      const destination = new AuditDestination(() => {
        throw new RecordsDiscarded(count, 'attribute too long')
      })
      await using started = new StartedDelivery(destination)
      started.delivery.add(recordsOf(5))
      assert.equal(await started.delivery.flush(10_000), true)
      assert.deepEqual([destination.calls.length, started.delivery.counts.lost.refused], [1, lost])
      assert.equal(started.delivery.counts.delivered.get('access') ?? 0, 5 - lost)
      assert.equal(started.logged('GW_AUDIT_EVENT_REFUSED').length, 1)
    }
  })

  test('a refusal with an index beyond the batch is an ordinary failure', async () => {
    for (const index of [-1, 3, 0.5, Number.NaN, '__proto__' as unknown as number]) {
      const destination = new AuditDestination(() => {
        throw new RecordRefused(index, 'wrong')
      })
      await using started = new StartedDelivery(destination)
      started.delivery.add(recordsOf(3))
      await until(() => destination.calls.length > 2)
      destination.treatment = ACCEPT
      await started.delivery.flush(10_000)
      assert.deepEqual(destination.ids, idsOf(3))
    }
  })

  test('records beyond the bounds of memory are dropped, counted, and logged once for each outage', async () => {
    const changes: boolean[] = []
    const destination = new AuditDestination(STALL)
    const env = { onFullChange: (isFull: boolean) => changes.push(isFull), timing: { ...QUICK, sendDeadline: 50 } }
    await using started = new StartedDelivery(destination, { maxEvents: 100 }, env)
    started.delivery.add(recordsOf(80))
    assert.equal(started.delivery.isFull, false)
    started.delivery.add(recordsOf(10, 80))
    assert.equal(started.delivery.isFull, true)
    for (let n = 0; n < 5; n++) started.delivery.add(recordsOf(10, 90 + n * 10))
    assert.deepEqual([started.delivery.counts.queued, started.delivery.counts.lost.full], [100, 40])
    assert.equal(started.logged('GW_AUDIT_QUEUE_FULL').length, 1)
    destination.treatment = ACCEPT
    assert.equal(await started.delivery.flush(20_000), true)
    assert.deepEqual(destination.ids, idsOf(100))
    assert.deepEqual(changes, [true, false])
  })

  test('bytes in memory are bounded too, and a record beyond the bound by itself is dropped without the others', async () => {
    const destination = new AuditDestination(REFUSE_CONNECTION)
    await using started = new StartedDelivery(destination, { maxBytes: 1_000 })
    started.delivery.add([
      recordOf('a', 'ä'.repeat(300)),
      recordOf('b', 'x'.repeat(1_001)),
      recordOf('c', 'x'.repeat(300)),
    ])
    started.delivery.add([recordOf('d', 'x'.repeat(101))])
    started.delivery.add([recordOf('e', 'x'.repeat(100))])
    destination.treatment = ACCEPT
    await started.delivery.flush(10_000)
    assert.deepEqual(destination.ids, ['a', 'c', 'e'])
    const { full, too_large: tooLarge } = started.delivery.counts.lost
    assert.deepEqual([full, tooLarge], [1, 1])
  })

  test('flush is true with nothing to deliver, and false after its limit', async () => {
    const destination = new AuditDestination(STALL)
    await using started = new StartedDelivery(destination)
    assert.equal(await started.delivery.flush(0), true)
    started.delivery.add([recordOf(0)])
    assert.equal(await started.delivery.flush(5), false)
  })

  test('flush ends the pause before the next attempt; attempt resolves at the next failure', async () => {
    const destination = new AuditDestination(REFUSE_CONNECTION)
    const timing = { ...QUICK, shortestRetry: 60_000, longestRetry: 60_000 }
    await using started = new StartedDelivery(destination, {}, { timing })
    started.delivery.add([recordOf(0)])
    assert.equal(await started.delivery.attempt(20_000), false)
    assert.equal(await started.delivery.attempt(20_000), false)
    destination.treatment = ACCEPT
    assert.equal(await started.delivery.attempt(20_000), true)
    assert.equal(destination.calls.length, 4)
  })

  test('reports the delay from making to acceptance', async () => {
    const delays: number[] = []
    let now = 1_000
    const clock = { now: () => now, monotonic: () => performance.now() }
    const destination = new AuditDestination(REFUSE_CONNECTION)
    await using started = new StartedDelivery(destination, {}, { clock, onDelay: (delay) => delays.push(delay) })
    started.delivery.add([{ ...recordOf(0), time: 1_000 }])
    await until(() => destination.calls.length > 2)
    now = 3_500
    assert.equal(started.delivery.counts.oldestAge, 2_500)
    destination.treatment = ACCEPT
    await started.delivery.flush(10_000)
    assert.deepEqual([delays, started.delivery.counts.oldestAge], [[2_500], 0])
  })

  test('a burst of 200,000 records blocks the event loop for a bounded time, and costs at most 2 µs for each', async () => {
    const destination = new AuditDestination()
    let delivered = 0
    destination.send = async (records: readonly QueuedRecord[]) => {
      delivered += records.length
    }
    await using started = new StartedDelivery(destination, { maxEvents: 2_000_000, maxBytes: 2 ** 31 })
    const records = new Array<QueuedRecord>(1_000).fill(recordOf(0))
    const cost = await leastCost({ total: 400, longest: 100 }, async () => {
      delivered = 0
      for (let n = 0; n < 200; n++) started.delivery.add(records)
      assert.equal(await started.delivery.flush(60_000), true)
      assert.equal(delivered, 200_000)
    })
    assert.ok(cost.total < 400 && cost.longest < 200, `${cost.total} ms, longest turn ${cost.longest} ms`)
  })

  test('a call with a million records takes no longer than the bound of the queue allows', async () => {
    await using started = new StartedDelivery(new AuditDestination(REFUSE_CONNECTION))
    const records = new Array<QueuedRecord>(1_000_000).fill(recordOf(0))
    const begin = threadTime()
    started.delivery.add(records)
    assert.ok(threadTime() - begin < 300)
    assert.deepEqual([started.delivery.counts.queued, started.delivery.counts.lost.full], [100_000, 900_000])
  })

  test('outages in quick succession are logged once, unless one lasts', async () => {
    let monotonic = 0
    const clock = { now: () => Date.now(), monotonic: () => monotonic }
    const destination = new AuditDestination()
    await using started = new StartedDelivery(destination, {}, { clock })
    const outage = async () => {
      destination.treatment = REFUSE_CONNECTION
      started.delivery.add([recordOf(0)])
      const calls = destination.calls.length
      await until(() => destination.calls.length > calls + 3)
    }
    const recover = async () => {
      destination.treatment = ACCEPT
      assert.equal(await started.delivery.flush(10_000), true)
    }
    const logged = () => started.entries.map(({ level }) => level).join(' ')
    for (let n = 0; n < 5; n++) {
      await outage()
      await recover()
    }
    assert.equal(logged(), 'error info')
    await outage()
    assert.equal(started.delivery.state.isUp, false)
    monotonic = 10_000
    await until(() => logged() === 'error info error')
    await recover()
    assert.equal(logged(), 'error info error info')
  })
})
