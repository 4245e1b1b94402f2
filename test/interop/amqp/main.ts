// A real Artemis, a real RabbitMQ and a real consumer (Qpid JMS): AMQP 1.0, and OpenWire on the port of Artemis.
import assert from 'node:assert/strict'
import { JmsError } from '@identity-gateway/jms'
import { Authority, type Issued } from '#test/certificates'
import { producerOf } from '#test/jms-plan'
import { correlationIdsOf, deliver, idsOf, messagesOf } from '../activemq/suite.ts'
import { type Flow, runFlows } from '../flows.ts'
import { withOwned } from '../owned.ts'
import { ArtemisServer, VERSION } from './artemis-server.ts'
import { consume, type Peers, planAt, TEXTS } from './peers.ts'
import { RABBITMQ_FLOWS } from './rabbitmq-flows.ts'

const USER = { name: 'gateway', password: 'right' }

const TLS = {
  rejectUnauthorized: true,
  checkServerIdentity: true,
  minVersion: 'TLSv1.2',
  maxVersion: 'TLSv1.3',
  ciphers: null,
} as const

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
      await using broker = await ArtemisServer.start({ user: USER })
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
    name: 'messages move to the second broker of a list, and back after the next outage',
    timeout: 300_000,
    run: async () => {
      await using first = await ArtemisServer.start()
      await using second = await ArtemisServer.start()
      const url = `failover:(amqp://127.0.0.1:${first.port},amqp://127.0.0.1:${second.port})?failover.maxReconnectDelay=500`
      await using producer = producerOf(planAt(url, 'failover.queue'))
      const messages = messagesOf('failover', 300)
      await producer.send(messages.slice(0, 100))
      await first.kill()
      await deliver(producer, messages.slice(100, 200))
      await first.restart()
      await second.kill()
      await deliver(producer, messages.slice(200))
      await using consumer = await consume(`amqp://127.0.0.1:${first.port}`, 'failover.queue')
      await consumer.receives([...idsOf(messages.slice(0, 100)), ...idsOf(messages.slice(200))])
      await second.restart()
      await using other = await consume(`amqp://127.0.0.1:${second.port}`, 'failover.queue')
      await other.receives(idsOf(messages.slice(100, 200)))
    },
  },
  {
    name: 'amqps:// authenticates by SASL EXTERNAL with its certificate, and by PLAIN with a password',
    run: async ({ authority }) => {
      const server = authority.issue({ name: 'broker', altNames: 'IP:127.0.0.1' })
      const known = authority.issue({ name: 'gateway' })
      const unknown = authority.issue({ name: 'other' })
      using stranger = new Authority('Stranger')
      await using broker = await ArtemisServer.start({ user: USER, tls: { authority, server } })
      const url = `amqps://127.0.0.1:${broker.securePort}`
      const send = async (at: string, client: Issued | null, trusted = authority): Promise<void> => {
        const own = client === null ? {} : { key: [client.key], cert: [client.certificate] }
        const tls = { ...TLS, ca: [trusted.certificate], ...own }
        await using producer = producerOf(planAt(at, 'tls.queue', { tls }))
        await producer.send(messagesOf('tls', 1))
      }
      const refused = (sending: Promise<void>, reason: RegExp) =>
        assert.rejects(sending, (error: unknown) => {
          assert.ok(error instanceof JmsError)
          assert.match(error.message, reason)
          return true
        })
      await send(`${url}?amqp.saslMechanisms=EXTERNAL`, known)
      await send(url, known)
      await refused(send(`${url}?amqp.saslMechanisms=EXTERNAL`, unknown), /authenticat|security|validate/i)
      await send(`${url}?amqp.saslMechanisms=PLAIN&jms.username=gateway&jms.password=right`, null)
      await refused(
        send(`${url}?amqp.saslMechanisms=PLAIN&jms.username=gateway&jms.password=wrong`, null),
        /authenticat/i,
      )
      await refused(send(url, stranger.issue({ name: 'gateway' })), /./)
      await refused(send(url, known, stranger), /verify|self.signed/i)
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
    const flows = [...FLOWS, ...RABBITMQ_FLOWS].filter(
      ({ name }) => words.length === 0 || words.some((word) => name.includes(word)),
    )
    if (flows.length === 0) throw new Error(`no flow has ${words.join(' or ')} in its name`)
    const started = performance.now()
    const broker = owned.use(await ArtemisServer.start())
    console.log(`Artemis ${VERSION} was ready after ${((performance.now() - started) / 1000).toFixed(1)} s`)
    const authority = owned.use(new Authority('Authority of Artemis'))
    const agreed = await runFlows(flows, { broker, authority })
    console.log(`peak memory: Artemis ${broker.peakMemory} MiB`)
    return agreed
  })
}
