// Brokers that are gone, unresponsive, slow or hostile. Every send ends within its deadlines.
import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { endpointAt, numbered, producerOf, producerPlan } from '../../../test/support/jms-plan.ts'
import { commandFrame, OpenWireBroker } from '../../../test/support/openwire-broker.ts'
import { silentUpstream } from '../../../test/support/upstream.ts'
import { once } from '../../../test/support/waiting.ts'
import { JmsError } from '../index.ts'
import { CommandType } from './command-types.ts'

test('a port without a broker is an error with its address', async () => {
  const { port } = await OpenWireBroker.start().then(async (broker) => {
    const found = broker.port
    await broker[Symbol.asyncDispose]()
    return { port: found }
  })
  await using producer = producerOf(producerPlan([endpointAt(port)]))
  await assert.rejects(producer.send(numbered(1)), (error: unknown) => {
    assert.ok(error instanceof JmsError)
    assert.match(error.message, new RegExp(`127.0.0.1:${port}: .*ECONNREFUSED`))
    return true
  })
})

test('a peer that accepts and sends nothing times out after the connect timeout', async () => {
  await using silent = await silentUpstream(() => {})
  await using producer = producerOf(producerPlan([endpointAt(silent.port, { connectTimeout: 1_000 })]))
  await assert.rejects(producer.send(numbered(1)), /no answer of an OpenWire broker within 1000 ms/)
})

test('a peer that sends nothing after its handshake times out', async () => {
  await using broker = await OpenWireBroker.start({ onConnection: () => true, answer: () => 'ignore' })
  await using producer = producerOf(producerPlan([endpointAt(broker.port)], { sendTimeout: 100 }))
  await assert.rejects(producer.send(numbered(1)), /no acknowledgement of messages within 100 ms/)
})

const garbage: [string, Buffer, RegExp][] = [
  ['HTTP', Buffer.from('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n'), /does not speak OpenWire/],
  ['a TLS alert', Buffer.from([21, 3, 3, 0, 2, 2, 80]), /does not speak OpenWire/],
  ['a frame without fields', Buffer.from([0, 0, 0, 1, 30]), /ends within a value/],
  ['another magic', frame(CommandType.WIRE_FORMAT_INFO, 'NotActiveMQ-at-all'), /not that of OpenWire/],
  ['a response first', frame(CommandType.RESPONSE, '\0\0\0\0\0\0\0\0\x01'), /out of order/],
  ['a command without type', Buffer.from([0, 0, 0, 0]), /does not speak OpenWire/],
]
for (const [name, bytes, reason] of garbage) {
  test(`a peer that sends ${name} is an error with a reason`, async () => {
    await using hostile = await silentUpstream((socket) => socket.write(bytes))
    await using producer = producerOf(producerPlan([endpointAt(hostile.port)]))
    await assert.rejects(producer.send(numbered(1)), reason)
  })
}

test('a broker that sends one byte at a time is understood', async () => {
  await using broker = await OpenWireBroker.start({
    onConnection: (socket) => {
      socket.setNoDelay(true)
      const write = socket.write.bind(socket)
      socket.write = ((bytes: Buffer) => {
        for (const byte of bytes) write(Buffer.from([byte]))
        return true
      }) as typeof socket.write
      return true
    },
  })
  await using producer = producerOf(producerPlan([endpointAt(broker.port)]))
  await producer.send(numbered(3))
  assert.equal(broker.messages.length, 3)
})

test('a reset at any command is an error, and the same messages are accepted by the next connection', async () => {
  for (let resetAt = 0; resetAt < 6; resetAt++) {
    let [commands, isFirst] = [0, true]
    await using broker: OpenWireBroker = await OpenWireBroker.start({
      onConnection: (socket) => {
        if (!isFirst) return true
        isFirst = false
        socket.on('data', () => {
          if (commands++ === resetAt) socket.resetAndDestroy()
        })
        return true
      },
    })
    await using producer = producerOf(producerPlan([endpointAt(broker.port)]))
    const messages = numbered(200, (index) => `${index}${'x'.repeat(1000)}`)
    await producer.send(messages).catch((error: unknown) => assert.ok(error instanceof JmsError))
    await producer.send(messages)
    const texts = broker.messages.slice(-200).map(({ text }) => text)
    assert.deepEqual(
      texts,
      messages.map(({ text }) => text),
    )
  }
})

test('a broker that stops reading ends the send, with bounded memory', async () => {
  await using broker = await OpenWireBroker.start({
    answer: (_, socket) => {
      socket.pause()
      return 'ignore'
    },
  })
  await using producer = producerOf(producerPlan([endpointAt(broker.port)], { sendTimeout: 200 }))
  const text = 'x'.repeat(10_000)
  const before = process.memoryUsage().arrayBuffers
  await assert.rejects(producer.send(numbered(5_000, () => text)), /no (?:progress|acknowledgement) of messages/)
  const grown = process.memoryUsage().arrayBuffers - before
  assert.ok(grown < 20 * 1024 * 1024, `${grown} bytes in buffers`)
})

test('responses to keep-alives of a peer that does not read are bounded', async () => {
  const question = commandFrame((output) => {
    output.byte(CommandType.KEEP_ALIVE_INFO)
    output.int(1)
    output.boolean(true)
  })
  await using broker = await OpenWireBroker.start({
    answer: (_, socket) => {
      socket.pause()
      const flood = Buffer.concat(Array.from({ length: 5_000 }, () => question))
      for (let round = 0; round < 40; round++) socket.write(flood)
      return 'ignore'
    },
  })
  await using producer = producerOf(producerPlan([endpointAt(broker.port)], { sendTimeout: 300 }))
  await assert.rejects(producer.send(numbered(1)), JmsError)
})

test('liveness: an idle connection sends keep-alives, and one without data from the broker is closed', async () => {
  await using broker = await OpenWireBroker.start({ maxInactivityDuration: 150n })
  await using producer = producerOf(producerPlan([endpointAt(broker.port)]))
  await producer.send(numbered(1))
  await broker.until(() => broker.commands.includes(CommandType.KEEP_ALIVE_INFO))
  const [socket] = broker.sockets
  await once(socket as Socket, 'close')
  await producer.send(numbered(1))
  assert.equal(broker.connections, 2)
})

test('an aborted send ends at once, whatever it waits for', async () => {
  await using silent = await silentUpstream(() => {})
  await using broker = await OpenWireBroker.start({ answer: () => 'ignore' })
  for (const port of [silent.port, broker.port]) {
    await using producer = producerOf(producerPlan([endpointAt(port)]))
    const controller = new AbortController()
    const sending = producer.send(numbered(1), controller.signal)
    setTimeout(() => controller.abort(), 20)
    await assert.rejects(sending, /aborted/)
    await assert.rejects(producer.send(numbered(1), AbortSignal.abort()), /aborted/)
  }
})

test('close ends a send that waits, and a connection that is being opened', async () => {
  await using silent = await silentUpstream(() => {})
  await using broker = await OpenWireBroker.start({ answer: () => 'ignore' })
  for (const port of [silent.port, broker.port]) {
    const producer = producerOf(producerPlan([endpointAt(port)]))
    const sending = producer.send(numbered(1))
    setTimeout(() => void producer.close(), 20)
    await assert.rejects(sending, /aborted/)
  }
})

function frame(type: number, rest: string): Buffer {
  return commandFrame((output) => {
    output.byte(type)
    output.bytes(Buffer.from(rest, 'latin1'))
  })
}
