import assert from 'node:assert/strict'
import dns from 'node:dns'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { clientWith, send, textOf } from '#test/client'
import { exchangeFor } from '#test/exchange'
import { once, waitUntil } from '#test/waiting'

const DEAD = '127.0.0.9'

/** A name whose addresses the test changes; no other name is looked up here. */
function resolveTo(addresses: () => readonly string[]): Disposable {
  const { lookup } = dns
  dns.lookup = ((_name: string, _options: unknown, found: (error: null, all: dns.LookupAddress[]) => void) => {
    const all = Array.from(addresses(), (address) => ({ address, family: 4 }))
    setImmediate(() => found(null, all))
  }) as typeof lookup
  return {
    [Symbol.dispose]: () => {
      dns.lookup = lookup
    },
  }
}

/** A server whose responses name its address; on a free port, or that of another server. */
async function serverAt(address: string, port = 0) {
  const server = createServer({ keepAliveTimeout: 60_000 }, (_request, response) => response.end(address))
  server.listen(port, address)
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

test('F24: a name that resolved to a dead address is looked up again by the next request', async () => {
  await using live = await serverAt('127.0.0.2')
  let addresses = [DEAD]
  using _ = resolveTo(() => addresses)
  await using client = clientWith()
  const exchange = () => exchangeFor('GET', `http://upstream.test:${live.port}/`)
  await assert.rejects(send(client, exchange()), { code: 'GW_UPSTREAM_CONNECT', status: 502 })
  addresses = ['127.0.0.2']
  assert.equal(await textOf(await send(client, exchange())), '127.0.0.2')
})

test('F24: the other addresses of a name are tried where the first one is dead', async () => {
  await using live = await serverAt('127.0.0.2')
  using _ = resolveTo(() => [DEAD, '127.0.0.2'])
  await using client = clientWith()
  const response = await send(client, exchangeFor('GET', `http://upstream.test:${live.port}/`))
  assert.equal(await textOf(response), '127.0.0.2')
})

test('F24: after a server is gone, requests get to the address that its name has now', async () => {
  const first = await serverAt('127.0.0.2')
  await using second = await serverAt('127.0.0.3', first.port)
  let addresses = ['127.0.0.2']
  using _ = resolveTo(() => addresses)
  await using client = clientWith({ connections: 1 })
  const ask = async () => textOf(await send(client, exchangeFor('GET', `http://upstream.test:${second.port}/`)))
  assert.equal(await ask(), '127.0.0.2')
  addresses = ['127.0.0.3']
  // The open connection is used as long as it is open.
  assert.equal(await ask(), '127.0.0.2')
  await first[Symbol.asyncDispose]()
  assert.equal(await ask(), '127.0.0.3')
})

test('F24: requests that wait for one name share a lookup, and the failure says that there was no answer', async () => {
  await using live = await serverAt('127.0.0.2')
  const { lookup } = dns
  const found: ((error: null, all: dns.LookupAddress[]) => void)[] = []
  dns.lookup = ((_name: string, _options: unknown, callback: (typeof found)[number]) => {
    found.push(callback)
  }) as typeof lookup
  using _ = { [Symbol.dispose]: () => Object.assign(dns, { lookup }) }
  await using hasty = clientWith({ connectionTimeout: 20 })
  await using patient = clientWith()
  const exchange = () => exchangeFor('GET', `http://silent.test:${live.port}/`)
  const failure = await send(hasty, exchange()).catch((error: Error) => error)
  assert.match(String((failure as Error).cause), /name lookup: expected an answer for "silent\.test" in time/)
  // The lookup of the failed request can not be cancelled.
  const answers = [send(patient, exchange()), send(patient, exchange())]
  await waitUntil('the requests wait', () => patient.stats[0]?.pending === 2)
  assert.equal(found.length, 1)
  found[0]?.(null, [{ address: '127.0.0.2', family: 4 }])
  for (const answer of answers) assert.equal(await textOf(await answer), '127.0.0.2')
  const other = send(hasty, exchangeFor('GET', `http://silent.test:${live.port + 1}/`))
  await assert.rejects(other, { code: 'GW_UPSTREAM_CONNECT' })
  assert.equal(found.length, 2, 'a lookup that has ended is not used again')
})
