import assert from 'node:assert/strict'
import { test } from 'node:test'
import { queryObjects } from 'node:v8'
import { type QueuedRecord, RecordRefused, type Transport } from '#durable-queue'
import { createLogger, memoryLog } from '#logging'
import { systemClock } from '#schema'
import { accessEvent, auditRecords } from '#test/audit-events'
import { KafkaBroker, MESSAGE_TOO_LARGE, NOT_LEADER_OR_FOLLOWER } from '#test/kafka-broker'
import { kafkaPlan } from '#test/kafka-plan'
import { kafkaText } from '../../formats/kafka.ts'
import type { KafkaPlan } from './kafka-plan.ts'
import { openKafka } from './kafka-transport.ts'

const env = { logger: createLogger({ destination: memoryLog() }), clock: systemClock }
const { signal } = new AbortController()

function open(port: number, plan: Partial<KafkaPlan> = {}): Transport & AsyncDisposable {
  const transport = openKafka(kafkaPlan(port, plan), env)
  return Object.assign(transport, { [Symbol.asyncDispose]: () => transport.close() })
}

const events = (count: number): QueuedRecord[] =>
  auditRecords(count, (index) =>
    kafkaText('common', 'access', accessEvent({ _id: `id-${index}`, transactionId: `t-${index % 5}` })),
  )

const ids = (records: readonly { value: string }[]) => records.map(({ value }) => JSON.parse(value)._id)

test('records are produced to the topic with the prefix, acknowledged by all replicas, one partition for each key', async () => {
  await using broker = await KafkaBroker.start()
  await using transport = open(broker.port, { topicPrefix: 'gateway.' })
  await transport.send(events(20), signal)
  await transport.send(
    auditRecords(1, () => kafkaText('common', 'access', accessEvent())),
    signal,
  )
  assert.equal(broker.stored.length, 21)
  assert.deepEqual([...new Set(broker.stored.map(({ topic }) => topic))], ['gateway.access'])
  assert.deepEqual([...new Set(broker.acks)], [-1])
  for (let n = 0; n < 5; n++) {
    const ofKey = broker.stored.filter(({ key }) => key === `t-${n}`)
    assert.equal(new Set(ofKey.map(({ partition }) => partition)).size, 1)
    assert.deepEqual(
      ids(ofKey),
      [n, n + 5, n + 10, n + 15].map((index) => `id-${index}`),
    )
  }
})

test('kafkaTopic receives the events of all topics', async () => {
  await using broker = await KafkaBroker.start()
  await using transport = open(broker.port, { kafkaTopic: 'audit' })
  await transport.send(events(3), signal)
  assert.deepEqual([...new Set(broker.stored.map(({ topic }) => topic))], ['audit'])
})

test('a record that the broker refuses for its size is found, and those before it are stored', async () => {
  await using broker = await KafkaBroker.start()
  broker.verdict = (records) => (ids(records).includes('id-5') ? MESSAGE_TOO_LARGE : 0)
  await using transport = open(broker.port)
  await assert.rejects(
    transport.send(events(8), signal),
    (error) => error instanceof RecordRefused && error.index === 5 && /MESSAGE_TOO_LARGE/.test(error.message),
  )
  // Later records of another partition may be stored as well; the engine sends them again.
  const stored = new Set(ids(broker.stored))
  for (const id of ['id-0', 'id-1', 'id-2', 'id-3', 'id-4']) assert.ok(stored.has(id), id)
  assert.ok(!stored.has('id-5'))
  await transport.send(events(8).slice(6), signal)
  assert.ok(ids(broker.stored).includes('id-7'))
})

test('a partition that moves to another leader is retried, and no record is refused', async () => {
  await using broker = await KafkaBroker.start()
  broker.verdict = (_records, attempt) => (attempt === 0 ? NOT_LEADER_OR_FOLLOWER : 0)
  await using transport = open(broker.port, { kafkaTopic: 'audit' })
  await transport.send(events(1), signal)
  assert.deepEqual(ids(broker.stored), ['id-0'])
})

test('a broker that stores records and does not respond is a failure, and the transport recovers', async () => {
  await using broker = await KafkaBroker.start()
  broker.verdict = () => null
  await using transport = open(broker.port, { requestTimeout: 200, sendTimeout: 400 })
  await assert.rejects(transport.send(events(1), signal), /acknowledged nothing within 400 ms|timed out/i)
  broker.verdict = () => 0
  await transport.send(events(1), signal)
  assert.deepEqual(ids(broker.stored), ['id-0'])
})

test('connections that are reset between two calls are opened again', async () => {
  await using broker = await KafkaBroker.start()
  await using transport = open(broker.port)
  await transport.send(events(1), signal)
  broker.reset()
  await transport.send(events(2), signal).catch(() => transport.send(events(2), signal))
  assert.deepEqual(ids(broker.stored).slice(1).sort(), ['id-0', 'id-1'])
})

test('requests leave nothing in memory while the producer is open', async () => {
  await using broker = await KafkaBroker.start()
  await using transport = open(broker.port)
  const promisesAfter = async (requests: number): Promise<number> => {
    for (let n = 0; n < requests; n++) await transport.send(events(1), signal)
    return queryObjects(Promise, { format: 'count' }) as unknown as number
  }
  const before = await promisesAfter(10)
  const after = await promisesAfter(200)
  assert.ok(after - before < 100, `${after - before} promises are left of 200 requests`)
})
