// A real Artemis and a real consumer (Qpid JMS): AMQP 1.0, and OpenWire on the same port.
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { JmsError, readJndi } from '#jms'
import { producerOf, producerPlan } from '#test/jms-plan'
import { correlationIdsOf, deliver, idsOf, messagesOf } from '../activemq/suite.ts'
import { type Flow, runFlows } from '../flows.ts'
import { JmsConsumer } from '../jms-consumer.ts'
import { fetchWithDependencies } from '../maven.ts'
import { withOwned } from '../owned.ts'
import { ArtemisServer, VERSION } from './artemis-server.ts'

const QPID_VERSION = '1.13.0'
const QPID = 'org.apache.qpid.jms.jndi.JmsInitialContextFactory'
const ACTIVEMQ = 'org.apache.activemq.jndi.ActiveMQInitialContextFactory'

interface Peers {
  readonly broker: ArtemisServer
}

/** A consumer of a topic, or of a queue where the name says so. */
function consume(url: string, destination: string, durable?: string): Promise<JmsConsumer> {
  const folder = fetchWithDependencies(`qpid-jms-${QPID_VERSION}`, `org.apache.qpid:qpid-jms-client:${QPID_VERSION}`)
  const jars = readdirSync(folder).flatMap((name) => (name.endsWith('.jar') ? [join(folder, name)] : []))
  return JmsConsumer.start({
    jars,
    contextFactory: QPID,
    properties: { 'connectionfactory.factory': url, [`${kindOf(destination)}.destination`]: destination },
    ...(durable === undefined ? {} : { durable }),
  })
}

const kindOf = (destination: string): string => (destination.includes('queue') ? 'queue' : 'topic')

type PlanFields = Parameters<typeof producerPlan>[2]

function planAt(url: string, destination: string, fields: PlanFields = {}): ReturnType<typeof producerPlan> {
  const isAmqp = /amqp/.test(url)
  const { plan, problems } = readJndi({
    contextProperties: {
      'java.naming.factory.initial': isAmqp ? QPID : ACTIVEMQ,
      [isAmqp ? 'connectionfactory.ConnectionFactory' : 'java.naming.provider.url']: url,
      [`${kindOf(destination)}.audit`]: destination,
    },
    topicName: 'audit',
    connectionFactoryName: 'ConnectionFactory',
  })
  if (plan === null) throw new Error(problems.map(({ message }) => message).join('; '))
  return producerPlan([], plan, fields)
}

const TEXTS = [
  '{}',
  '{"name":"Zoë","price":"5 €","script":"日本語","emoji":"😀","zero":"\u0000"}',
  `{"large":"${'é'.repeat(512 * 1024)}"}`,
]

const FLOWS: readonly Flow<Peers>[] = [
  ...(['PERSISTENT', 'NON_PERSISTENT'] as const).flatMap((deliveryMode) =>
    ['amqp', 'tcp'].map((scheme) => ({
      name: `${deliveryMode} texts over ${scheme}:// arrive as TextMessage at a consumer of Qpid JMS, up to 1 MB`,
      run: async ({ broker }: Peers) => {
        const topic = `texts.${deliveryMode}.${scheme}`
        await using consumer = await consume(`amqp://127.0.0.1:${broker.port}`, topic)
        await using producer = producerOf(planAt(`${scheme}://127.0.0.1:${broker.port}`, topic, { deliveryMode }))
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
  ),
  {
    name: '20,000 PERSISTENT messages arrive in order',
    timeout: 200_000,
    run: async ({ broker }) => {
      const url = `amqp://127.0.0.1:${broker.port}`
      await using consumer = await consume(url, 'many', 'many')
      await using producer = producerOf(planAt(url, 'many'))
      const messages = messagesOf('many', 20_000, (index) => `{"n":${index},"text":"${'x'.repeat(500)}"}`)
      const started = performance.now()
      await deliver(producer, messages)
      const seconds = (performance.now() - started) / 1000
      assert.deepEqual(correlationIdsOf(await consumer.receives(idsOf(messages))), idsOf(messages))
      return `sent in ${seconds.toFixed(1)} s: ${Math.round(messages.length / seconds)} messages a second`
    },
  },
  {
    name: 'a broker that is killed and restarted in the middle has all PERSISTENT messages',
    timeout: 200_000,
    run: async () => {
      await using broker = await ArtemisServer.start()
      const url = `failover:(amqp://127.0.0.1:${broker.port})?failover.maxReconnectDelay=500`
      await using consumer = await consume(url, 'killed', 'killed')
      await using producer = producerOf(planAt(url, 'killed'))
      const messages = messagesOf('killed', 5_000)
      let restarted: Promise<void> | null = null
      const { failures } = await deliver(producer, messages, 100, (sent) => {
        if (sent === 2_000) restarted = broker.kill().then(() => broker.restart())
      })
      await restarted
      await consumer.receives(idsOf(messages))
      return `${failures} failed sends, ${consumer.messages.length - messages.length} repeats`
    },
  },
  {
    name: 'a wrong password is refused, the right one is accepted, over both protocols',
    run: async () => {
      await using broker = await ArtemisServer.start({ name: 'gateway', password: 'right' })
      const send = async (url: string): Promise<void> => {
        await using producer = producerOf(planAt(url, 'users'))
        await producer.send(messagesOf('users', 1))
      }
      const at = `127.0.0.1:${broker.port}`
      for (const [scheme, user] of [
        ['amqp', 'jms.username'],
        ['tcp', 'jms.userName'],
      ] as const) {
        await assert.rejects(send(`${scheme}://${at}?${user}=gateway&jms.password=wrong`), (error: unknown) => {
          assert.ok(error instanceof JmsError)
          assert.match(error.message, /authenticate|Security|password|validate/i)
          return true
        })
        await send(`${scheme}://${at}?${user}=gateway&jms.password=right`)
      }
    },
  },
  {
    name: 'an address that is full stops messages, and a consumer lets them continue',
    run: async ({ broker }) => {
      const url = `amqp://127.0.0.1:${broker.port}`
      const messages = messagesOf('full', 3_000, (index) => `${index}${'x'.repeat(3_000)}`)
      await using limited = producerOf(planAt(`${url}?jms.sendTimeout=2000`, 'limited.queue'))
      await assert.rejects(limited.send(messages), JmsError)
      await using patient = producerOf(planAt(`${url}?jms.sendTimeout=60000`, 'limited.queue'))
      const sending = deliver(patient, messages, 50)
      await using consumer = await consume(url, 'limited.queue')
      await sending
      await consumer.receives(idsOf(messages))
      return `${consumer.messages.length - messages.length} repeats`
    },
  },
]

/** Words choose flows by their name. */
export function run(words: readonly string[]): Promise<boolean> {
  return withOwned(async (owned) => {
    const flows = FLOWS.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)))
    if (flows.length === 0) throw new Error(`no flow has ${words.join(' or ')} in its name`)
    const started = performance.now()
    const broker = owned.use(await ArtemisServer.start())
    console.log(`Artemis ${VERSION} was ready after ${((performance.now() - started) / 1000).toFixed(1)} s`)
    const agreed = await runFlows(flows, { broker })
    console.log(`peak memory: Artemis ${broker.peakMemory} MiB`)
    return agreed
  })
}
