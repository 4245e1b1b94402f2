import assert from 'node:assert/strict'
import { JmsError } from '@identity-gateway/jms'
import { producerOf } from '#test/jms-plan'
import { correlationIdsOf, deliver, idsOf, messagesOf } from '../activemq/suite.ts'
import type { Flow } from '../flows.ts'
import { consume, type Peers, planAt, TEXTS } from './peers.ts'
import { RABBITMQ_VERSION, RabbitMqServer, rabbitMqMissing } from './rabbitmq-server.ts'

const LOGIN = 'jms.username=gateway&jms.password=right'
const at = ({ port }: RabbitMqServer, login = LOGIN): string => `amqp://127.0.0.1:${port}?${login}`

/** The plugin of RabbitMQ 3 ends a channel whose credit is drained. */
const receive = (broker: RabbitMqServer, destination: string) => consume(at(broker), destination)

/** Names of RabbitMQ for a queue that it creates, for a durable one that exists, and for the exchange `amq.topic`. */
const QUEUE = '/queue/audit'
const DURABLE = '/amq/queue/durable'
const TOPIC = '/topic/audit'

export const RABBITMQ_FLOWS: readonly Flow<Peers>[] = [
  {
    name: `RabbitMQ ${RABBITMQ_VERSION}: texts arrive as TextMessage from a queue and a topic, up to 1 MB`,
    skip: rabbitMqMissing,
    run: async () => {
      await using broker = await RabbitMqServer.start()
      for (const destination of [QUEUE, TOPIC]) {
        await using consumer = await receive(broker, destination)
        await using producer = producerOf(planAt(at(broker), destination))
        const messages = messagesOf(destination, TEXTS.length, (index) => TEXTS[index] as string)
        await producer.send(messages)
        const received = await consumer.receives(idsOf(messages))
        assert.deepEqual(
          received.map(({ text, type }) => [type, text.length]),
          TEXTS.map((text) => ['TextMessage', text.length]),
        )
      }
    },
  },
  {
    name: `RabbitMQ ${RABBITMQ_VERSION}: a wrong password is refused`,
    skip: rabbitMqMissing,
    run: async () => {
      await using broker = await RabbitMqServer.start()
      await using producer = producerOf(planAt(at(broker, 'jms.username=gateway&jms.password=wrong'), QUEUE))
      await assert.rejects(producer.send(messagesOf('users', 1)), (error: unknown) => {
        assert.ok(error instanceof JmsError)
        assert.match(error.message, /authenticat|closed|disconnected/i)
        return true
      })
    },
  },
  {
    name: `RabbitMQ ${RABBITMQ_VERSION}: killed and restarted in the middle it has all PERSISTENT messages, in order`,
    skip: rabbitMqMissing,
    timeout: 300_000,
    run: async () => {
      await using broker = await RabbitMqServer.start()
      await using producer = producerOf(planAt(at(broker), DURABLE))
      const messages = messagesOf('killed', 5_000)
      let restarted: Promise<void> | null = null
      const { failures } = await deliver(producer, messages, 100, (sent) => {
        if (sent === 2_000) restarted = broker.kill().then(() => broker.restart())
      })
      await restarted
      await using consumer = await receive(broker, DURABLE)
      assert.deepEqual(correlationIdsOf(await consumer.receives(idsOf(messages))), idsOf(messages))
      return `${failures} failed sends, ${consumer.messages.length - messages.length} repeats`
    },
  },
]
