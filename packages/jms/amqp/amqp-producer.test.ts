import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AmqpBroker } from '../../../test/support/amqp-broker.ts'
import { endpointAt, numbered, producerOf, producerPlan } from '../../../test/support/jms-plan.ts'
import { silentUpstream } from '../../../test/support/upstream.ts'
import { JmsError, MessageRefused } from '../index.ts'

function producerAt(
  port: number,
  connection: Parameters<typeof producerPlan>[1] = {},
  endpoint: Parameters<typeof endpointAt>[1] = {},
) {
  return producerOf(producerPlan([endpointAt(port, endpoint)], { protocol: 'amqp', ...connection }))
}

test('messages arrive in order, as JMS text messages', async () => {
  await using broker = await AmqpBroker.start()
  await using producer = producerAt(broker.port)
  const texts = ['{}', '{"name":"Zoë €😀\u0000"}', `{"large":"${'é'.repeat(500_000)}"}`]
  await producer.send(texts.map((text, index) => ({ id: `id-${index}`, text })))
  assert.deepEqual(
    broker.messages.map(({ body }) => body as string),
    texts,
  )
  assert.equal(broker.target?.address, 'audit')
  for (const [index, message] of broker.messages.entries()) {
    assert.equal(message.durable, true)
    assert.equal(message.message_id, `ID:id-${index}`)
    assert.equal(message.correlation_id, `id-${index}`)
    assert.deepEqual(message.message_annotations, { 'x-opt-jms-msg-type': 5, 'x-opt-jms-dest': 1 })
  }
})

test('one connection serves many sends of more messages than are in flight', async () => {
  await using broker = await AmqpBroker.start()
  const producer = producerAt(broker.port)
  const messages = numbered(1_500)
  await producer.send(messages)
  await producer.send(messages)
  assert.equal(broker.messages.length, 3_000)
  assert.deepEqual(
    broker.messages.slice(1_500).map(({ correlation_id: id }) => id),
    messages.map(({ id }) => id),
  )
  assert.equal(broker.sockets.size, 1)
  await producer.close()
  await assert.rejects(producer.send(messages), /closed/)
})

test('user and password are UTF-8, and a wrong password is refused without it in the error', async () => {
  await using broker = await AmqpBroker.start({ user: { name: 'gatewäy', password: 'pässwörd€' } })
  await using right = producerAt(broker.port, { userName: 'gatewäy', password: 'pässwörd€' })
  await right.send(numbered(1))
  await using wrong = producerAt(broker.port, { userName: 'gatewäy', password: 'hunter2' })
  await assert.rejects(wrong.send(numbered(1)), (error: unknown) => {
    assert.ok(error instanceof JmsError)
    assert.match(error.message, /authenticate/)
    assert.doesNotMatch(`${error.stack}`, /hunter2/)
    return true
  })
  await using anonymous = producerAt(broker.port)
  await assert.rejects(anonymous.send(numbered(1)), /No suitable mechanism/)
})

test('outcomes: an invalid message is refused for good, any other one is sent again', async () => {
  const cases = [
    ['reject', 'amqp:decode-error', MessageRefused],
    ['reject', 'amqp:link:message-size-exceeded', MessageRefused],
    ['reject', 'amqp:resource-limit-exceeded', JmsError],
    ['release', '', JmsError],
    ['modified', '', JmsError],
  ] as const
  for (const [outcome, condition, type] of cases) {
    await using broker = await AmqpBroker.start({
      condition,
      answer: ({ correlation_id: id }) => (id === 'id-1' ? outcome : 'accept'),
    })
    await using producer = producerAt(broker.port)
    await assert.rejects(
      producer.send(numbered(3)),
      (error: unknown) => {
        assert.ok(error instanceof type, `${outcome} ${condition}: ${error}`)
        if (error instanceof MessageRefused) assert.equal(error.index, 1)
        return true
      },
      `${outcome} ${condition}`,
    )
  }
})

test('a message beyond the limit of the link is refused for good; those before it are accepted', async () => {
  await using broker = await AmqpBroker.start({ maxMessageSize: 10_000 })
  await using producer = producerAt(broker.port)
  const messages = numbered(4, (index) => (index === 2 ? 'x'.repeat(10_000) : 'small'))
  await assert.rejects(producer.send(messages), (error: unknown) => {
    assert.ok(error instanceof MessageRefused)
    assert.equal(error.index, 2)
    return true
  })
  assert.equal(broker.messages.length, 2)
  await producer.send(messages.slice(3))
})

test('without credit messages wait, and without any for too long the send fails', async () => {
  await using broker: AmqpBroker = await AmqpBroker.start({
    credit: 2,
    answer: ({ correlation_id: id }) => {
      if (id === 'id-1') setTimeout(() => broker.addCredit(2), 50)
      return 'accept'
    },
  })
  await using producer = producerAt(broker.port, { sendTimeout: 300 })
  await producer.send(numbered(4))
  assert.equal(broker.messages.length, 4)
  await assert.rejects(producer.send(numbered(1)), /no credit for messages .* within 300 ms/)
})

test('a broker that answers no message, a refused link and a reset are errors; the next send connects again', async () => {
  await using mute = await AmqpBroker.start({ answer: () => 'ignore' })
  await using waiting = producerAt(mute.port, { sendTimeout: 200 })
  await assert.rejects(waiting.send(numbered(1)), /no acknowledgement of messages within 200 ms/)
  await using refusing = await AmqpBroker.start({ refuses: 'amqp:not-found' })
  await using lost = producerAt(refusing.port)
  await assert.rejects(lost.send(numbered(1)), /amqp:not-found: no such address/)
  await using broker = await AmqpBroker.start()
  await using producer = producerAt(broker.port)
  await producer.send(numbered(1))
  broker.reset()
  await producer.send(numbered(1)).catch(() => producer.send(numbered(1)))
  assert.equal(broker.messages.length, 2)
})

test('outcomes of four billion messages that were not sent end the connection at once', async () => {
  const disposition = Buffer.from('0000001602000000005315c00904414370ffffffff41', 'hex')
  await using broker: AmqpBroker = await AmqpBroker.start({
    answer: () => {
      for (const socket of broker.sockets) socket.write(disposition)
      return 'ignore'
    },
  })
  await using producer = producerAt(broker.port)
  await assert.rejects(producer.send(numbered(1)), /a disposition of messages that were not sent/)
})

test('an aborted send and a close end at once', async () => {
  await using mute = await AmqpBroker.start({ answer: () => 'ignore' })
  await using silent = await silentUpstream(() => {})
  for (const port of [mute.port, silent.port]) {
    await using producer = producerAt(port)
    const controller = new AbortController()
    setTimeout(() => controller.abort(), 50)
    await assert.rejects(producer.send(numbered(1), controller.signal), /aborted/)
    const closing = producer.send(numbered(1))
    setTimeout(() => void producer.close(), 50)
    await assert.rejects(closing, /aborted/)
  }
})

const SASL_HEADER = Buffer.from('AMQP\x03\x01\0\0', 'latin1')
const hostile: [string, Buffer, RegExp][] = [
  ['nothing', Buffer.alloc(0), /no answer of an AMQP broker within 150 ms/],
  ['HTTP', Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n'), /does not speak AMQP 1.0/],
  ['another protocol of AMQP', Buffer.from('AMQP\0\0\x09\x01', 'latin1'), /Unsupported AMQP version: 0-9-1/],
  [
    'a huge frame',
    Buffer.concat([SASL_HEADER, Buffer.from([0x7f, 0xff, 0xff, 0xff, 2, 1, 0, 0])]),
    /does not speak AMQP/,
  ],
  ['a frame of no size', Buffer.concat([SASL_HEADER, Buffer.alloc(8)]), /does not speak AMQP/],
  [
    'an array of four billion values without bytes',
    Buffer.concat([
      SASL_HEADER,
      Buffer.from([
        0, 0, 0, 28, 2, 1, 0, 0, 0, 0x53, 0x40, 0xc0, 14, 1, 0xf0, 0, 0, 0, 5, 0xff, 0xff, 0xff, 0xff, 0x40,
      ]),
      Buffer.alloc(4),
    ]),
    /elements in/,
  ],
]
for (const [name, bytes, reason] of hostile) {
  test(`a peer that sends ${name} is an error with a reason`, async () => {
    await using server = await silentUpstream((socket) => socket.write(bytes))
    await using producer = producerAt(server.port, {}, { connectTimeout: 150 })
    await assert.rejects(producer.send(numbered(1)), reason)
  })
}
