// An upstream that is down behind a ClientHandler: the response of the route, and the exception in scripts.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type GatewayParts, RunningGateway } from '#test/gateway'
import { silentUpstream } from '#test/upstream'

/** The address of a server that was closed. */
async function goneUpstream(): Promise<string> {
  const gone = await silentUpstream()
  await gone[Symbol.asyncDispose]()
  return gone.url
}

const client = { name: 'asks', type: 'ClientHandler', config: { soTimeout: '100 ms' } }

const scripted = (source: string, handler: object = client) => ({
  type: 'Chain',
  config: { filters: [{ type: 'ScriptableFilter', config: { type: 'application/javascript', source } }], handler },
})

function gatewayTo(url: string, handler: object, parts: GatewayParts = {}): Promise<RunningGateway> {
  return RunningGateway.start({ ...parts, routes: { app: { name: 'app', baseURI: url, handler } } })
}

describe('an uncaught failure of a ClientHandler leaves the route with its own status', () => {
  test('502 where the server can not be reached, logged once under the name of the handler', async () => {
    await using gateway = await gatewayTo(await goneUpstream(), client)
    assert.equal((await gateway.ask('/')).status, 502)
    const lines = gateway.log.with(/"transactionId"/)
    assert.deepEqual(
      lines.map(({ logger, level }) => [logger, level]),
      [['gateway+_router+app+asks', 'warn']],
    )
    assert.equal(await gateway.metric('gw_route_response_error_total', { route: 'app' }), 1)
  })

  test('504 where it does not answer in time', async () => {
    await using silent = await silentUpstream((socket) => void socket.resume())
    await using gateway = await gatewayTo(silent.url, client)
    assert.equal((await gateway.ask('/')).status, 504)
  })

  test('retries, a circuit breaker and a chain around it do not change that', async () => {
    const config = {
      ...client.config,
      retries: { count: 1, delay: '1 ms' },
      circuitBreaker: { maxFailures: 5, openDuration: '10 seconds' },
    }
    const chain = { type: 'Chain', config: { filters: [], handler: { ...client, config } } }
    await using gateway = await gatewayTo(await goneUpstream(), chain)
    assert.equal((await gateway.ask('/')).status, 502)
    const lines = gateway.log.with(/"transactionId"/)
    assert.equal(lines.length, 1)
  })

  test('a root handler of config.json too', async () => {
    const handler = { type: 'ClientHandler', baseURI: await goneUpstream() }
    await using gateway = await RunningGateway.start({ files: { 'config/config.json': { handler } } })
    assert.equal((await gateway.ask('/')).status, 502)
  })
})

describe('scripts get the exception', () => {
  test('uncaught, it is 502', async () => {
    await using gateway = await gatewayTo(await goneUpstream(), scripted('return next.handle(context, request)'))
    assert.equal((await gateway.ask('/')).status, 502)
  })

  test('caught, the response is that of the script', async () => {
    const source = [
      'try { return await next.handle(context, request) }',
      'catch (error) { const response = new Response(Status.OK); response.entity = error.message; return response }',
    ].join('\n')
    await using gateway = await gatewayTo(await goneUpstream(), scripted(source))
    const { status, text } = await gateway.ask('/')
    assert.equal(status, 200)
    assert.match(text, /expected a connection, got none/)
  })

  test('another error of a script is a fault: 500', async () => {
    const source = 'try { return await next.handle(context, request) } catch { throw new Error("mine") }'
    await using gateway = await gatewayTo(await goneUpstream(), scripted(source))
    assert.equal((await gateway.ask('/')).status, 500)
  })
})
