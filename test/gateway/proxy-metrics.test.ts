// Metrics of pools and circuit breakers in a whole gateway.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RunningGateway } from '#test/gateway'
import { httpUpstream, silentUpstream } from '#test/upstream'

test('pools and circuit breakers of every unit are exposed, with the name of their object', async () => {
  await using upstream = await httpUpstream((_request, response) => response.end('ok'))
  const closed = await silentUpstream()
  await closed[Symbol.asyncDispose]()
  const circuitBreaker = { maxFailures: 1, openDuration: '1 minute' }
  await using gateway = await RunningGateway.start({
    routes: {
      'a-broken': {
        condition: "${find(request.uri.path, '^/broken')}",
        baseURI: closed.url,
        handler: { name: 'guarded', type: 'ReverseProxyHandler', config: { circuitBreaker } },
      },
      'b-good': {
        baseURI: upstream.url,
        handler: { name: 'plain', type: 'ReverseProxyHandler', config: { connections: 63 } },
      },
    },
  })
  assert.equal((await gateway.ask('/')).status, 200)
  assert.equal((await gateway.ask('/broken')).status, 502)
  assert.equal((await gateway.ask('/broken')).status, 500)
  const samples = await gateway.gateway.collect()
  const measured = (metric: string, object: string, merge: (...values: number[]) => number) => {
    const found = samples.filter(({ name, labels }) => name === metric && labels['name']?.endsWith(object))
    assert.ok(found.length > 0, metric)
    return merge(...found.map(({ value }) => value))
  }
  const sum = (...values: number[]) => values.reduce((all, value) => all + value, 0)
  assert.equal(measured('gw_client_connections_open', 'plain', sum), 1)
  assert.equal(measured('gw_client_requests_running', 'plain', sum), 0)
  assert.equal(measured('gw_client_requests_waiting', 'plain', sum), 0)
  assert.equal(measured('gw_circuit_breaker_open', 'guarded', Math.max), 1)
  assert.equal(measured('gw_circuit_breaker_trips_total', 'guarded', sum), 1)
  assert.equal(measured('gw_circuit_breaker_refused_total', 'guarded', sum), 1)
})
