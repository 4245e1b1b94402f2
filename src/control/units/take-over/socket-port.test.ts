import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { connect, createServer, type Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { test } from 'node:test'
import { Folder } from '#test/folder'
import { slowness, threadTime } from '#test/loop-watch'
import { once } from '#test/waiting'
import { SocketPort } from './socket-port.ts'

/** A port over a stream, and the messages that it received. */
function port() {
  const stream = new Duplex({ read: () => {}, write: (_chunk, _encoding, done) => done() })
  const messages: unknown[] = []
  new SocketPort(stream as Socket).on('message', (message) => messages.push(message))
  const receive = async (...chunks: readonly string[]) => {
    for (const chunk of chunks) stream.push(chunk)
    await new Promise(setImmediate)
  }
  return { stream, messages, receive }
}

test('messages are received in order, however they are divided', async () => {
  const { stream, messages, receive } = port()
  await receive('[1]\n[2,', '"b', '"]\n', '[3]', '\n[4]\n[5')
  assert.deepEqual(messages, [[1], [2, 'b'], [3], [4]])
  await receive(']\n')
  assert.deepEqual(messages.at(-1), [5])
  assert.equal(stream.destroyed, false)
})

test('what is no message, or too long for one, ends the connection', async () => {
  const { stream, messages, receive } = port()
  await receive('[1]\n{"a":1}\n[2]\n')
  assert.deepEqual([messages, stream.destroyed], [[[1]], true])
  const other = port()
  const part = 'x'.repeat(1024 * 1024)
  await other.receive(...Array<string>(8).fill(part))
  assert.equal(other.stream.destroyed, false)
  await other.receive('x')
  assert.equal(other.stream.destroyed, true)
})

test('a long message in small parts costs as much as its length', async () => {
  const { messages, receive } = port()
  const parts = Array<string>(4_000).fill('x'.repeat(1_000))
  const started = threadTime()
  await receive('["', ...parts, '"]\n')
  const time = threadTime() - started
  assert.equal((messages[0] as string[])[0]?.length, 4_000_000)
  assert.ok(time < 500 * slowness(), `it took ${time} ms`)
})

/** Sends a message to the socket of its argument, and is killed. */
const KILLED = `
  const socket = require('node:net').connect(process.argv[1])
  socket.on('connect', () => {
    socket.write('["last"]\\n')
    process.kill(process.pid, 'SIGKILL')
  })`

test('messages of a process that was killed are received, also after a write to it', async () => {
  using folder = new Folder()
  const path = folder.in('socket')
  const server = createServer().listen(path)
  await once(server, 'listening')
  // This thread accepts and reads nothing meanwhile.
  assert.equal(spawnSync(process.execPath, ['-e', KILLED, path]).signal, 'SIGKILL')
  const [socket] = (await once(server, 'connection')) as [Socket]
  const messages: unknown[] = []
  const received = new SocketPort(socket)
  received.on('message', (message) => messages.push(message))
  received.postMessage(['one'])
  received.postMessage(['two'])
  await once(socket, 'close')
  assert.deepEqual(messages, [['last']])
  server.close()
})

test('a peer that does not read gets a bounded amount', async () => {
  using folder = new Folder()
  const path = folder.in('socket')
  const server = createServer({ pauseOnConnect: true }).listen(path)
  await once(server, 'listening')
  const socket = connect(path)
  const [other] = (await once(server, 'connection')) as [Socket]
  const sending = new SocketPort(socket)
  const text = 'x'.repeat(8 * 1024 * 1024)
  for (let count = 0; count < 7; count++) sending.postMessage(text)
  assert.equal(socket.destroyed, false)
  for (let count = 0; count < 2; count++) sending.postMessage(text)
  assert.equal(socket.destroyed, true)
  other.destroy()
  server.close()
})
