import type { MessageToProduce } from '@platformatic/kafka'
import type { QueuedRecord, Transport, TransportEnv } from '#durable-queue'
import { kafkaKeyAndValue } from '../../formats/kafka.ts'
import { RangeRefused, rangeEnds, sendHalvingRefused } from '../refused-range.ts'
import { within } from '../within.ts'
import { describeKafkaError, isAboutRecords } from './kafka-error.ts'
import type { KafkaPlan } from './kafka-plan.ts'
import { type OpenProducer, openProducer } from './open-producer.ts'

const MAX_REQUEST_RECORDS = 1_000
/** Bytes of a record beside key and value, at most. */
const RECORD_OVERHEAD = 100
const CLOSE_TIMEOUT = 2_000

/** Produces records to Kafka, acknowledged by all in-sync replicas. The text of a record is that of `kafkaText`. */
export function openKafka(plan: KafkaPlan, _env: TransportEnv): Transport {
  return new KafkaTransport(plan)
}

class KafkaTransport implements Transport {
  readonly #plan: KafkaPlan
  #open: OpenProducer | null = null

  constructor(plan: KafkaPlan) {
    this.#plan = plan
  }

  async send(records: readonly QueuedRecord[], signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    const sizes = records.map(({ text }) => Buffer.byteLength(text) + RECORD_OVERHEAD)
    let start = 0
    for (const end of rangeEnds(sizes, MAX_REQUEST_RECORDS, this.#plan.maxRequestBytes)) {
      await sendHalvingRefused(start, end, (from, to) => this.#produce(records.slice(from, to), signal))
      start = end
    }
  }

  async close(): Promise<void> {
    const open = this.#open
    this.#open = null
    if (open === null) return
    const closing = Promise.resolve(open.producer.close(true))
    await within(CLOSE_TIMEOUT, new AbortController().signal, 'the producer did not close', closing).catch(() => {})
    open.destroy()
  }

  async #produce(records: readonly QueuedRecord[], signal: AbortSignal): Promise<void> {
    // The library is loaded with the first event: gateways without Kafka do not need its memory.
    this.#open ??= await openProducer(this.#plan)
    const open = this.#open
    const messages = records.map((record) => this.#message(record))
    const failed = open.onSend()
    try {
      const acknowledged = Promise.race([open.producer.send({ messages }), failed])
      await within(this.#plan.sendTimeout, signal, 'the brokers acknowledged nothing', acknowledged)
    } catch (error) {
      if (isAboutRecords(error)) throw new RangeRefused(describeKafkaError(error))
      // A new producer has a new id: a sequence that broke off can not block the ones after it.
      this.#open = null
      open.destroy()
      signal.throwIfAborted()
      throw new Error(describeKafkaError(error, open.connectionError))
    }
  }

  #message({ text, time, topic }: QueuedRecord): MessageToProduce<Buffer, Buffer, string, string> {
    const { key, value } = kafkaKeyAndValue(text)
    return {
      topic: this.#plan.kafkaTopic ?? `${this.#plan.topicPrefix}${topic}`,
      ...(key !== '' && { key: Buffer.from(key) }),
      value: Buffer.from(value),
      timestamp: BigInt(Math.trunc(time)),
    }
  }
}
