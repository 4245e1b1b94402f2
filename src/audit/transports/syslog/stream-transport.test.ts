import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEFAULT_TLS_PLAN } from '#contracts'
import type { Transport } from '#durable-queue'
import { createLogger, memoryLog } from '#logging'
import { systemClock } from '#schema'
import { auditRecords } from '#test/audit-events'
import { Authority, opensslMissing } from '#test/certificates'
import { type PeerBehaviour, TcpPeer } from '#test/tcp-peer'
import type { SyslogPlan } from './syslog-plan.ts'
import { openSyslog } from './syslog-transport.ts'

let ahead = 0
const clock = { now: () => systemClock.now() + ahead, monotonic: () => systemClock.monotonic() + ahead }
const env = { logger: createLogger({ destination: memoryLog() }), clock }
const { signal } = new AbortController()

function open(port: number, plan: Partial<SyslogPlan> = {}): Transport & AsyncDisposable {
  const transport = openSyslog(
    { protocol: 'TCP', host: '127.0.0.1', port, connectTimeout: 2_000, sendTimeout: 300, tls: null, ...plan },
    env,
  )
  return Object.assign(transport, { [Symbol.asyncDispose]: () => transport.close() })
}

/** Messages of a stream with octet counting; the last one may be incomplete. */
function messagesIn(stream: Buffer): string[] {
  const messages: string[] = []
  for (let at = 0; at < stream.length; ) {
    const space = stream.indexOf(' ', at)
    const length = Number(stream.toString('latin1', at, space))
    assert.ok(length > 0, `a length, got ${JSON.stringify(stream.toString('latin1', at, space))}`)
    at = space + 1 + length
    if (at <= stream.length) messages.push(stream.toString('utf8', at - length, at))
  }
  return messages
}

function hostile(behaviour: PeerBehaviour): Promise<TcpPeer> {
  return TcpPeer.start(behaviour)
}

test('RFC 6587: records are sent in order, each with its length in bytes', async () => {
  await using peer = await TcpPeer.start()
  await using transport = open(peer.port)
  const records = auditRecords(2_000, (index) => `<134>1 - é€😀 ${index} ${'x'.repeat(index % 300)}`)
  await transport.send(records.slice(0, 1_000), signal)
  await transport.send(records.slice(1_000), signal)
  const bytes = records.reduce(
    (sum, { text }) => sum + Buffer.byteLength(text) + String(Buffer.byteLength(text)).length + 1,
    0,
  )
  await peer.until(() => peer.received.reduce((sum, each) => sum + each.length, 0) === bytes)
  assert.equal(peer.connections, 1)
  assert.deepEqual(
    messagesIn(peer.received[0] as Buffer),
    records.map(({ text }) => text),
  )
})

test('RFC 5425: records are sent over TLS to the host that the certificate names', {
  skip: opensslMissing,
}, async () => {
  using authority = new Authority()
  const { key, certificate } = authority.issue({ name: 'syslog', altNames: 'IP:127.0.0.1' })
  await using peer = await TcpPeer.start(undefined, { tls: { key, cert: certificate } })
  const tls = { ...DEFAULT_TLS_PLAN, ca: [authority.certificate] }
  await using transport = open(peer.port, { protocol: 'TLS', tls })
  await transport.send(auditRecords(3), signal)
  await peer.until(() => peer.text.length === 3 * '7 event 0'.length)
  assert.deepEqual(messagesIn(peer.received[0] as Buffer), ['event 0', 'event 1', 'event 2'])
})

test('nothing is sent to a server with a certificate of another name or authority', {
  skip: opensslMissing,
}, async () => {
  using authority = new Authority()
  using other = new Authority('Other')
  const wrongName = authority.issue({ name: 'elsewhere.example.com' })
  await using peer = await TcpPeer.start(undefined, { tls: { key: wrongName.key, cert: wrongName.certificate } })
  for (const [tls, reason] of [
    [{ ...DEFAULT_TLS_PLAN, ca: [authority.certificate] }, /does not name "127\.0\.0\.1"/],
    [{ ...DEFAULT_TLS_PLAN, ca: [authority.certificate], rejectUnauthorized: false }, /does not name "127\.0\.0\.1"/],
    [{ ...DEFAULT_TLS_PLAN, ca: [other.certificate] }, /unable to (?:verify|get)|self-signed/],
    [null, /unable to (?:verify|get)|self-signed/],
  ] as const) {
    await using transport = open(peer.port, { protocol: 'TLS', tls })
    await assert.rejects(transport.send(auditRecords(1), signal), reason)
  }
  assert.equal(peer.text, '')
})

test('a receiver that is not there, or does not speak TLS, is a failure within the time limit', async () => {
  const silent = await hostile(() => {})
  await using peer = silent
  await using secure = open(peer.port, { protocol: 'TLS', connectTimeout: 200 })
  await assert.rejects(secure.send(auditRecords(1), signal), /no connection to 127\.0\.0\.1:\d+ within 200 ms/)
  await using garbage = await hostile((socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'))
  await using refused = open(garbage.port, { protocol: 'TLS' })
  await assert.rejects(refused.send(auditRecords(1), signal))
  const { port } = await TcpPeer.start().then(async (gone) => {
    await gone[Symbol.asyncDispose]()
    return gone
  })
  await using absent = open(port)
  await assert.rejects(absent.send(auditRecords(1), signal), /ECONNREFUSED/)
})

test('a receiver that never reads is a failure after the send time-out, and memory stays bounded', async () => {
  await using peer = await TcpPeer.start((socket) => socket.pause(), { reads: false })
  await using transport = open(peer.port)
  const records = auditRecords(400, () => 'x'.repeat(65_000))
  await assert.rejects(transport.send(records, signal), /the receiver took no bytes within 300 ms/)
})

test('an abort ends a call at once', async () => {
  await using peer = await TcpPeer.start((socket) => socket.pause(), { reads: false })
  await using transport = open(peer.port, { sendTimeout: 60_000 })
  const aborting = new AbortController()
  const sending = transport.send(
    auditRecords(400, () => 'x'.repeat(65_000)),
    aborting.signal,
  )
  await peer.until(() => peer.connections === 1)
  aborting.abort(new Error('shutdown'))
  await assert.rejects(sending, /shutdown/)
  await assert.rejects(transport.send(auditRecords(1), aborting.signal), /shutdown/)
})

test('a connection that the receiver closed while it was idle is not written to', async () => {
  await using peer = await TcpPeer.start()
  await using transport = open(peer.port)
  await transport.send(
    auditRecords(1, () => 'first'),
    signal,
  )
  await peer.until(() => peer.text === '5 first')
  // Longer than the time in which the end of the connection casts doubt on the batch.
  ahead += 10_000
  peer.reset()
  await transport.send(
    auditRecords(1, () => 'second'),
    signal,
  )
  await peer.until(() => peer.connections === 2 && peer.text === '5 first6 second')
})

test('a batch is sent again when the receiver resets the connection right after it', async () => {
  let resets = 1
  await using peer = await hostile((socket) => {
    socket.once('data', () => {
      if (resets-- > 0) socket.resetAndDestroy()
    })
  })
  await using transport = open(peer.port)
  await transport
    .send(
      auditRecords(1, () => 'first'),
      signal,
    )
    .catch(() =>
      transport.send(
        auditRecords(1, () => 'first'),
        signal,
      ),
    )
  await peer.until(() => peer.text.includes('first'))
  await transport.send(
    auditRecords(1, () => 'second'),
    signal,
  )
  await peer.until(() => /first.*second$/.test((peer.received.at(-1) as Buffer).toString()))
})

test('all batches shortly before a reset are sent again, in order', async () => {
  await using peer = await TcpPeer.start()
  await using transport = open(peer.port)
  for (const text of ['first', 'second', 'third'])
    await transport.send(
      auditRecords(1, () => text),
      signal,
    )
  await peer.until(() => peer.text === '5 first6 second5 third')
  peer.reset()
  await transport.send(
    auditRecords(1, () => 'fourth'),
    signal,
  )
  await peer.until(() => String(peer.received[1]) === '5 first6 second5 third6 fourth')
})

test('a receiver that resets each connection is a failure, and loses no event', async () => {
  let isBroken = true
  await using peer = await hostile((socket) => {
    socket.once('data', () => {
      if (isBroken) socket.resetAndDestroy()
    })
  })
  await using transport = open(peer.port)
  const batches = [auditRecords(1, () => 'first'), auditRecords(1, () => 'second')]
  let failures = 0
  for (const batch of batches) {
    for (let attempt = 0; ; attempt++) {
      const failure = await transport.send(batch, signal).then(
        () => null,
        (error: Error) => error,
      )
      if (failure === null) break
      failures++
      if (attempt === 1) isBroken = false
    }
  }
  assert.ok(failures >= 2, `${failures} failures`)
  await peer.until(() => /first.*second$/.test((peer.received.at(-1) as Buffer).toString()))
})

test('a peer that floods the transport is disconnected', async () => {
  await using peer = await hostile((socket) => {
    const flood = () => {
      while (socket.writable && socket.write('y'.repeat(65_536)));
    }
    socket.on('drain', flood)
    flood()
  })
  await using transport = open(peer.port)
  await assert.rejects(async () => {
    for (;;) await transport.send(auditRecords(1), signal)
  }, /it is no syslog receiver|reset|EPIPE|closed/)
})

test('close is idempotent, bounded, and a receiver that reads gets all bytes', async () => {
  await using peer = await TcpPeer.start()
  const transport = open(peer.port)
  await transport.send(auditRecords(1), signal)
  await Promise.all([transport.close(), transport.close()])
  await peer.until(() => peer.text === '7 event 0')
})
