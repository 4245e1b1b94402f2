import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
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
  type Treatment,
  until,
} from '#test/audit-destination'

describe('a hostile destination', () => {
  test('that never resolves is aborted after the deadline, and the batch is sent again', async () => {
    const aborted: boolean[] = []
    const destination = new AuditDestination((_, signal) => {
      const { promise, reject } = Promise.withResolvers<void>()
      signal.addEventListener('abort', () => {
        aborted.push(true)
        reject(signal.reason)
      })
      return promise
    })
    await using started = new StartedDelivery(destination, {}, { timing: { ...QUICK, sendDeadline: 5 } })
    started.delivery.add(recordsOf(2))
    await until(() => aborted.length >= 2)
    assert.deepEqual(started.delivery.state, { isUp: false, reason: 'delivery failed: ETIMEDOUT' })
    destination.treatment = ACCEPT
    assert.equal(await started.delivery.flush(10_000), true)
    assert.deepEqual(destination.ids, idsOf(2))
  })

  test('that accepts after the abort has accepted: nothing is sent twice', async () => {
    const destination = new AuditDestination((_, signal) => {
      const { promise, resolve } = Promise.withResolvers<void>()
      signal.addEventListener('abort', () => setTimeout(resolve, 5))
      return promise
    })
    await using started = new StartedDelivery(
      destination,
      {},
      { timing: { ...QUICK, sendDeadline: 5, abortGrace: 10_000 } },
    )
    started.delivery.add(recordsOf(2))
    assert.equal(await started.delivery.flush(10_000), true)
    assert.deepEqual([destination.calls.length, destination.ids], [1, idsOf(2)])
  })

  test('that throws at once, throws no error, or rejects with nothing is tried again', async () => {
    const throws: Treatment[] = [
      () => {
        throw new TypeError('bad')
      },
      () => {
        throw 'text'
      },
      () => {
        throw null
      },
      () => Promise.reject(undefined),
      () => Promise.reject({ code: 'secret value', index: 0 }),
    ]
    const destination = new AuditDestination((records, signal) =>
      throws[destination.calls.length - 1]?.(records, signal),
    )
    await using started = new StartedDelivery(destination)
    started.delivery.add(recordsOf(2))
    assert.equal(await started.delivery.flush(10_000), true)
    assert.deepEqual([destination.ids, started.delivery.counts.failures], [idsOf(2), 5])
    assert.equal(started.log.includes('secret value'), false)
  })
})

describe('closing a delivery', () => {
  test('delivers records that were added before, and closes the transport once', async () => {
    const destination = new AuditDestination()
    const { delivery } = new StartedDelivery(destination)
    delivery.add(recordsOf(1_000))
    await Promise.all([delivery.close(10_000), delivery.close(10_000)])
    assert.deepEqual([destination.accepted.length, destination.closed], [1_000, 1])
    assert.equal(delivery.counts.lost.closed, 0)
  })

  test('retries until the limit', async () => {
    const destination = new AuditDestination((records, signal) => {
      if (destination.calls.length < 6) REFUSE_CONNECTION(records, signal)
    })
    const { delivery } = new StartedDelivery(destination)
    delivery.add(recordsOf(10))
    await delivery.close(10_000)
    assert.deepEqual(destination.ids, idsOf(10))
  })

  test('counts and logs the rest as lost after the limit, also where send and close never end', async () => {
    const destination = new AuditDestination(STALL)
    destination.onClose = () => new Promise<never>(() => {})
    const started = new StartedDelivery(destination, {}, { timing: { ...QUICK, closeGrace: 10 } })
    started.delivery.add(recordsOf(7))
    const closing = started.delivery.close(5)
    started.delivery.add([recordOf('late')])
    await closing
    assert.equal(started.delivery.counts.lost.closed, 8)
    assert.equal(started.logged('GW_AUDIT_EVENTS_LOST')[0]?.['events'], 8)
    assert.equal(started.logged('GW_AUDIT_CLOSE_FAILED').length, 1)
    started.delivery.add([recordOf('later')])
    assert.equal(started.delivery.counts.lost.closed, 9)
    assert.equal(await started.delivery.flush(60_000), false)
  })

  test('survives a transport whose close throws', async () => {
    const destination = new AuditDestination()
    destination.close = () => {
      throw new Error('broken')
    }
    const started = new StartedDelivery(destination)
    await started.delivery.close(10)
    assert.equal(started.logged('GW_AUDIT_CLOSE_FAILED').length, 1)
  })

  test('reopen reaches the transport', async () => {
    const destination = new AuditDestination()
    await using started = new StartedDelivery(destination)
    await started.delivery.reopen()
    assert.equal(destination.reopened, 1)
  })
})
