import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type QueuedRecord, RecordRefused } from '#durable-queue'
import { createLogger, memoryLog } from '#logging'
import { systemClock } from '#schema'
import { endpointAt, NO_SIGNAL, producerPlan } from '#test/jms-plan'
import { OpenWireBroker } from '#test/openwire-broker'
import { openTransport } from '../open-transport.ts'
import type { JmsPlan } from './jms-transport.ts'

const env = { logger: createLogger({ destination: memoryLog() }), clock: systemClock }

async function open(port: number, envelope: JmsPlan['envelope'] = 'event') {
  const plan = { type: 'jms', producer: producerPlan([endpointAt(port)]), envelope }
  const transport = await openTransport(plan, env)
  return {
    send: (records: readonly QueuedRecord[]) => transport.send(records, NO_SIGNAL),
    [Symbol.asyncDispose]: () => transport.close(),
  }
}

const record = (id: string, text = `{"_id":"${id}"}`): QueuedRecord => ({ topic: 'access', id, text, time: 0 })

test('a record is a message with its text, and its id to recognise repeats', async () => {
  await using broker = await OpenWireBroker.start()
  await using transport = await open(broker.port)
  await transport.send([record('a'), record('b')])
  assert.deepEqual(
    broker.messages.map(({ correlationId, text }) => [correlationId, text]),
    [
      ['a', '{"_id":"a"}'],
      ['b', '{"_id":"b"}'],
    ],
  )
})

test('the envelope "topic" holds the audit topic and the event', async () => {
  await using broker = await OpenWireBroker.start()
  await using transport = await open(broker.port, 'topic')
  await transport.send([record('a')])
  assert.deepEqual(JSON.parse(broker.messages[0]?.text ?? ''), { auditTopic: 'access', event: { _id: 'a' } })
})

test('a record beyond the limit of the broker is refused by its position; others are accepted', async () => {
  await using broker = await OpenWireBroker.start({ maxFrameSize: 10_000n })
  await using transport = await open(broker.port)
  const large = record('large', JSON.stringify('x'.repeat(10_000)))
  await assert.rejects(transport.send([record('a'), large, record('b')]), (error: unknown) => {
    assert.ok(error instanceof RecordRefused)
    assert.equal(error.index, 1)
    return true
  })
  await transport.send([record('b')])
  assert.deepEqual(
    broker.messages.map(({ correlationId }) => correlationId),
    ['a', 'b'],
  )
})

test('a broker that is gone is a failure, after which the same records are accepted', async () => {
  await using broker = await OpenWireBroker.start()
  await using transport = await open(broker.port)
  await transport.send([record('a')])
  broker.reset()
  await transport.send([record('b')]).catch(() => transport.send([record('b')]))
  assert.equal(broker.messages.at(-1)?.correlationId, 'b')
})

test('B99: data of a client is in the body alone; destination and correlation id are those of the gateway', async () => {
  await using broker = await OpenWireBroker.start()
  const hostile = { userId: "x' OR JMSPriority > 0 OR '", path: 'topic://other?consumer.selector=TRUE', name: '"}\r\n' }
  for (const envelope of ['event', 'topic'] as const) {
    await using transport = await open(broker.port, envelope)
    await transport.send([{ ...record('a', JSON.stringify(hostile)), topic: 'a","event":{"b":"' }])
  }
  assert.deepEqual(
    broker.messages.map(({ destination, correlationId }) => [destination, correlationId]),
    [
      ['topic://audit', 'a'],
      ['topic://audit', 'a'],
    ],
  )
  assert.deepEqual(
    broker.messages.map(({ text }) => JSON.parse(text)),
    [hostile, { auditTopic: 'a","event":{"b":"', event: hostile }],
  )
})
