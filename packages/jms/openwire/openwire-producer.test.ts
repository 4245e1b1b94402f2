import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endpointAt, numbered, producerOf, producerPlan } from '../../../test/support/jms-plan.ts'
import { commandFrame, OpenWireBroker, producerAck } from '../../../test/support/openwire-broker.ts'
import { JmsError, type JmsMessage, MessageRefused } from '../index.ts'
import { CommandType } from './command-types.ts'

const TEXTS = ['{}', '{"name":"Zoë €"}', '{"emoji":"😀\u0000"}', `{"large":"${'é'.repeat(500_000)}"}`]

test('messages arrive in order with their text, destination and id', async () => {
  await using broker = await OpenWireBroker.start()
  await using producer = producerOf(producerPlan([endpointAt(broker.port)]))
  await producer.send(TEXTS.map((text, index) => ({ id: `id-${index}`, text })))
  assert.deepEqual(
    broker.messages.map(({ text }) => text),
    TEXTS,
  )
  assert.deepEqual(
    broker.messages.map(({ correlationId }) => correlationId),
    ['id-0', 'id-1', 'id-2', 'id-3'],
  )
  for (const message of broker.messages) {
    assert.equal(message.destination, 'topic://audit')
    assert.equal(message.persistent, true)
    assert.equal(message.responseRequired, false)
    assert.equal(message.transaction, 1n)
  }
  await producer.send([{ id: 'single', text: '{}' }])
  assert.equal(broker.messages.at(-1)?.responseRequired, true)
  assert.equal(broker.messages.at(-1)?.transaction, null)
  assert.equal(broker.windowSize, 0)
})

for (const version of [9, 10, 11, 12, 13]) {
  test(`a broker with OpenWire version ${version} gets messages in its version`, async () => {
    await using broker = await OpenWireBroker.start({ version })
    await using producer = producerOf(producerPlan([endpointAt(broker.port)]))
    await producer.send(numbered(3))
    assert.deepEqual(
      broker.messages.map(({ text }) => text),
      ['{"n":0}', '{"n":1}', '{"n":2}'],
    )
  })
}

for (const hasCache of [true, false]) {
  test(`messages of several transactions, and without, arrive whole where the broker caches ${hasCache ? 'structures' : 'nothing'}`, async () => {
    for (const version of [9, 12]) {
      await using broker = await OpenWireBroker.start({ version, hasCache })
      await using producer = producerOf(producerPlan([endpointAt(broker.port)]))
      const sent = [numbered(1), numbered(3), numbered(2), numbered(1), numbered(3)]
      for (const messages of sent) await producer.send(messages)
      assert.deepEqual(
        broker.messages.map(({ correlationId, text }) => ({ id: correlationId, text })),
        sent.flat(),
      )
      assert.deepEqual(
        broker.messages.map(({ transaction }) => transaction),
        [null, 1n, 1n, 1n, 2n, 2n, null, 3n, 3n, 3n],
      )
      for (const { destination } of broker.messages) assert.equal(destination, 'topic://audit')
    }
  })
}

test('a broker that caches structures gets frames without them', async () => {
  const sizes = await Promise.all(
    [true, false].map(async (hasCache) => {
      await using broker = await OpenWireBroker.start({ hasCache })
      await using producer = producerOf(producerPlan([endpointAt(broker.port)]))
      await producer.send(numbered(2))
      const before = broker.bytes
      await producer.send(numbered(1_000))
      return (broker.bytes - before) / 1_000
    }),
  )
  assert.ok(sizes[0]! < 150 && sizes[1]! > 350, `${sizes.join(' and ')} bytes`)
})

/** Messages whose texts and ids are ranges of one buffer. */
function encoded(texts: readonly string[]): JmsMessage[] {
  const bytes = Buffer.from(texts.map((text, at) => `${text}\nid-${at}`).join(''))
  let start = 0
  return texts.map((text, at) => {
    const id = `id-${at}`
    const end = start + Buffer.byteLength(text)
    const [idStart, idEnd] = [end + 1, end + 1 + id.length]
    const ranges = { bytes, start, end, idStart, idEnd, isAscii: /^[\x01-\x7f]*$/.test(text) }
    start = idEnd
    return { id, text, encoded: ranges }
  })
}

test('messages that are encoded already have the same text and id', async () => {
  for (const texts of [['{}', '{"n":1}'], TEXTS, ['{"nul":"\0"}', '{}']]) {
    await using broker = await OpenWireBroker.start()
    await using producer = producerOf(producerPlan([endpointAt(broker.port)]))
    await producer.send(encoded(texts))
    assert.deepEqual(
      broker.messages.map(({ correlationId, text }) => ({ id: correlationId, text })),
      texts.map((text, at) => ({ id: `id-${at}`, text })),
    )
  }
})

test('a broker with an older version is refused with both versions', async () => {
  await using broker = await OpenWireBroker.start({ version: 6 })
  await using producer = producerOf(producerPlan([endpointAt(broker.port)]))
  await assert.rejects(producer.send(numbered(1)), /up to version 6; at least version 9/)
})

test('one connection serves many sends, and close sends ShutdownInfo', async () => {
  await using broker = await OpenWireBroker.start()
  const producer = producerOf(producerPlan([endpointAt(broker.port)]))
  for (let round = 0; round < 3; round++) await producer.send(numbered(2))
  await producer.close()
  await producer.close()
  await broker.until(() => broker.commands.includes(CommandType.SHUTDOWN_INFO))
  assert.equal(broker.connections, 1)
  assert.ok(broker.commands.includes(CommandType.REMOVE_INFO))
  await assert.rejects(producer.send(numbered(1)), /closed/)
})

test('PERSISTENT messages are accepted only when the broker has responded', async () => {
  for (const count of [1, 3]) {
    await using broker = await OpenWireBroker.start({ answer: () => 'ignore' })
    await using producer = producerOf(producerPlan([endpointAt(broker.port)]))
    let isDone = false
    const sending = producer.send(numbered(count)).then(() => {
      isDone = true
    })
    await broker.until(() => broker.held.length > 0)
    await new Promise((resolve) => setImmediate(resolve))
    assert.equal(isDone, false)
    for (const respond of broker.held) respond()
    await sending
    assert.equal(broker.messages.length, count)
  }
})

test('PERSISTENT messages of a call are transactions of bounded size', async () => {
  await using broker = await OpenWireBroker.start()
  await using producer = producerOf(producerPlan([endpointAt(broker.port)]))
  const messages = numbered(50, (index) => `${index}${'x'.repeat(12_000)}`)
  await producer.send(messages)
  assert.deepEqual(
    broker.messages.map(({ text }) => text),
    messages.map(({ text }) => text),
  )
  const transactions = Map.groupBy(broker.messages, ({ transaction }) => transaction)
  assert.deepEqual(
    [...transactions.values()].map(({ length }) => length),
    [11, 11, 11, 11, 6],
  )
})

test('a transaction that the broker never commits makes the next ones smaller, down to single messages', async () => {
  // A broker with little memory for the destination does not commit more messages than fit.
  const sizes: number[] = []
  let uncommitted = 0
  await using broker: OpenWireBroker = await OpenWireBroker.start({
    onConnection: () => {
      sizes.push(uncommitted)
      uncommitted = 0
      return true
    },
    answer: ({ transaction }) => {
      if (transaction === null) return 'accept'
      uncommitted++
      return 'ignore'
    },
  })
  await using producer = producerOf(producerPlan([endpointAt(broker.port)], { sendTimeout: 500 }))
  const messages = numbered(60, () => 'x'.repeat(2_000))
  await assert.rejects(producer.send(messages), /no acknowledgement/)
  await assert.rejects(producer.send(messages), /no acknowledgement/)
  await producer.send(messages)
  sizes.push(uncommitted)
  assert.deepEqual(sizes, [0, 60, 8, 0])
})

test('of NON_PERSISTENT messages only the last of a call needs a response', async () => {
  await using broker = await OpenWireBroker.start()
  const plan = producerPlan([endpointAt(broker.port)], {}, { deliveryMode: 'NON_PERSISTENT' })
  await using producer = producerOf(plan)
  await producer.send(numbered(5))
  assert.deepEqual(
    broker.messages.map(({ responseRequired }) => responseRequired),
    [false, false, false, false, true],
  )
  assert.ok(broker.messages.every(({ persistent }) => !persistent))
  assert.equal(broker.windowSize, 1024 * 1024)
})

test('NON_PERSISTENT messages beyond the window wait for its acknowledgement', async () => {
  let acknowledged = false
  await using broker = await OpenWireBroker.start({
    answer: (_, socket) => {
      if (acknowledged) socket.write(producerAck(10_000))
      return 'accept'
    },
  })
  const plan = producerPlan([endpointAt(broker.port)], { producerWindow: 10_000 }, { deliveryMode: 'NON_PERSISTENT' })
  await using producer = producerOf(plan)
  const sending = producer.send(numbered(100, () => 'x'.repeat(1000)))
  await broker.until(() => broker.messages.length > 0)
  await new Promise((resolve) => setTimeout(resolve, 20))
  const stopped = broker.messages.length
  assert.ok(stopped < 20, `${stopped} messages without acknowledgement`)
  acknowledged = true
  for (const socket of broker.sockets) socket.write(producerAck(20_000))
  await sending
  assert.equal(broker.messages.length, 100)
})

test('a wrong password is an error with the words of the broker, and without the password', async () => {
  await using broker = await OpenWireBroker.start({ credentials: { userName: 'gateway', password: 'right' } })
  const endpoints = [endpointAt(broker.port)]
  await using wrong = producerOf(producerPlan(endpoints, { userName: 'gateway', password: 'hunter2' }))
  await assert.rejects(wrong.send(numbered(1)), (error: Error) => {
    assert.ok(error instanceof JmsError)
    assert.match(error.message, /SecurityException: User name \[gateway\] or password is invalid/)
    assert.doesNotMatch(`${error.stack}`, /hunter2/)
    return true
  })
  await using right = producerOf(producerPlan(endpoints, { userName: 'gateway', password: 'right' }))
  await right.send(numbered(1))
})

test('a message beyond the limit of the broker is refused for good; those before it are accepted', async () => {
  await using broker = await OpenWireBroker.start({ maxFrameSize: 10_000n })
  for (const deliveryMode of ['PERSISTENT', 'NON_PERSISTENT'] as const) {
    await using producer = producerOf(producerPlan([endpointAt(broker.port)], {}, { deliveryMode }))
    broker.messages.length = 0
    const messages = numbered(4, (index) => (index === 2 ? 'é'.repeat(5_000) : 'small'))
    await assert.rejects(producer.send(messages), (error: unknown) => {
      assert.ok(error instanceof MessageRefused)
      assert.equal(error.index, 2)
      assert.match(error.message, /10000 bytes/)
      return true
    })
    assert.equal(broker.messages.length, 2)
    await producer.send(messages.slice(3))
    assert.equal(broker.messages.length, 3)
  }
  assert.equal(broker.connections, 2)
})

test('the size of a frame is that which was compared with the limit', async () => {
  await using broker = await OpenWireBroker.start({ maxFrameSize: 1_000n })
  await using producer = producerOf(producerPlan([endpointAt(broker.port)]))
  const fits = async (length: number): Promise<boolean> =>
    producer.send([{ id: 'ü', text: 'é'.repeat(length) }]).then(
      () => true,
      (error: unknown) => !(error instanceof MessageRefused),
    )
  let longest = 0
  while (await fits(longest + 1)) longest++
  const { port } = broker
  assert.ok(longest > 200 && longest < 500, `${longest} characters to port ${port}`)
})

test('an exception about the message refuses it; any other one is an error of all', async () => {
  let className = 'javax.jms.MessageFormatException'
  await using broker = await OpenWireBroker.start({
    answer: ({ text }) => (text === '{"n":1}' ? { className, message: 'not this one' } : 'accept'),
  })
  await using producer = producerOf(producerPlan([endpointAt(broker.port)]))
  await assert.rejects(producer.send(numbered(3)), (error: unknown) => {
    assert.ok(error instanceof MessageRefused)
    assert.equal(error.index, 1)
    return true
  })
  className = 'javax.jms.ResourceAllocationException'
  await assert.rejects(producer.send(numbered(3)), (error: unknown) => {
    assert.ok(error instanceof JmsError)
    assert.match(error.message, /ResourceAllocationException: not this one/)
    return true
  })
})

test('commands that do not concern a producer are skipped, and a keep-alive that wants a response gets one', async () => {
  await using broker = await OpenWireBroker.start({
    answer: (_, socket) => {
      socket.write(frameOf(CommandType.BROKER_INFO, 'anything'))
      socket.write(frameOf(77, ''))
      socket.write(
        commandFrame((output) => {
          output.byte(CommandType.KEEP_ALIVE_INFO)
          output.int(5)
          output.boolean(true)
        }),
      )
      return 'accept'
    },
  })
  await using producer = producerOf(producerPlan([endpointAt(broker.port)]))
  await producer.send(numbered(2))
  await broker.until(() => broker.commands.includes(CommandType.KEEP_ALIVE_INFO))
})

test('a broker that shuts down or reports an error ends the connection; the next send opens another', async () => {
  const endings: [Buffer, RegExp][] = [
    [frameOf(CommandType.SHUTDOWN_INFO, ''), /shutting down/],
    [frameOf(CommandType.CONNECTION_CONTROL, '\x01\0\0\0\0'), /shutting down/],
    [
      commandFrame((output) => {
        output.byte(CommandType.CONNECTION_ERROR)
        output.int(0)
        output.boolean(false)
        output.boolean(true)
        output.string('java.lang.SecurityException')
        output.string('User is not authorized to write to: topic://audit')
      }),
      /SecurityException: User is not authorized/,
    ],
  ]
  for (const [ending, reason] of endings) {
    let first = true
    await using broker = await OpenWireBroker.start({
      answer: (_, socket) => {
        if (!first) return 'accept'
        first = false
        socket.write(ending)
        return 'ignore'
      },
    })
    await using producer = producerOf(producerPlan([endpointAt(broker.port)]))
    await assert.rejects(producer.send(numbered(1)), reason)
    await producer.send(numbered(1))
    assert.equal(broker.connections, 2)
  }
})

function frameOf(type: number, rest: string): Buffer {
  return commandFrame((output) => {
    output.byte(type)
    output.int(0)
    output.boolean(false)
    output.bytes(Buffer.from(rest, 'latin1'))
  })
}
