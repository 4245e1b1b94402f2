// Frames that a real broker sent, recorded by `npm run interop -- activemq record`.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { endpointAt, numbered, producerOf, producerPlan } from '../../../test/support/jms-plan.ts'
import { once } from '../../../test/support/waiting.ts'
import { FrameReader } from './frame-reader.ts'
import { decodeCommand, type InboundCommand } from './inbound-command.ts'

/** Frames of a session; `>` are those of the producer, `<` those of the broker. */
function recorded(name: string): string[] {
  const file = join(import.meta.dirname, 'recorded', `${name}.json`)
  return (JSON.parse(readFileSync(file, 'utf8')) as { frames: string[] }).frames
}

function bytesOf(frame: string): Buffer {
  return Buffer.from(frame.slice(1), 'hex')
}

function commandsOf(name: string): InboundCommand[] {
  return recorded(name)
    .filter((frame) => frame.startsWith('<'))
    .map((frame) => decodeCommand(bytesOf(frame)))
}

/** A broker that sends its recorded frames, each after the frames of the producer that came before it. */
async function replay(frames: readonly string[]) {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    const reader = new FrameReader(1024 * 1024)
    const rest = [...frames]
    let owed = 0
    const advance = (): void => {
      for (let [next] = rest; next !== undefined; [next] = rest) {
        if (next.startsWith('>') && owed-- === 0) {
          owed = 0
          return
        }
        rest.shift()
        if (next.startsWith('>')) continue
        const bytes = bytesOf(next)
        const size = Buffer.alloc(4)
        size.writeInt32BE(bytes.length)
        socket.write(Buffer.concat([size, bytes]))
      }
    }
    socket.on('error', () => {})
    socket.on('data', (chunk: Buffer) => {
      owed += [...reader.read(chunk)].length
      advance()
    })
    advance()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

test('the first frame of ActiveMQ has its version and limits', () => {
  for (const name of ['persistent', 'non-persistent', 'refused-password', 'keep-alive']) {
    const [first] = commandsOf(name)
    assert.ok(first?.kind === 'wireFormat')
    assert.deepEqual(first.info, { version: 12, maxInactivityDuration: 30_000, maxFrameSize: 2 ** 63, hasCache: true })
  }
})

test('recorded commands of ActiveMQ are parsed', () => {
  const kinds = (name: string): string => [...new Set(commandsOf(name).map(({ kind }) => kind))].sort().join()
  assert.equal(kinds('persistent'), 'other,response,wireFormat')
  assert.equal(kinds('non-persistent'), 'other,producerAck,response,wireFormat')
  assert.equal(kinds('keep-alive'), 'keepAlive,other,response,wireFormat')
  assert.deepEqual(commandsOf('refused-password').at(-1), {
    kind: 'response',
    correlationId: 1,
    exception: {
      className: 'java.lang.SecurityException',
      message: 'User name [gateway] or password is invalid.',
    },
  })
  const acknowledged = commandsOf('non-persistent').flatMap((command) =>
    command.kind === 'producerAck' ? [command.size] : [],
  )
  assert.ok(acknowledged.length === 2 && acknowledged.every((size) => size > 1024))
})

for (const deliveryMode of ['PERSISTENT', 'NON_PERSISTENT'] as const) {
  test(`a recorded session with ${deliveryMode} messages is repeated`, async () => {
    await using broker = await replay(recorded(deliveryMode.toLowerCase().replace('_', '-')))
    const producer = producerOf(producerPlan([endpointAt(broker.port)], {}, { deliveryMode }))
    await producer.send(numbered(3))
    await producer.close()
  })
}

test('a recorded refusal is repeated', async () => {
  await using broker = await replay(recorded('refused-password'))
  await using producer = producerOf(producerPlan([endpointAt(broker.port)]))
  await assert.rejects(producer.send(numbered(1)), /SecurityException: User name \[gateway\] or password is invalid/)
})
