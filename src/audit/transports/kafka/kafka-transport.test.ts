import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import fc from 'fast-check'
import { DEFAULT_TLS_PLAN } from '#contracts'
import { RecordRefused, type Transport } from '#durable-queue'
import { createLogger, memoryLog } from '#logging'
import { systemClock } from '#schema'
import { accessEvent, auditRecords } from '#test/audit-events'
import { Authority, opensslMissing } from '#test/certificates'
import { kafkaPlan } from '#test/kafka-plan'
import { TcpPeer } from '#test/tcp-peer'
import { kafkaKeyAndValue, kafkaText } from '../../formats/kafka.ts'
import { describeKafkaError, isAboutRecords } from './kafka-error.ts'
import type { KafkaPlan } from './kafka-plan.ts'
import { openKafka } from './kafka-transport.ts'

const env = { logger: createLogger({ destination: memoryLog() }), clock: systemClock }
const { signal } = new AbortController()

function open(port: number, plan: Partial<KafkaPlan> = {}): Transport & AsyncDisposable {
  const limits = { connectTimeout: 200, requestTimeout: 200, sendTimeout: 400 }
  const transport = openKafka(kafkaPlan(port, { ...limits, ...plan }), env)
  return Object.assign(transport, { [Symbol.asyncDispose]: () => transport.close() })
}

const AWKWARD = fc.constantFrom('a', '"', '\\', '\t', '\n', '\0', '\u007f', '\u2028', '\ud800', 'é', '😀')

const events = (count: number) => auditRecords(count, () => kafkaText('common', 'access', accessEvent()))

test('the key of a record is the transaction id, whatever it contains, and the value is the event', () => {
  fc.assert(
    fc.property(fc.string({ unit: AWKWARD }), (transactionId) => {
      const event = accessEvent({ transactionId })
      const { key, value } = kafkaKeyAndValue(kafkaText('common', 'access', event))
      assert.equal(key, transactionId.replace(/[\u0000-\u001f\u007f]/g, '').toWellFormed())
      assert.deepEqual(JSON.parse(value), JSON.parse(JSON.stringify(event)))
    }),
  )
})

test('brokers that stay silent, reset, send garbage or floods are failures within the time limit', async () => {
  const flood = (socket: Socket) => {
    // The announced length is as large as the protocol allows.
    socket.write(Buffer.from([0x7f, 0xff, 0xff, 0xff]))
    const more = () => {
      while (socket.writable && socket.write(Buffer.alloc(1 << 20)));
    }
    socket.on('drain', more)
    more()
  }
  const behaviours: ((socket: Socket) => void)[] = [
    () => {},
    (socket) => socket.resetAndDestroy(),
    (socket) => socket.once('data', () => socket.resetAndDestroy()),
    (socket) => socket.write('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n'),
    (socket) => socket.once('data', () => socket.write(Buffer.from('ffffff9c00000001ffffffff', 'hex'))),
    (socket) => socket.once('data', () => socket.write(Buffer.from('0000000000000001', 'hex'))),
    flood,
  ]
  for (const behaviour of behaviours) {
    await using peer = await TcpPeer.start(behaviour)
    await using transport = open(peer.port)
    await assert.rejects(
      transport.send(events(2), signal),
      (error: Error) => !(error instanceof RecordRefused),
      behaviour.toString(),
    )
  }
})

test('random bytes after the correlation id of the request never reach the process as a fault', async () => {
  const payloads = fc.sample(fc.uint8Array({ minLength: 0, maxLength: 80 }), { numRuns: 12, seed: 7 })
  for (const payload of payloads) {
    await using peer = await TcpPeer.start((socket) => {
      socket.on('data', (request: Buffer) => {
        const head = Buffer.alloc(8)
        head.writeInt32BE(payload.length + 4, 0)
        // Bytes 8 to 11 of a request are its correlation id.
        if (request.length >= 12) request.copy(head, 4, 8, 12)
        socket.write(Buffer.concat([head, payload]))
      })
    })
    await using transport = open(peer.port, { sendTimeout: 150, requestTimeout: 100 })
    await assert.rejects(transport.send(events(1), signal))
  }
})

test('an abort ends a call at once', async () => {
  await using peer = await TcpPeer.start()
  await using transport = open(peer.port, { sendTimeout: 60_000, requestTimeout: 60_000 })
  const aborting = new AbortController()
  const sending = transport.send(events(1), aborting.signal)
  await peer.until(() => peer.text.length > 0)
  aborting.abort(new Error('shutdown'))
  await assert.rejects(sending, /shutdown/)
})

test('close is idempotent and bounded, also with a broker that is silent', async () => {
  await using peer = await TcpPeer.start()
  const transport = open(peer.port)
  await transport.close()
  await assert.rejects(transport.send(events(1), signal))
  await Promise.all([transport.close(), transport.close()])
})

test('nothing is sent to a broker with a certificate of another name or authority', {
  skip: opensslMissing,
}, async () => {
  using authority = new Authority()
  const { key, certificate } = authority.issue({ name: 'elsewhere.example.com' })
  await using peer = await TcpPeer.start(undefined, { tls: { key, cert: certificate } })
  const sasl = { mechanism: 'PLAIN', username: 'gateway', password: 'secret' } as const
  for (const [tls, reason] of [
    [{ ...DEFAULT_TLS_PLAN, ca: [authority.certificate] }, /does not name "127\.0\.0\.1"/],
    [{ ...DEFAULT_TLS_PLAN, rejectUnauthorized: false }, /does not name "127\.0\.0\.1"/],
    [DEFAULT_TLS_PLAN, /certificate/],
  ] as const) {
    await using transport = open(peer.port, { tls, sasl })
    await assert.rejects(transport.send(events(1), signal), reason)
  }
  assert.equal(peer.text, '')
})

test('only errors about records refuse records', () => {
  const protocol = (apiId: string) => Object.assign(new Error('refused'), { apiId })
  const nested = (...errors: Error[]) => new AggregateError([new AggregateError(errors, 'produce failed')], 'failed')
  assert.equal(isAboutRecords(nested(protocol('MESSAGE_TOO_LARGE'))), true)
  assert.equal(isAboutRecords(nested(protocol('MESSAGE_TOO_LARGE'), protocol('NOT_LEADER_OR_FOLLOWER'))), false)
  assert.equal(isAboutRecords(nested(new Error('connection closed'))), false)
  assert.equal(
    describeKafkaError(nested(protocol('MESSAGE_TOO_LARGE'), protocol('MESSAGE_TOO_LARGE'))),
    'MESSAGE_TOO_LARGE: refused',
  )
})
