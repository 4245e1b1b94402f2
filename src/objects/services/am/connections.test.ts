import assert from 'node:assert/strict'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, connect, type Server, type Socket } from 'node:net'
import { test } from 'node:test'
import { createServer as createTlsServer } from 'node:tls'
import { DevelopmentAccessManager } from '#dev'
import { buildAmService } from '#test/am-service'
import { Authority, opensslMissing } from '#test/certificates'
import { ManualExecutor } from '#test/manual-executor'
import { once, within } from '#test/waiting'
import { CustomProxyOptions } from '../../proxies/custom-proxy-options/custom-proxy-options.ts'
import { ClientTlsOptions } from '../../tls/client-tls-options/client-tls-options.ts'
import { TrustAllManager } from '../../tls/trust-all-manager/trust-all-manager.ts'

/** A server on a free port, closed at the end of its scope with all its connections. */
async function opened(server: Server, sockets: Set<Socket>): Promise<{ port: number } & AsyncDisposable> {
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
  })
  server.listen(0, '127.0.0.1')
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

function joined(near: Socket, port: number, sockets: Set<Socket>): void {
  const far = connect(port, '127.0.0.1')
  sockets.add(far)
  near.on('error', () => far.destroy()).pipe(far)
  far.on('error', () => near.destroy()).pipe(near)
}

test('notifications.tls sets the trust of the connection, independent of amHandler', {
  skip: opensslMissing,
}, async () => {
  await using manager = await DevelopmentAccessManager.start()
  using authority = new Authority()
  const { key, certificate: cert } = authority.issue({ name: 'localhost', altNames: 'IP:127.0.0.1' })
  const sockets = new Set<Socket>()
  const target = Number(new URL(manager.url).port)
  const server = createTlsServer({ key, cert }, (socket) => joined(socket, target, sockets))
  server.on('tlsClientError', () => {})
  await using front = await opened(server, sockets)
  const url = manager.url.replace(`http://127.0.0.1:${target}`, `https://127.0.0.1:${front.port}`)
  const tls = { type: 'ClientTlsOptions', config: { trustManager: { type: 'TrustAllManager' } } }
  const amHandler = { type: 'ClientHandler', config: { tls } }
  const types = [ClientTlsOptions, TrustAllManager]

  await using trusting = await buildAmService(url, { amHandler, notifications: { tls } }, { types })
  assert.equal(trusting.object.notifications?.connected, true)

  const executor = new ManualExecutor()
  const around = executor.buildOptions
  await using strict = await buildAmService(url, { amHandler }, { ...around, types: [...types, ...around.types] })
  assert.equal(strict.object.notifications?.connected, false)
  assert.equal(strict.metrics.values.get('gw_agent_logins_total'), 1)
  assert.match(strict.log.lines.join('\n'), /notifications not connected: retrying after the pause/)
})

test('notifications.proxyOptions: the connection uses CONNECT of the proxy, also without TLS', async () => {
  await using manager = await DevelopmentAccessManager.start()
  const sockets = new Set<Socket>()
  const tunnels: string[] = []
  const proxy = createHttpServer()
  proxy.on('connect', ({ url = '' }, near: Socket) => {
    tunnels.push(url)
    near.write('HTTP/1.1 200 OK\r\n\r\n')
    joined(near, Number(url.split(':')[1]), sockets)
  })
  await using way = await opened(proxy, sockets)
  const proxyOptions = { type: 'CustomProxyOptions', config: { uri: `http://127.0.0.1:${way.port}` } }
  await using built = await buildAmService(
    manager.url,
    { notifications: { proxyOptions } },
    { types: [CustomProxyOptions] },
  )
  assert.equal(built.object.notifications?.connected, true)
  assert.deepEqual(tunnels, [new URL(manager.url).host])
})

test('notifications.connectionTimeout: a connection to an unresponsive server times out, and is retried', async () => {
  await using manager = await DevelopmentAccessManager.start()
  const held = manager.hold('notifications')
  await using built = await buildAmService(manager.url, {
    notifications: { connectionTimeout: '100 milliseconds', reconnectDelay: '10 milliseconds' },
  })
  assert.equal(built.object.notifications?.connected, false)
  const { promise, resolve } = Promise.withResolvers<void>()
  built.object.notifications?.listen({ connected: resolve })
  held.release()
  await within('notifications were connected', promise)
  assert.equal(manager.sockets, 1)
})
