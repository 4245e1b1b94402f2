// The mapping of a JMS TextMessage to AMQP 1.0, as Qpid JMS reads it.
import type { Clock } from '../clock.ts'
import type { JmsMessage } from '../producer.ts'
import type { ProducerPlan } from '../producer-plan.ts'

/** Codes of the mapping: of a text message, and of destinations. */
const TEXT_MESSAGE = 5
const DESTINATION = { queue: 0, topic: 1 } as const

/** Encodes text messages of a producer. */
export function textMessageEncoder(
  { message, types }: typeof import('rhea'),
  { connection: { destination }, deliveryMode }: ProducerPlan,
  clock: Clock,
): (message: JmsMessage) => Buffer {
  const annotations = {
    'x-opt-jms-msg-type': types.wrap_byte(TEXT_MESSAGE),
    'x-opt-jms-dest': types.wrap_byte(DESTINATION[destination.kind]),
  }
  const durable = deliveryMode === 'PERSISTENT'
  return ({ id, text }) =>
    message.encode({
      durable,
      message_annotations: annotations,
      message_id: `ID:${id}`,
      to: destination.name,
      correlation_id: id,
      creation_time: new Date(clock.now()),
      body: text,
    }) as Buffer
}
