import assert from 'node:assert/strict'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { test } from 'node:test'
import { once } from '#test/waiting'
import { DescriptorReserve } from './descriptor-reserve.ts'

async function withConnection(check: (socket: Socket, descriptor: number) => void): Promise<void> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  try {
    const [socket] = (await once(server, 'connection')) as [Socket]
    check(socket, (socket as Socket & { _handle: { fd: number } })._handle.fd)
    socket.destroy()
    check(socket, -1)
  } finally {
    client.destroy()
    server.close()
  }
}

test('F17: the last quarter of file descriptors is not used for clients, the last eighth not for upstreams, half of it for the management port', async () => {
  await withConnection((socket, descriptor) => {
    const kept = (keptFor: ConstructorParameters<typeof DescriptorReserve>[0], limit: number) =>
      new DescriptorReserve(keptFor, limit).has(socket)
    if (descriptor < 0) {
      assert.equal(kept('traffic', 0), false, 'a connection that is gone has no descriptor')
      return
    }
    // The smallest limit at which this descriptor is not in the reserve.
    const enough = Math.ceil(((descriptor + 1) * 4) / 3)
    assert.deepEqual([kept('traffic', enough), kept('traffic', descriptor + 1)], [false, true])
    assert.deepEqual(
      [kept('upstream', Math.ceil(((descriptor + 1) * 8) / 7)), kept('upstream', descriptor)],
      [false, true],
    )
    assert.deepEqual(
      [kept('management', Math.ceil(((descriptor + 1) * 16) / 15)), kept('management', descriptor)],
      [false, true],
    )
    assert.equal(kept('traffic', Number.POSITIVE_INFINITY), false)
  })
})
