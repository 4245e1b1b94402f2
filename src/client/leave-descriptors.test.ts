import assert from 'node:assert/strict'
import { type AddressInfo, connect, createServer } from 'node:net'
import { test } from 'node:test'
import { DescriptorReserve } from '#contracts'
import { once } from '#test/waiting'
import { leaveDescriptors } from './leave-descriptors.ts'

test('F17: a connection with one of the last descriptors is destroyed before it is established, others are not', async () => {
  const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  try {
    for (const host of ['127.0.0.1', 'localhost']) {
      const refused = connect({ port, host })
      leaveDescriptors(refused, new DescriptorReserve('upstream', 1))
      const failed = once(refused, 'error')
      refused.once('connect', () => assert.fail('it was established'))
      assert.equal(((await failed)[0] as NodeJS.ErrnoException).code, 'EMFILE')
      const admitted = connect({ port, host })
      leaveDescriptors(admitted, new DescriptorReserve('upstream', Number.POSITIVE_INFINITY))
      await once(admitted, 'connect')
      // A connection that has begun, as one to a proxy may have.
      leaveDescriptors(admitted, new DescriptorReserve('upstream', 1))
      assert.ok(admitted.destroyed)
      await once(admitted, 'close').catch(() => {})
    }
  } finally {
    server.close()
  }
})
