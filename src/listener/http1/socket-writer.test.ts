import assert from 'node:assert/strict'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { test } from 'node:test'
import { once, waitUntil } from '#test/waiting'
import { SocketWriter } from './socket-writer.ts'

/** Both ends of a connection; the client does not read. */
async function pair(): Promise<{ server: Socket; client: Socket } & Disposable> {
  const listener = createServer()
  await once(listener.listen(0, '127.0.0.1'), 'listening')
  const client = connect((listener.address() as AddressInfo).port, '127.0.0.1').pause()
  const [server] = (await once(listener, 'connection')) as [Socket]
  server.on('error', () => {})
  return {
    server,
    client,
    [Symbol.dispose]() {
      client.destroy()
      server.destroy()
      listener.close()
    },
  }
}

const LARGE = Buffer.alloc(30_000_000)

test('what the client reads of a single large write counts as movement', async () => {
  using sockets = await pair()
  const writer = new SocketWriter(sockets.server, () => {})
  writer.write(LARGE, false)
  let before = -1
  await waitUntil('nothing moves', () => {
    const isStill = writer.movedBytes === before
    before = writer.movedBytes
    return isStill
  })
  assert.equal(writer.isBlocked, true)
  sockets.client.resume()
  await waitUntil('bytes have moved', () => writer.movedBytes !== before)
  sockets.client.pause()
  await waitUntil('the client has read', () => sockets.client.bytesRead > 0)
})

test('responses are reported in their order, each when the system has accepted it', async () => {
  using sockets = await pair()
  const sent: string[] = []
  const response = (name: string) => ({
    lastWrite: 0,
    observer: {
      responseBytes: null,
      onResponseSent: () => void sent.push(name),
      onResponseStalled: () => {},
      abandon: () => void sent.push(`${name} abandoned`),
    },
  })
  const writer = new SocketWriter(sockets.server, () => {})
  writer.write('small', false)
  writer.complete(response('small'))
  assert.deepEqual([sent, writer.unsent], [[], 1])
  writer.write(LARGE, false)
  writer.complete(response('large'))
  await waitUntil('the first is sent', () => sent.length === 1)
  assert.deepEqual([sent, writer.unsent, writer.isFlushed], [['small'], 1, false])
  writer.abandon(new Error('gone'))
  assert.deepEqual(sent, ['small', 'large abandoned'])
})
