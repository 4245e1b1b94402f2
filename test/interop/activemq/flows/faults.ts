import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { JmsError, MessageRefused } from '@identity-gateway/jms'
import { Authority } from '#test/certificates'
import { producerOf } from '#test/jms-plan'
import type { Flow } from '../../flows.ts'
import { ActiveMqBroker } from '../broker.ts'
import { consume, correlationIdsOf, deliver, idsOf, messagesOf, type Peers, planAt } from '../suite.ts'

const failoverTo = (...ports: readonly number[]): string =>
  `failover:(${ports.map((port) => `tcp://127.0.0.1:${port}`).join(',')})?randomize=false&maxReconnectDelay=500`

/** The ids of the first arrivals are in order, and all are there. */
async function arrivesInOrder(
  consumer: Awaited<ReturnType<typeof consume>>,
  messages: ReturnType<typeof messagesOf>,
): Promise<string> {
  const received = await consumer.receives(idsOf(messages))
  assert.deepEqual(correlationIdsOf(received), idsOf(messages))
  return `${consumer.messages.length - messages.length} repeats`
}

function tlsOf(authority: Authority, key?: string, cert?: string) {
  return {
    ca: [authority.certificate],
    ...(key === undefined || cert === undefined ? {} : { key: [key], cert: [cert] }),
    rejectUnauthorized: true,
    checkServerIdentity: true,
    minVersion: 'TLSv1.2',
    maxVersion: 'TLSv1.3',
    ciphers: null,
  } as const
}

export const FAULT_FLOWS: readonly Flow<Peers>[] = [
  {
    name: 'a broker that is killed and restarted in the middle has all PERSISTENT messages',
    timeout: 300_000,
    run: async () => {
      await using broker = await ActiveMqBroker.start()
      const url = failoverTo(broker.port)
      await using consumer = await consume(url, 'killed', 'killed')
      await using producer = producerOf(planAt(url, 'killed'))
      const messages = messagesOf('killed', 20_000)
      let restarted: Promise<void> | null = null
      const { failures } = await deliver(producer, messages, 500, (sent) => {
        if (sent === 8_000) restarted = broker.kill().then(() => broker.restart())
      })
      await restarted
      return `${failures} failed sends, ${await arrivesInOrder(consumer, messages)}`
    },
  },
  {
    name: 'messages move to the second broker of a list, and back after the next outage',
    timeout: 300_000,
    run: async () => {
      await using first = await ActiveMqBroker.start()
      await using second = await ActiveMqBroker.start()
      await using producer = producerOf(planAt(failoverTo(first.port, second.port), 'queue.failover'))
      const messages = messagesOf('failover', 300)
      await producer.send(messages.slice(0, 100))
      await first.kill()
      await deliver(producer, messages.slice(100, 200))
      await first.restart()
      await second.kill()
      await deliver(producer, messages.slice(200))
      await using consumer = await consume(`tcp://127.0.0.1:${first.port}`, 'queue.failover')
      await consumer.receives([...idsOf(messages.slice(0, 100)), ...idsOf(messages.slice(200))])
      await second.restart()
      await using other = await consume(`tcp://127.0.0.1:${second.port}`, 'queue.failover')
      await other.receives(idsOf(messages.slice(100, 200)))
    },
  },
  {
    name: 'a wrong password is rejected with the message of the broker, the right one is accepted',
    run: async () => {
      await using broker = await ActiveMqBroker.start({ users: { gateway: 'right' } })
      const send = async (userName: string, password: string): Promise<void> => {
        const plan = planAt(`tcp://127.0.0.1:${broker.port}`, 'users', {}, { userName, password })
        await using producer = producerOf(plan)
        await producer.send(messagesOf('users', 1))
      }
      await assert.rejects(send('gateway', 'hunter2'), (error: unknown) => {
        assert.ok(error instanceof JmsError)
        assert.match(error.message, /SecurityException: User name \[gateway\] or password is invalid/)
        return true
      })
      await send('gateway', 'right')
    },
  },
  {
    name: 'ssl:// with a client certificate is accepted, without it or with one of another authority rejected',
    run: async ({ broker, authority, client }) => {
      using stranger = new Authority('Stranger')
      const other = stranger.issue({ name: 'other' })
      const url = `ssl://127.0.0.1:${broker.securePort}`
      const messages = messagesOf('tls', 10)
      const send = async (tls: ReturnType<typeof tlsOf>): Promise<void> => {
        await using producer = producerOf(planAt(url, 'tls', { tls }))
        await producer.send(messages)
      }
      await using consumer = await consume(`tcp://127.0.0.1:${broker.port}`, 'tls')
      await send(tlsOf(authority, client.key, client.certificate))
      await arrivesInOrder(consumer, messages)
      await assert.rejects(send(tlsOf(authority)), JmsError)
      await assert.rejects(send(tlsOf(authority, other.key, other.certificate)), JmsError)
      await assert.rejects(send(tlsOf(stranger, client.key, client.certificate)), /verify|self.signed/i)
    },
  },
  ...(['PERSISTENT', 'NON_PERSISTENT'] as const).map((deliveryMode) => ({
    name: `producer flow control stops ${deliveryMode} messages, until a consumer reads`,
    run: async () => {
      await using broker = await ActiveMqBroker.start({ memoryLimit: 1024 * 1024 })
      const url = `tcp://127.0.0.1:${broker.port}`
      const messages = messagesOf('flow', 2_000, (index) => `${index}${'x'.repeat(2_000)}`)
      await using limited = producerOf(planAt(`${url}?jms.sendTimeout=2000`, 'queue.flow', { deliveryMode }))
      await assert.rejects(limited.send(messages), /the broker may limit producers|no acknowledgement/)
      await using patient = producerOf(planAt(`${url}?jms.sendTimeout=60000`, 'queue.flow', { deliveryMode }))
      const sending = patient.send(messages)
      await using consumer = await consume(url, 'queue.flow')
      await sending
      await consumer.receives(idsOf(messages))
      return `${consumer.messages.length - messages.length} repeats`
    },
  })),
  {
    name: 'a broker without space rejects messages with the reason, and the connection stays usable',
    run: async () => {
      await using broker = await ActiveMqBroker.start({ failIfNoSpace: true, memoryLimit: 1024 * 1024 })
      const url = `tcp://127.0.0.1:${broker.port}`
      await using producer = producerOf(planAt(url, 'queue.space'))
      const messages = messagesOf('space', 500, (index) => `${index}${'x'.repeat(3_000)}`)
      let reason = ''
      await assert.rejects(producer.send(messages), (error: unknown) => {
        assert.ok(error instanceof JmsError)
        reason = error.message
        return true
      })
      await using consumer = await consume(url, 'queue.space')
      await deliver(producer, messages, 50)
      await consumer.receives(idsOf(messages))
      return reason
    },
  },
  {
    name: 'a message beyond maxFrameSize of the broker is rejected, the others are accepted',
    run: async () => {
      await using broker = await ActiveMqBroker.start({ options: 'wireFormat.maxFrameSize=100000' })
      const url = `tcp://127.0.0.1:${broker.port}`
      await using consumer = await consume(url, 'large')
      await using producer = producerOf(planAt(url, 'large'))
      const messages = messagesOf('large', 3, (index) => (index === 1 ? 'x'.repeat(100_000) : 'small'))
      await assert.rejects(producer.send(messages), (error: unknown) => {
        assert.ok(error instanceof MessageRefused)
        assert.equal(error.index, 1)
        return true
      })
      await producer.send(messages.slice(2))
      await consumer.receives(['large-id-0', 'large-id-2'])
    },
  },
  {
    name: 'a shutdown of the broker closes the connection, and peers that are unresponsive or send HTTP time out or fail',
    run: async () => {
      await using broker = await ActiveMqBroker.start()
      await using producer = producerOf(planAt(`tcp://127.0.0.1:${broker.port}`, 'down'))
      await producer.send(messagesOf('down', 1))
      await broker.stop()
      await assert.rejects(producer.send(messagesOf('down', 1)), JmsError)
      for (const answer of ['', 'HTTP/1.1 400 Bad Request\r\n\r\n']) {
        const server = createServer((socket) => socket.on('error', () => {}).write(answer)).listen(0, '127.0.0.1')
        await new Promise((resolve) => server.once('listening', resolve))
        const { port } = server.address() as { port: number }
        await using lost = producerOf(planAt(`tcp://127.0.0.1:${port}?connectionTimeout=300`, 'down'))
        await assert.rejects(lost.send(messagesOf('down', 1)), JmsError)
        server.close()
      }
    },
  },
]
