import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { Folder } from '#test/folder'
import { GatewayProcess } from '#test/gateway-process'
import { TestInstance } from '#test/instance'
import type { Flow } from '../../flows.ts'
import { KEYSTORE_PASSWORD, writeKeystores } from '../../keystores.ts'
import { NumberedEvents, type Responses, sendNumbered } from '../../numbered-load.ts'
import { ActiveMqBroker } from '../broker.ts'
import { CONTEXT_FACTORY, consume, type Peers } from '../suite.ts'

function instanceAt(url: string, topic: string, config: object, heap: readonly object[] = []): TestInstance {
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
  const policies = { filterPolicies: { field: { includeIf: ['/access/http/request/headers/x-long'] } } }
  return new TestInstance({
    units: 2,
    connector: { maxTotalHeadersSize: 1_048_576 },
    files: {
      'config/config.json': {
        heap: [
          ...heap,
          { name: 'AuditService', type: 'AuditService', config: { config: policies, eventHandlers: [handler] } },
        ],
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

interface AccessEvent {
  readonly http: { readonly request: { readonly headers: Readonly<Record<string, readonly string[]>> } }
}

/** Numbers of the requests of events. */
function numbersIn(messages: readonly { readonly text: string }[]): ReadonlySet<number> {
  return new Set(messages.map(({ text }) => Number(NUMBER.exec(text)?.[1])))
}

/** TLS with the key and the authority of a folder. */
function tlsHeap(folder: Folder): object[] {
  const keystore = (file: string) => ({ url: pathToFileURL(folder.in(file)).href, password: KEYSTORE_PASSWORD })
  return [
    { name: 'keys', type: 'KeyStore', config: keystore('keys.p12') },
    { name: 'authorities', type: 'KeyStore', config: keystore('trust.p12') },
    {
      name: 'tls',
      type: 'ClientTlsOptions',
      config: {
        keyManager: { type: 'KeyManager', config: { keystore: 'keys', password: KEYSTORE_PASSWORD } },
        trustManager: { type: 'TrustManager', config: { keystore: 'authorities' } },
      },
    },
  ]
}

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
    name: 'whole gateway: a header of almost 1 MB is in its event',
    run: async ({ broker }) => {
      const url = `tcp://127.0.0.1:${broker.port}`
      await using consumer = await consume(url, 'long')
      await using gateway = await GatewayProcess.start({ instance: instanceAt(url, 'long', {}) })
      const value = 'x'.repeat(1_048_000)
      assert.equal((await gateway.ask('/n/0', { headers: { 'X-Long': value } })).status, 200)
      await consumer.until(() => consumer.messages.length >= 1)
      const event = JSON.parse(consumer.messages[0]?.text ?? '') as AccessEvent
      assert.deepEqual(event.http.request.headers['x-long'], [value])
    },
  },
  {
    name: 'whole gateway: events move between two brokers of a list with ssl:// and client certificates, none is missing',
    timeout: 300_000,
    run: async ({ authority, client }) => {
      using folder = new Folder()
      writeKeystores(folder, { authority, server: client })
      const tls = { authority, server: authority.issue({ name: 'broker', altNames: 'IP:127.0.0.1' }) }
      await using one = await ActiveMqBroker.start({ tls })
      await using two = await ActiveMqBroker.start({ tls })
      const addresses = [one, two].map(({ securePort }) => `ssl://127.0.0.1:${securePort}`)
      const url = `failover:(${addresses.join(',')})?randomize=false&maxReconnectDelay=500`
      const instance = instanceAt(url, 'moved', { tls: 'tls' }, tlsHeap(folder))
      const [atOne, atTwo] = [`failover:(tcp://127.0.0.1:${one.port})`, `failover:(tcp://127.0.0.1:${two.port})`]
      await using consumerOne = await consume(atOne, 'moved', 'moved')
      await using consumerTwo = await consume(atTwo, 'moved', 'moved')
      await using gateway = await GatewayProcess.start({ instance })
      const found = () => numbersIn([...consumerOne.messages, ...consumerTwo.messages])
      await askAll(gateway, 0, 100)
      await consumerOne.until(() => found().size >= 100)
      await one.kill()
      await askAll(gateway, 100, 200)
      await consumerTwo.until(() => found().size >= 200)
      await one.restart()
      await two.kill()
      await askAll(gateway, 200, 300)
      await consumerOne.until(() => found().size >= 300)
      return `${consumerOne.messages.length} messages at the first broker, ${consumerTwo.messages.length} at the second`
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
      await consumer.until(() => numbersIn(consumer.messages).size >= 600)
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
