// Audit events to a real Apache Kafka, read back by Kafka's own consumer.
import assert from 'node:assert/strict'
import { DEFAULT_TLS_PLAN } from '#contracts'
import { createLogger } from '#logging'
import { systemClock } from '#schema'
import { accessEvent } from '#test/audit-events'
import { kafkaPlan } from '#test/kafka-plan'
import { freePort } from '#test/nginx'
import { kafkaText } from '../../../src/audit/formats/kafka.ts'
import type { KafkaPlan } from '../../../src/audit/transports/kafka/kafka-plan.ts'
import { openKafka } from '../../../src/audit/transports/kafka/kafka-transport.ts'
import type { QueuedRecord, Transport } from '../../../src/durable-queue/delivery/transport.ts'
import { deliver } from '../delivering.ts'
import { type Flow, runFlows } from '../flows.ts'
import { withOwned } from '../owned.ts'
import { CREDENTIALS, KafkaServer, MAX_MESSAGE_BYTES } from './kafka-server.ts'

interface Peers {
  readonly kafka: KafkaServer
  open(plan?: Partial<KafkaPlan>): Transport
}

/** Events of a few transactions; `_id` is the position. */
function events(topic: string, count: number, padding = ''): QueuedRecord[] {
  return Array.from({ length: count }, (_, index) => ({
    topic,
    id: String(index),
    text: kafkaText('common', 'access', accessEvent({ _id: String(index), transactionId: `t-${index % 7}`, padding })),
    time: Date.now(),
  }))
}

/** Ids in the order of arrival, by key; duplicates follow their record. */
function idsByKey(records: readonly { key: string; value: string }[]): Map<string, number[]> {
  const ids = new Map<string, number[]>()
  for (const { key, value } of records) {
    const { _id } = JSON.parse(value)
    ids.set(key, [...(ids.get(key) ?? []), Number(_id)])
  }
  return ids
}

/** Each event is there, and the first arrivals of each transaction are in order. */
function assertComplete(records: readonly { key: string; value: string }[], count: number): number {
  const ids = idsByKey(records)
  const seen = new Set([...ids.values()].flat())
  assert.equal(seen.size, count, 'number of different events')
  for (const [key, arrived] of ids) {
    const first = [...new Set(arrived)]
    assert.deepEqual(
      first,
      first.toSorted((a, b) => a - b),
      `order of ${key}`,
    )
  }
  return records.length - count
}

const FLOWS: readonly Flow<Peers>[] = [
  {
    name: 'events arrive in the order of their transaction, acknowledged, in the topic with the prefix',
    run: async ({ kafka, open }) => {
      const transport = open({ topicPrefix: 'gateway.' })
      const started = performance.now()
      const { failures } = await deliver(transport, events('access', 10_000), { batch: 500 })
      const seconds = (performance.now() - started) / 1_000
      await transport.close()
      const repeats = assertComplete(kafka.consume('gateway.access', 10_000), 10_000)
      assert.equal(repeats, 0)
      return `10,000 events in ${seconds.toFixed(1)} s, ${failures.length} failed calls`
    },
  },
  {
    name: 'the broker is killed and restarted in the middle: no event is missing, order is kept',
    run: async ({ kafka, open }) => {
      const transport = open({ sendTimeout: 4_000, requestTimeout: 2_000 })
      const records = events('restarted', 5_000)
      await deliver(transport, records.slice(0, 1_000))
      const rest = deliver(transport, records.slice(1_000), { batch: 20, timeout: 100_000 })
      await new Promise((resolve) => setTimeout(resolve, 200))
      await kafka.kill()
      await kafka.start()
      const { failures } = await rest
      await transport.close()
      const repeats = assertComplete(kafka.consume('restarted', 5_000), 5_000)
      assert.ok(failures.length > 0, 'calls failed while the broker was down')
      return `${failures.length} failed calls, first: ${failures[0]?.message}; ${repeats} repeats`
    },
  },
  {
    name: 'a record that is larger than the broker accepts is refused, the others arrive',
    run: async ({ kafka, open }) => {
      const transport = open({ maxRequestBytes: 10 * MAX_MESSAGE_BYTES })
      const records = events('large', 40, 'x'.repeat(10_000))
      const large = events('large', 8, 'y'.repeat(MAX_MESSAGE_BYTES))[7] as QueuedRecord
      records[7] = large
      const { refused } = await deliver(transport, records)
      await transport.close()
      assert.deepEqual(refused, ['7'])
      const ids = kafka.consume('large', 39).map(({ value }) => JSON.parse(value)._id)
      assert.deepEqual(
        [...new Set(ids)].sort(),
        records
          .map(({ id }) => id)
          .filter((id) => id !== '7')
          .sort(),
      )
    },
  },
  {
    name: 'a port without broker is a failure within the time limit',
    run: async ({ open }) => {
      const transport = open({ brokers: [{ host: '127.0.0.1', port: await freePort() }], sendTimeout: 3_000 })
      const started = performance.now()
      await assert.rejects(
        transport.send(events('absent', 1), new AbortController().signal),
        /ECONNREFUSED|nothing within/,
      )
      await transport.close()
      assert.ok(performance.now() - started < 6_000)
    },
  },
  ...(['PLAIN', 'SCRAM-SHA-512'] as const).map(
    (mechanism): Flow<Peers> => ({
      name: `TLS with SASL ${mechanism}; a wrong password is a failure`,
      run: async ({ kafka, open }) => {
        const secure = {
          brokers: [{ host: '127.0.0.1', port: kafka.securePort }],
          tls: { ...DEFAULT_TLS_PLAN, ca: [kafka.authority.certificate] },
          sendTimeout: 10_000,
        }
        const topic = `secure-${mechanism}`
        const transport = open({ ...secure, sasl: { mechanism, ...CREDENTIALS } })
        await deliver(transport, events(topic, 100))
        await transport.close()
        assertComplete(kafka.consume(topic, 100), 100)
        const wrong = open({ ...secure, sasl: { mechanism, ...CREDENTIALS, password: 'wrong' } })
        const failure = await wrong.send(events(topic, 1), new AbortController().signal).catch((error: Error) => error)
        await wrong.close()
        assert.ok(failure instanceof Error)
        assert.doesNotMatch(failure.message, /wrong|kafka-password/)
        return failure.message
      },
    }),
  ),
  {
    name: 'a certificate of another authority is a failure',
    run: async ({ kafka, open }) => {
      const brokers = [{ host: '127.0.0.1', port: kafka.securePort }]
      const transport = open({ brokers, tls: DEFAULT_TLS_PLAN, sasl: { mechanism: 'PLAIN', ...CREDENTIALS } })
      const failure = await transport.send(events('x', 1), new AbortController().signal).catch((error: Error) => error)
      await transport.close()
      assert.match(String(failure), /certificate/)
    },
  },
]

/** Words choose flows by their name. */
export function run(words: readonly string[]): Promise<boolean> {
  return withOwned(async (owned) => {
    const flows = FLOWS.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)))
    const kafka = owned.use(new KafkaServer())
    const started = performance.now()
    await kafka.create()
    console.log(`Kafka was ready after ${((performance.now() - started) / 1_000).toFixed(1)} s`)
    const env = { logger: createLogger({ level: 'silent' }), clock: systemClock }
    const limits = { connectTimeout: 2_000, sendTimeout: 20_000, maxRequestBytes: 200_000 }
    const open = (plan: Partial<KafkaPlan> = {}): Transport =>
      openKafka(kafkaPlan(kafka.port, { ...limits, ...plan }), env)
    return runFlows(flows, { kafka, open })
  })
}
