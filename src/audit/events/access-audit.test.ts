import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Exchange, respond, SerialIds } from '#http'
import { createLogger, memoryLog } from '#logging'
import { systemClock } from '#schema'
import { exchangeFor } from '#test/exchange'
import { AccessAudit } from './access-audit.ts'
import type { AccessEventData } from './access-event.ts'

/** An auditor, with what it publishes and records, in their order. */
function auditing({ userIdOf = (): string | null | Promise<string | null> => null, isStoring = true } = {}) {
  const calls: [string, AccessEventData | null][] = []
  // What is published then: the data change with the request.
  const call = (name: string, data: AccessEventData | null = null) => {
    calls.push([name, data && { ...data, id: data.id, response: data.response && { ...data.response } }])
  }
  const audit = new AccessAudit({
    needs: { hasQuery: false, hasResponseHeaders: true },
    longRunningAfter: 60_000,
    clock: systemClock,
    ids: new SerialIds(),
    userIdOf,
    publish: (data) => call('publish', data),
    begin: (data) => {
      call('begin', data)
      if (!isStoring) return null
      return {
        stored: { whenStored: (next) => next() },
        commit: () => call('commit'),
        amend: () => call('amend'),
        rollback: () => call('rollback'),
      }
    },
    eventOf: (data) => {
      call('event', data)
      return { topic: 'access', id: data.id.text, time: 0, texts: [] }
    },
    logger: createLogger({ destination: memoryLog() }),
  })
  const begin = (): NonNullable<Exchange['audit']> => {
    const exchange = exchangeFor('GET', 'http://a/')
    audit.begin(exchange)
    return exchange.audit ?? assert.fail('not audited')
  }
  return { audit, begin, calls, names: () => calls.map(([name]) => name) }
}

const response = respond(200, { 'X-Sent': '1' }, 'hello')

test('a recorded event that was sent is committed; it says what an event at the end would', async () => {
  const { begin, calls, names } = auditing()
  const audit = begin()
  audit.record(response)
  audit.end({ response, end: 'sent' })
  assert.deepEqual(names(), ['begin', 'commit'])
  const [, data] = calls[0] ?? assert.fail()
  assert.deepEqual([data?.response?.isSuccessful, data?.response?.statusCode], [true, 200])
  assert.ok(data?.responseHeaders?.includes('X-Sent'))
})

test('a recorded event of a response that was cut off is replaced by one with the same id', async () => {
  const { begin, calls, names } = auditing()
  const audit = begin()
  audit.record(response)
  audit.end({ response, end: 'aborted' })
  assert.deepEqual(names(), ['begin', 'rollback', 'publish'])
  const [recorded, , published] = calls.map(([, data]) => data)
  assert.equal(published?.id, recorded?.id)
  assert.equal(published?.response?.reason, 'the client closed the connection')
})

test('an event that can not be recorded is published at the end', async () => {
  const full = auditing({ isStoring: false })
  const audit = full.begin()
  assert.equal(audit.record(response), null)
  audit.end({ response, end: 'sent' })
  assert.deepEqual(full.names(), ['begin', 'publish'])

  const waiting = auditing({ userIdOf: async () => 'demo' })
  const other = waiting.begin()
  assert.equal(other.record(response), null)
  other.end({ response, end: 'sent' })
  await Promise.resolve()
  await Promise.resolve()
  assert.deepEqual(waiting.names(), ['publish'])
})

test('a client that reads slowly has an event with the time it needed; the first event of a long request is another one', async (t) => {
  t.mock.timers.enable({ apis: ['Date'] })
  const { audit, begin, calls, names } = auditing()
  const record = begin()
  t.mock.timers.setTime(20)
  record.record(response)
  t.mock.timers.setTime(90_000)
  audit.reportLongRunning()
  record.end({ response, end: 'sent' })
  assert.deepEqual(names(), ['begin', 'publish', 'event', 'amend'])
  const [recorded, first, last] = calls.map(([, data]) => data)
  assert.equal(recorded?.response?.elapsedTime, 20)
  assert.equal(first?.response, null)
  assert.notEqual(first?.id, recorded?.id)
  assert.deepEqual([last?.id, last?.response?.elapsedTime], [recorded?.id, 90_000])
})
