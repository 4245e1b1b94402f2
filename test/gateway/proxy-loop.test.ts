// A route that sends requests back to its own gateway, by a forgotten baseURI for example.
import assert from 'node:assert/strict'
import { networkInterfaces } from 'node:os'
import { describe, test } from 'node:test'
import { RunningGateway } from '#test/gateway'
import { freePort } from '#test/nginx'
import { refusal } from '#test/websocket-proxy'

const proxied = (config: object = {}, route: object = {}) => ({
  name: 'app',
  handler: { type: 'ReverseProxyHandler', config },
  ...route,
})

describe('a request that would go to the gateway itself', () => {
  test('without a baseURI it is a 508 at once, with a message; the log names the target', async () => {
    await using gateway = await RunningGateway.start({ units: 2, routes: { app: proxied() } })
    const before = Date.now()
    for (const host of [`127.0.0.1:${gateway.port}`, `localhost:${gateway.port}`]) {
      const answers = await Promise.all(Array.from({ length: 20 }, () => gateway.ask('/a', { headers: { host } })))
      for (const { status, text } of answers) {
        assert.equal(status, 508)
        assert.equal(
          text,
          'Loop Detected: the request would be sent back to this gateway; set baseURI of the route to the application',
        )
      }
    }
    assert.ok(Date.now() - before < 5_000, 'no pool was waited for')
    const { error, upstream } = await gateway.log.until(/GW_UPSTREAM_LOOP/)
    assert.match(JSON.stringify(error), /set baseURI to the application/)
    assert.match(String(upstream), /^http:\/\/(127\.0\.0\.1|localhost):\d+$/)
  })

  test('with the address of a connector as baseURI too, for every handler and request', async () => {
    await using gateway = await RunningGateway.start()
    const baseURI = gateway.url
    for (const [name, route] of Object.entries({
      reverse: proxied({}, { baseURI }),
      client: { name: 'app', baseURI, handler: { type: 'ClientHandler' } },
      retries: proxied(
        { retries: { count: 3, delay: '1 ms' }, circuitBreaker: { maxFailures: 1, openDuration: '1 minute' } },
        { baseURI },
      ),
      http2: proxied({ protocolVersion: 'HTTP/2' }, { baseURI }),
      known: proxied({ protocolVersion: 'HTTP/2', http2PriorKnowledge: true }, { baseURI }),
    })) {
      await gateway.deploy('app', route)
      assert.equal((await gateway.ask('/a')).status, 508, name)
      assert.equal((await gateway.ask('/a', { method: 'POST', body: 'x'.repeat(200_000) })).status, 508, name)
    }
    await gateway.deploy('app', proxied({ websocket: { enabled: true } }, { baseURI }))
    assert.equal(await refusal(`ws://127.0.0.1:${gateway.port}/`), 508)
  })

  test('B12: a Host or baseURI that names the management connector does not lead to it', async () => {
    const port = await freePort()
    await using gateway = await RunningGateway.start({
      admin: { mode: 'DEVELOPMENT', adminConnector: { port } },
      routes: { app: proxied() },
    })
    for (const path of ['/api/info', '/metrics/prometheus', '/health/ready']) {
      for (const host of [`127.0.0.1:${port}`, `localhost:${port}`]) {
        const { status, text } = await gateway.ask(path, { headers: { host } })
        assert.deepEqual([status, text.startsWith('Loop Detected')], [508, true], `${host}${path}`)
      }
    }
    await gateway.deploy('app', proxied({}, { baseURI: `http://127.0.0.1:${port}` }))
    assert.equal((await gateway.ask('/api/info')).status, 508)
  })

  test('B12: nor does one that names a management connector whose port the system has chosen', async () => {
    await using gateway = await RunningGateway.start({ routes: { app: proxied() } })
    const { adminPort } = gateway.gateway
    for (const host of [`127.0.0.1:${adminPort}`, `localhost:${adminPort}`]) {
      const { status, text } = await gateway.ask('/health/ready', { headers: { host } })
      assert.deepEqual([status, text.startsWith('Loop Detected')], [508, true], host)
    }
  })

  test('a connector on all addresses is recognised by any of them', async () => {
    const [address] = Object.values(networkInterfaces())
      .flatMap((addresses) => addresses ?? [])
      .filter(({ family, internal }) => family === 'IPv4' && !internal)
      .map((each) => each.address)
    await using gateway = await RunningGateway.start({ connector: { host: '0.0.0.0' } })
    for (const host of ['127.0.0.1', '127.0.0.5', ...(address === undefined ? [] : [address])]) {
      await gateway.deploy('app', proxied({}, { baseURI: `http://${host}:${gateway.port}` }))
      assert.equal((await gateway.ask('/a')).status, 508, host)
    }
  })

  test('another gateway on the same machine is not detected as a loop', async () => {
    const answer = { type: 'StaticResponseHandler', config: { status: 204 } }
    await using other = await RunningGateway.start({ routes: { all: { name: 'all', handler: answer } } })
    await using gateway = await RunningGateway.start({ routes: { app: proxied({}, { baseURI: other.url }) } })
    assert.equal((await gateway.ask('/a')).status, 204)
  })
})
