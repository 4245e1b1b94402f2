import {
  type JmsMessage,
  type JmsProducer,
  MessageRefused,
  openProducer,
  type ProducerPlan,
} from '@identity-gateway/jms'
import { identityProblem } from '#contracts'
import { type BatchLimits, type QueuedRecord, RecordRefused, type Transport, type TransportEnv } from '#durable-queue'

/** A JMS broker, as plain data. */
export interface JmsPlan {
  readonly producer: ProducerPlan
  /** `event`: the text of the record; `topic`: an object with the audit topic and the event. */
  readonly envelope: 'event' | 'topic'
}

/** Sends each record as a JMS TextMessage, in order. The producer connects with the first records. */
export function openJms({ producer, envelope }: JmsPlan, { logger, clock }: TransportEnv): Transport {
  const onConnected = (broker: string): void => logger.limited(broker).info({ broker }, 'connected to the broker')
  return new JmsTransport(openProducer(producer, { clock, onConnected, identityProblem }), envelope)
}

/** Larger than usual: the messages of a call are few transactions, of which the broker writes each to its disk at once. */
const LIMITS: BatchLimits = { records: 2_000, bytes: 1024 * 1024 }

class JmsTransport implements Transport {
  readonly batchLimits = LIMITS
  readonly #producer: JmsProducer
  readonly #envelope: JmsPlan['envelope']

  constructor(producer: JmsProducer, envelope: JmsPlan['envelope']) {
    this.#producer = producer
    this.#envelope = envelope
  }

  async send(records: readonly QueuedRecord[], signal: AbortSignal): Promise<void> {
    try {
      await this.#producer.send(this.#envelope === 'event' ? records : records.map(withTopic), signal)
    } catch (error) {
      if (error instanceof MessageRefused) throw new RecordRefused(error.index, error.message)
      throw error
    }
  }

  close(): Promise<void> {
    return this.#producer.close()
  }
}

function withTopic({ id, topic, text }: QueuedRecord): JmsMessage {
  // The text is JSON already.
  return { id, text: `{"auditTopic":${JSON.stringify(topic)},"event":${text}}` }
}
