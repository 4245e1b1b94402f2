import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Authority, type Issued, opensslMissing } from '../../test/support/certificates.ts'
import { endpointAt, NO_SIGNAL, numbered, producerOf, producerPlan } from '../../test/support/jms-plan.ts'
import { OpenWireBroker } from '../../test/support/openwire-broker.ts'
import { JmsError, openProducer } from './index.ts'
import type { EndpointTls, ProducerTls } from './producer-plan.ts'

test('the first broker of the list that can be used gets the messages; after its return it is used again', async () => {
  await using first = await OpenWireBroker.start()
  await using second = await OpenWireBroker.start()
  const { port } = first
  await using producer = producerOf(producerPlan([endpointAt(port), endpointAt(second.port)]))
  await producer.send(numbered(1))
  await first[Symbol.asyncDispose]()
  await sendUntilAccepted(producer)
  assert.equal(second.messages.length, 1)
  await using again = await OpenWireBroker.start({}, port)
  second.reset()
  await sendUntilAccepted(producer)
  assert.equal(again.messages.length, 1)
})

/** A connection may be found broken only by the send. */
async function sendUntilAccepted(producer: ReturnType<typeof producerOf>): Promise<void> {
  for (let attempt = 0; attempt < 3; attempt++) {
    const isAccepted = await producer.send(numbered(1)).then(
      () => true,
      () => false,
    )
    if (isAccepted) return
  }
  assert.fail('no broker accepted the message')
}

test('with randomize the brokers of a list share the connections', async () => {
  await using first = await OpenWireBroker.start()
  await using second = await OpenWireBroker.start()
  const plan = producerPlan([endpointAt(first.port), endpointAt(second.port)], { randomize: true })
  for (let round = 0; round < 100 && (first.connections === 0 || second.connections === 0); round++) {
    await using producer = producerOf(plan)
    await producer.send(numbered(1))
  }
  assert.ok(first.connections > 0 && second.connections > 0)
})

test('where no broker can be used the error has the reason of each', async () => {
  await using broker = await OpenWireBroker.start({ credentials: { userName: 'a', password: 'b' } })
  await using gone = await OpenWireBroker.start()
  const { port } = gone
  await gone[Symbol.asyncDispose]()
  await using producer = producerOf(producerPlan([endpointAt(port), endpointAt(broker.port)]))
  await assert.rejects(producer.send(numbered(1)), (error: unknown) => {
    assert.ok(error instanceof JmsError)
    assert.match(
      error.message,
      new RegExp(`^127.0.0.1:${port}: .*ECONNREFUSED.*; 127.0.0.1:${broker.port}: SecurityException`),
    )
    return true
  })
})

test('attempts are delayed by a back-off that grows to its limit and ends with success', async () => {
  const broker = await OpenWireBroker.start()
  const { port } = broker
  await broker[Symbol.asyncDispose]()
  let now = 0
  const clock = { now: () => now, monotonic: () => now }
  const reconnect = { initialDelay: 100_000, maxDelay: 300_000, multiplier: 2 }
  const producer = openProducer(producerPlan([endpointAt(port)], { reconnect }), { clock })
  const isDelayed = async (): Promise<boolean> => {
    const controller = new AbortController()
    const failed = producer.send(numbered(1), controller.signal).catch((error: Error) => error.message)
    const outcome = await Promise.race([failed, new Promise((resolve) => setTimeout(resolve, 1_000, 'delayed'))])
    if (outcome !== 'delayed') return false
    controller.abort()
    await failed
    return true
  }
  assert.equal(await isDelayed(), false)
  for (const delay of [100_000, 200_000, 300_000, 300_000]) {
    now += delay / 2 - 1
    assert.equal(await isDelayed(), true)
    now += 1_000_000
    assert.equal(await isDelayed(), false)
  }
  await using returned = await OpenWireBroker.start({}, port)
  now += 1_000_000
  await producer.send(numbered(1), NO_SIGNAL)
  assert.equal(returned.messages.length, 1)
  returned.reset()
  await producer.close()
})

const ADDRESS: EndpointTls = { verifyHostName: null, minVersion: null, maxVersion: null, ciphers: null }

function tlsPlan(authority: Authority, fields: Partial<ProducerTls> = {}): ProducerTls {
  return {
    ca: [authority.certificate],
    rejectUnauthorized: true,
    checkServerIdentity: true,
    minVersion: 'TLSv1.2',
    maxVersion: 'TLSv1.3',
    ciphers: null,
    ...fields,
  }
}

test('TLS with a client certificate, and refusals of either side', { skip: opensslMissing }, async (context) => {
  using authority = new Authority()
  using stranger = new Authority('Another Authority')
  const server = authority.issue({ name: 'broker', altNames: 'IP:127.0.0.1' })
  const wrongHost = authority.issue({ name: 'other', altNames: 'DNS:other.example.com' })
  const client = authority.issue({ name: 'gateway' })
  const serve = ({ key, certificate }: Issued) =>
    OpenWireBroker.start({
      tls: { key, cert: certificate, ca: [authority.certificate], requestCert: true, rejectUnauthorized: true },
    })
  await using broker = await serve(server)
  await using wrong = await serve(wrongHost)
  const { key, certificate: cert } = client
  const send = async (port: number, tls: ProducerTls | null, address = ADDRESS): Promise<void> => {
    await using producer = producerOf(producerPlan([endpointAt(port, { tls: address })], {}, { tls }))
    await producer.send(numbered(1))
  }
  await context.test('accepted with a certificate of the authority', () =>
    send(broker.port, tlsPlan(authority, { key: [key], cert: [cert] })),
  )
  await context.test('refused by the broker without a client certificate', () =>
    assert.rejects(send(broker.port, tlsPlan(authority)), /certificate required|handshake failure|closed|ECONNRESET/i),
  )
  await context.test('refused by the gateway where the authority is unknown', () =>
    assert.rejects(
      send(broker.port, tlsPlan(stranger, { key: [key], cert: [cert] })),
      /unable to verify|UNABLE_TO_VERIFY|self.signed/i,
    ),
  )
  await context.test('refused by the gateway where the certificate is of another host', () =>
    assert.rejects(send(wrong.port, tlsPlan(authority, { key: [key], cert: [cert] })), /does not name "127.0.0.1"/),
  )
  await context.test('refused where each authority is trusted, but the certificate is of another host', () =>
    assert.rejects(
      send(wrong.port, tlsPlan(stranger, { key: [key], cert: [cert], rejectUnauthorized: false })),
      /does not name "127.0.0.1"/,
    ),
  )
  await context.test('accepted where the address switches the check of the host off', () =>
    send(wrong.port, tlsPlan(authority, { key: [key], cert: [cert] }), { ...ADDRESS, verifyHostName: false }),
  )
  await context.test('a key that is no key is an error, not a fault', () =>
    assert.rejects(send(broker.port, tlsPlan(authority, { key: ['x'], cert: [cert] })), JmsError),
  )
})
