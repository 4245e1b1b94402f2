import assert from 'node:assert/strict'
import { producerOf } from '#test/jms-plan'
import type { Flow } from '../../flows.ts'
import { ActiveMqBroker } from '../broker.ts'
import { consume, correlationIdsOf, deliver, idsOf, messagesOf, type Peers, planAt } from '../suite.ts'

const TEXTS = [
  '{}',
  '{"name":"Zoë","price":"5 €","script":"日本語"}',
  '{"emoji":"😀","zero":"\u0000","lone":"\ud800"}',
  `{"large":"${'é'.repeat(512 * 1024)}"}`,
]

export const MESSAGE_FLOWS: readonly Flow<Peers>[] = [
  ...(['PERSISTENT', 'NON_PERSISTENT'] as const).map((deliveryMode) => ({
    name: `${deliveryMode} texts arrive as TextMessage with every character, up to 1 MB`,
    run: async ({ broker }: Peers) => {
      const topic = `texts.${deliveryMode}`
      await using consumer = await consume(`tcp://127.0.0.1:${broker.port}`, topic)
      await using producer = producerOf(planAt(`tcp://127.0.0.1:${broker.port}`, topic, { deliveryMode }))
      const messages = messagesOf(topic, TEXTS.length, (index) => TEXTS[index] as string)
      await producer.send(messages)
      const received = await consumer.receives(idsOf(messages))
      for (const [index, message] of received.entries()) {
        assert.ok(message.text === TEXTS[index], `text ${index} differs: ${message.text.slice(0, 100)}`)
        assert.equal(message.type, 'TextMessage')
        assert.equal(message.deliveryMode, deliveryMode)
      }
    },
  })),
  {
    name: '100,000 PERSISTENT messages arrive in order',
    timeout: 300_000,
    run: async ({ broker }) => {
      const url = `tcp://127.0.0.1:${broker.port}`
      await using consumer = await consume(url, 'many', 'many')
      await using producer = producerOf(planAt(url, 'many'))
      const messages = messagesOf('many', 100_000, (index) => `{"_id":"many-id-${index}","text":"${'x'.repeat(500)}"}`)
      const started = performance.now()
      await deliver(producer, messages)
      const seconds = (performance.now() - started) / 1000
      const received = await consumer.receives(idsOf(messages))
      assert.deepEqual(correlationIdsOf(received), idsOf(messages))
      assert.equal(consumer.messages.length, messages.length, 'repeats without a fault')
      return `sent in ${seconds.toFixed(1)} s: ${Math.round(messages.length / seconds)} messages a second`
    },
  },
  ...[9, 10, 11].map((version) => ({
    name: `a broker with OpenWire version ${version} reads the messages`,
    run: async () => {
      await using broker = await ActiveMqBroker.start({ options: `wireFormat.version=${version}` })
      const url = `tcp://127.0.0.1:${broker.port}`
      await using consumer = await consume(url, 'old')
      await using producer = producerOf(planAt(url, 'old'))
      const messages = messagesOf('old', 3)
      await producer.send(messages)
      const received = await consumer.receives(idsOf(messages))
      assert.deepEqual(
        received.map(({ text }) => text),
        messages.map(({ text }) => text),
      )
    },
  })),
  {
    name: 'a queue takes the messages as well as a topic',
    run: async ({ broker }) => {
      const url = `tcp://127.0.0.1:${broker.port}`
      await using producer = producerOf(planAt(url, 'queue.audit'))
      const messages = messagesOf('queue', 3)
      await producer.send(messages)
      await using consumer = await consume(url, 'queue.audit')
      assert.deepEqual(correlationIdsOf(await consumer.receives(idsOf(messages))), idsOf(messages))
    },
  },
]
