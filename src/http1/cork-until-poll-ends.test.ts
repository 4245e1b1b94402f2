import assert from 'node:assert/strict'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { test } from 'node:test'
import { setImmediate as pollEnds } from 'node:timers/promises'
import { once, within } from '#test/waiting'
import { corkUntilPollEnds } from './cork-until-poll-ends.ts'

async function connected(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').unref()
  await once(socket, 'connect')
  return socket
}

test('texts of several sockets are held back until the poll ends, and a socket that is destroyed meanwhile holds up no other', async () => {
  let received = ''
  const all = Promise.withResolvers<void>()
  const server = createServer((socket) => {
    socket.on('data', (data) => {
      received += data
      if (received.length === 'one two three'.length) all.resolve()
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const [first, gone, second] = [await connected(port), await connected(port), await connected(port)]
  for (const [socket, text] of [[first, 'one '] as const, [gone, 'lost'] as const, [second, 'two '] as const]) {
    corkUntilPollEnds(socket)
    socket.write(text, 'latin1')
  }
  gone.destroy()
  assert.deepEqual([first.writableLength, second.writableLength], [4, 4])
  await pollEnds()
  assert.deepEqual([first.writableCorked, second.writableCorked], [0, 0])
  // A text written by the next poll is held back again, and sent.
  corkUntilPollEnds(first)
  first.write('three', 'latin1')
  assert.equal(first.writableCorked, 1)
  await within('all texts arrived', all.promise)
  assert.deepEqual(received.match(/one|two|three/g)?.toSorted(), ['one', 'three', 'two'])
  for (const socket of [first, second]) socket.destroy()
  server.close()
})
