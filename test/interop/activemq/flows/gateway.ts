import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import { GatewayProcess } from '#test/gateway-process'
import { TestInstance } from '#test/instance'
import type { Flow } from '../../flows.ts'
import { NumberedEvents, type Responses, sendNumbered } from '../../numbered-load.ts'
import { ActiveMqBroker } from '../broker.ts'
import { CONTEXT_FACTORY, consume, type Peers } from '../suite.ts'

function instanceAt(url: string, topic: string, config: object): TestInstance {
  const handler = {
    class: 'org.vendor.audit.handlers.jms.JmsAuditEventHandler',
    config: {
      name: 'jms',
      topics: ['access'],
      deliveryMode: 'PERSISTENT',
      sessionMode: 'AUTO',
      jndi: {
        contextProperties: {
          'java.naming.factory.initial': CONTEXT_FACTORY,
          'java.naming.provider.url': url,
          'topic.audit': topic,
        },
        topicName: 'audit',
        connectionFactoryName: 'ConnectionFactory',
      },
      ...config,
    },
  }
  return new TestInstance({
    units: 2,
    files: {
      'config/config.json': {
        heap: [{ name: 'AuditService', type: 'AuditService', config: { config: {}, eventHandlers: [handler] } }],
        handler: { type: 'StaticResponseHandler', config: { status: 200, entity: 'hello' } },
      },
    },
  })
}

/** Requests one after the other; their numbers are in the path. */
async function askAll(gateway: GatewayProcess, from: number, to: number): Promise<void> {
  for (let number = from; number < to; number++) {
    assert.equal((await gateway.ask(`/n/${number}`)).status, 200)
  }
}

/** Milliseconds from the last response to the last event. */
const ARRIVAL = 180_000

/** Requests of a load. */
const MANY = 100_000

const NUMBER = /\/n\/(\d+)/

export const GATEWAY_FLOWS: readonly Flow<Peers>[] = [
  {
    name: 'whole gateway: each request is an event in a TextMessage, with its envelope',
    run: async ({ broker }) => {
      const url = `tcp://127.0.0.1:${broker.port}`
      await using consumer = await consume(url, 'gateway')
      const instance = instanceAt(url, 'gateway', { envelope: 'topic' })
      await using gateway = await GatewayProcess.start({ instance })
      await askAll(gateway, 0, 50)
      await consumer.until(() => consumer.messages.length >= 50)
      const events = consumer.messages.map(({ text }) => JSON.parse(text) as { auditTopic: string; event: object })
      assert.ok(events.every(({ auditTopic }) => auditTopic === 'access'))
      const numbers = events.map(({ event }) => Number(NUMBER.exec(JSON.stringify(event))?.[1]))
      assert.deepEqual(
        numbers.toSorted((a, b) => a - b),
        Array.from({ length: 50 }, (_, index) => index),
      )
    },
  },
  {
    name: 'whole gateway: no event is missing after the broker and the gateway were killed in the middle',
    timeout: 300_000,
    run: async () => {
      await using broker = await ActiveMqBroker.start()
      const url = `failover:(tcp://127.0.0.1:${broker.port})?maxReconnectDelay=500`
      await using consumer = await consume(url, 'gateway', 'gateway')
      const instance = instanceAt(url, 'gateway', {})
      const first = await GatewayProcess.start({ instance })
      await askAll(first, 0, 200)
      await broker.kill()
      await askAll(first, 200, 400)
      first.kill('SIGKILL')
      await first.ended
      await broker.restart()
      await using second = await GatewayProcess.start({ instance })
      await askAll(second, 400, 600)
      const found = new Set<number>()
      let read = 0
      await consumer.until(() => {
        for (; read < consumer.messages.length; read++) {
          found.add(Number(NUMBER.exec(consumer.messages[read]?.text ?? '')?.[1]))
        }
        return found.size >= 600
      })
      const repeats =
        consumer.messages.length - new Set(consumer.messages.map(({ correlationId }) => correlationId)).size
      return `${consumer.messages.length} messages, ${repeats} repeats with the same JMSCorrelationID`
    },
  },
  {
    name: 'whole gateway: 100,000 events arrive once, those of each unit in order',
    timeout: 400_000,
    run: async ({ broker }) => {
      const url = `tcp://127.0.0.1:${broker.port}`
      await using consumer = await consume(url, 'hundred', 'hundred')
      await using gateway = await GatewayProcess.start({ instance: instanceAt(url, 'hundred', {}) })
      const started = performance.now()
      await sendNumbered(gateway.port, { from: 0, to: MANY, responses: new Set() })
      const seconds = (performance.now() - started) / 1000
      const events = new NumberedEvents()
      await consumer.until(() => {
        events.read(consumer.messages)
        return events.ids.size >= MANY
      })
      const behind = ((performance.now() - started) / 1000 - seconds).toFixed(1)
      assert.deepEqual([events.repeats, events.outOfOrder], [0, 0])
      return `${Math.round(MANY / seconds)} requests a second; the last event arrived ${behind} s after the last response`
    },
  },
  {
    name: 'whole gateway: of 100,000 events none is missing although the broker, then the gateway is killed under load',
    timeout: 500_000,
    run: async () => {
      await using broker = await ActiveMqBroker.start()
      const url = `failover:(tcp://127.0.0.1:${broker.port})?maxReconnectDelay=500`
      await using consumer = await consume(url, 'faults', 'faults')
      const instance = instanceAt(url, 'faults', {})
      const first = await GatewayProcess.start({ instance })
      const responses: Responses = new Set()
      let restarted: Promise<void> | null = null
      let isKilled = false
      const onResponse = (number: number): void => {
        if (number >= 25_000) restarted ??= broker.kill().then(() => broker.restart())
        if (number < 60_000 || isKilled) return
        isKilled = true
        first.kill('SIGKILL')
      }
      try {
        await sendNumbered(first.port, { from: 0, to: MANY, responses, onResponse })
      } finally {
        first.kill('SIGKILL')
        await first.ended
      }
      await restarted
      const sent = Math.max(...responses) + 1
      await using second = await GatewayProcess.start({ instance })
      await sendNumbered(second.port, { from: sent, to: MANY, responses })
      const promised = [...responses]
      const events = new NumberedEvents()
      const arrived = consumer.until(() => {
        events.read(consumer.messages)
        return events.hasAll(promised)
      })
      await Promise.race([arrived, delay(ARRIVAL)])
      assert.deepEqual(
        promised.filter((number) => !events.ids.has(number)),
        [],
        `of ${responses.size} responses, ${sent} before the kill`,
      )
      assert.equal(events.outOfOrder, 0)
      return `${responses.size} responses, ${events.repeats} repeats with the same _id`
    },
  },
]
