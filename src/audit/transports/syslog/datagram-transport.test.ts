import assert from 'node:assert/strict'
import { createSocket, type Socket } from 'node:dgram'
import { test } from 'node:test'
import { RecordRefused, type Transport } from '#durable-queue'
import { createLogger, memoryLog } from '#logging'
import { systemClock } from '#schema'
import { auditRecords } from '#test/audit-events'
import { once } from '#test/waiting'
import { openSyslog } from './syslog-transport.ts'

const env = { logger: createLogger({ destination: memoryLog() }), clock: systemClock }
const { signal } = new AbortController()

function open(port: number, host = '127.0.0.1'): Transport {
  return openSyslog({ protocol: 'UDP', host, port, connectTimeout: 2_000, sendTimeout: 1_000, tls: null }, env)
}

async function receiver(port = 0): Promise<Socket> {
  const socket = createSocket('udp4')
  socket.bind(port, '127.0.0.1')
  await once(socket, 'listening')
  return socket
}

test('RFC 5426: each record is a datagram', async () => {
  const socket = await receiver()
  const transport = open(socket.address().port, 'localhost')
  const received: string[] = []
  const complete = new Promise<void>((resolve) => {
    socket.on('message', (message) => {
      if (received.push(message.toString()) === 3) resolve()
    })
  })
  await transport.send(
    auditRecords(3, (index) => `<134>1 é ${index}`),
    signal,
  )
  await complete
  assert.deepEqual(received, ['<134>1 é 0', '<134>1 é 1', '<134>1 é 2'])
  await transport.close()
  await transport.close()
  socket.close()
})

test('a record that fits into no datagram is refused, and those before it are sent', async () => {
  const socket = await receiver()
  const transport = open(socket.address().port)
  const first = once(socket, 'message')
  const records = auditRecords(3, (index) => (index === 1 ? 'x'.repeat(70_000) : `event ${index}`))
  await assert.rejects(transport.send(records, signal), (error) => error instanceof RecordRefused && error.index === 1)
  assert.equal(String((await first)[0]), 'event 0')
  await transport.close()
  socket.close()
})

test('a closed port is a failure where the host reports it, and the transport recovers', async () => {
  const gone = await receiver()
  const { port } = gone.address()
  gone.close()
  const transport = open(port)
  await assert.rejects(transport.send(auditRecords(3), signal), /ECONNREFUSED/)
  const socket = await receiver(port)
  const first = once(socket, 'message')
  await transport.send(auditRecords(1), signal)
  assert.equal(String((await first)[0]), 'event 0')
  await transport.close()
  socket.close()
})

test('a host that can not be resolved is a failure', async () => {
  const transport = open(514, 'syslog.invalid')
  await assert.rejects(transport.send(auditRecords(1), signal), /ENOTFOUND|EAI_AGAIN|not resolved/)
  await transport.close()
})

test('an address that the system does not connect to is a failure with its reason', async () => {
  // A broadcast, which a socket must be allowed to send.
  const transport = open(514, '255.255.255.255')
  await assert.rejects(transport.send(auditRecords(1), signal), { code: 'EACCES' })
  await transport.close()
})
