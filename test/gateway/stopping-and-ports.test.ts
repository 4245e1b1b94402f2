// Stopping behind a load balancer, and ports that another process has.
import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { pathRoute } from '#test/gateway'
import { GatewayProcess } from '#test/gateway-process'
import { once, waitUntil } from '#test/waiting'

const options = { timeout: 120_000 }
const routes = { hello: pathRoute('/hello', 'hello') }

test('shutdownDelay: not ready at once, connections accepted until the delay is over', options, async () => {
  await using gateway = await GatewayProcess.start({ admin: { shutdownDelay: '2 seconds' }, routes })
  assert.equal((await gateway.askAdmin('/health/ready')).status, 200)
  gateway.kill('SIGTERM')
  await gateway.log.until(/not ready from now on/)
  assert.equal((await gateway.askAdmin('/health/ready')).status, 503)
  assert.equal((await gateway.ask('/hello')).text, 'hello')
  assert.equal((await gateway.exit).code, 0)
})

test('a second signal ends the delay', options, async () => {
  await using gateway = await GatewayProcess.start({ admin: { shutdownDelay: '1 hour' }, routes })
  gateway.kill('SIGTERM')
  await gateway.log.until(/not ready from now on/)
  gateway.kill('SIGTERM')
  assert.equal((await gateway.exit).code, 2)
})

test('a second gateway on a traffic port does not start, unless the port is shared', options, async () => {
  await using first = await GatewayProcess.start({ routes })
  const connector = { port: first.port }
  await using second = new GatewayProcess({ connector, routes })
  assert.equal((await second.exit).code, 1)
  assert.match(
    second.errors,
    new RegExp(`port ${first.port} on 127\\.0\\.0\\.1 is in use by another gateway; .*shareTrafficPorts`),
  )
  assert.equal((await first.ask('/hello')).text, 'hello')
  await using third = await GatewayProcess.start({ connector, routes, admin: { shareTrafficPorts: true } })
  assert.equal(third.port, first.port)
})

test('a port of another program is reported with the field to change', options, async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  await using gateway = new GatewayProcess({ connector: { port }, routes })
  assert.equal((await gateway.exit).code, 1)
  await waitUntil('the message is written', () => gateway.errors !== '')
  assert.match(gateway.errors, /is in use by another process; stop that, or change connectors\[\]\.port/)
  server.close()
})
