import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { WebSocket } from 'ws'
import { MessageConnector } from '#client'
import { manualClock } from '#test/build'
import { ManualExecutor } from '#test/manual-executor'
import { within } from '#test/waiting'
import { webSocketUpstream } from '#test/websocket'
import { SubscribedConnection, type SubscriptionEvents } from './subscribed-connection.ts'

type Answering = (socket: WebSocket, message: { topic: string; id: string }) => void

const acknowledge: Answering = (socket, { topic, id }) =>
  socket.send(JSON.stringify({ topic, id, message: 'subscription registered' }))

const TOPICS = ['/a', '/b']

/** Opens a connection to a server whose responses to subscriptions the test defines. */
async function subscribe(answering: Answering, required: string[] = [], executor = new ManualExecutor()) {
  const upstream = await webSocketUpstream({
    onConnection: (socket) => {
      socket.on('error', () => {})
      socket.on('message', (data) => answering(socket, JSON.parse(String(data))))
    },
  })
  const refused: string[] = []
  const notifications: unknown[] = []
  const unreadable: string[] = []
  const closed = Promise.withResolvers<string>()
  const events: SubscriptionEvents = {
    notified: ({ topic, body }) => notifications.push([topic, body]),
    unreadable: (problem) => unreadable.push(problem),
    topicRefused: (topic) => refused.push(topic),
    closed: closed.resolve,
  }
  const connector = new MessageConnector({ connectionTimeout: 5_000, maxMessageBytes: 10_000, tls: null, proxy: null })
  const opening = SubscribedConnection.open(
    {
      connector,
      topics: TOPICS,
      requiredTopics: new Set(required),
      acknowledgeTimeout: 1_000,
      heartbeat: { interval: 60_000, idleTimeout: 0, executor, clock: manualClock() },
    },
    { url: upstream.url, protocol: 'news', headers: {} },
    events,
    new AbortController().signal,
  )
  opening.catch(() => {})
  return { upstream, opening, refused, notifications, unreadable, closed: closed.promise, executor }
}

test('is open when every subscription is acknowledged, by id or by topic', async () => {
  const { upstream, opening, executor, closed } = await subscribe((socket, message) => {
    if (message.topic === '/a') acknowledge(socket, message)
    else socket.send(JSON.stringify({ topic: '/b', message: 'subscription registered' }))
  })
  const connection = await opening
  assert.deepEqual(
    executor.waiting.map(({ delay }) => delay),
    [60_000],
  )
  connection.destroy()
  await closed
  assert.equal(executor.waiting.length, 0)
  await upstream[Symbol.asyncDispose]()
})

test('an unknown topic is reported; without any other topic the connection fails', async () => {
  const refuseA: Answering = (socket, message) =>
    message.topic === '/a' ? socket.send(JSON.stringify({ error: 'no', id: message.id })) : acknowledge(socket, message)
  const one = await subscribe(refuseA)
  const connection = await one.opening
  assert.deepEqual(one.refused, ['/a'])
  connection.destroy()
  await one.upstream[Symbol.asyncDispose]()

  const needed = await subscribe(refuseA, ['/a'])
  await assert.rejects(needed.opening, /did not accept the subscription to \/a/)
  assert.equal(needed.executor.waiting.length, 0)
  await needed.upstream[Symbol.asyncDispose]()

  const none = await subscribe((socket, { id }) => socket.send(JSON.stringify({ error: 'no', id })))
  await assert.rejects(none.opening, /did not accept any subscription/)
  await none.upstream[Symbol.asyncDispose]()

  const nameless = await subscribe((socket) => socket.send('{"error":"what?"}'))
  await assert.rejects(nameless.opening, /did not accept a subscription/)
  await nameless.upstream[Symbol.asyncDispose]()
})

test('a timeout of subscriptions, and a server that closes before them, leave no open socket', async () => {
  const asked = Promise.withResolvers<void>()
  const silent = await subscribe(() => asked.resolve())
  await within('the request reached the server', asked.promise)
  const at = silent.executor.waiting.findIndex(({ delay }) => delay === 1_000)
  const [late] = silent.executor.waiting.splice(at, 1)
  await late?.task()
  await assert.rejects(silent.opening, /not acknowledged in time/)
  assert.equal(silent.executor.waiting.length, 0)
  await silent.upstream[Symbol.asyncDispose]()

  const leaving = await subscribe((socket) => socket.terminate())
  await assert.rejects(leaving.opening, /the connection ended/)
  assert.equal(leaving.executor.waiting.length, 0)
  await leaving.upstream[Symbol.asyncDispose]()
})

test('notifications and unparseable messages are distinguished, also before all subscriptions are acknowledged', async () => {
  const messages = [
    '{"topic":"/a","body":{"x":1}}',
    '{"topic":"/a","body":[]}',
    '[]',
    'nonsense',
    `${'['.repeat(40)}${']'.repeat(40)}`,
    '{"__proto__":{"topic":"/a","body":{}}}',
  ]
  const { upstream, opening, notifications, unreadable } = await subscribe((socket, message) => {
    if (message.topic === '/a') for (const each of messages) socket.send(each)
    acknowledge(socket, message)
  })
  const connection = await opening
  assert.deepEqual(notifications, [['/a', { x: 1 }]])
  assert.equal(unreadable.length, 5)
  connection.destroy()
  await upstream[Symbol.asyncDispose]()
})
