import assert from 'node:assert/strict'
import { networkInterfaces } from 'node:os'
import { test } from 'node:test'
import { ConnectorAddresses } from './own-listeners.ts'

const at = (host: string, ...ports: number[]) => new ConnectorAddresses([{ host, ports }], null)

test('a connector on all addresses matches every address of this machine, at its ports only', () => {
  for (const any of ['0.0.0.0', '::', '[::]']) {
    const own = at(any, 8080, 8443)
    for (const address of ['127.0.0.1', '127.1.2.3', '::1', '::ffff:127.0.0.1', '0.0.0.0']) {
      assert.equal(own.includes(address, 8080), true, `${any} ${address}`)
      assert.equal(own.includes(address, 8443), true, `${any} ${address}`)
      assert.equal(own.includes(address, 8081), false, `${any} ${address}`)
    }
    for (const addresses of Object.values(networkInterfaces())) {
      for (const { address } of addresses ?? []) assert.equal(own.includes(address, 8080), true, address)
    }
    assert.equal(own.includes('192.0.2.7', 8080), false)
    assert.equal(own.includes('2001:db8::7', 8080), false)
  }
})

test('a connector on one address matches that address only', () => {
  assert.equal(at('127.0.0.1', 80).includes('127.0.0.1', 80), true)
  assert.equal(at('127.0.0.1', 80).includes('127.0.0.2', 80), false)
  assert.equal(at('localhost', 80).includes('::1', 80), true)
  assert.equal(at('192.0.2.7', 80).includes('192.0.2.7', 80), true)
  assert.equal(at('192.0.2.7', 80).includes('127.0.0.1', 80), false)
})

test('host names of URIs: only addresses and localhost match', () => {
  const own = at('0.0.0.0', 8080)
  assert.equal(own.named('localhost', 8080), true)
  assert.equal(own.named('LOCALHOST', 8080), true)
  assert.equal(own.named('[::1]', 8080), true)
  assert.equal(own.named('127.0.0.1', 8080), true)
  assert.equal(own.named('gateway.example.com', 8080), false)
  assert.equal(at('127.0.0.1', 8080).named('localhost', 8080), true)
  assert.equal(at('192.0.2.7', 8080).named('localhost', 8080), false)
})

test('the opened ports match', () => {
  const own = new ConnectorAddresses(
    [
      { host: '127.0.0.1', ports: [0, 8443] },
      { host: '127.0.0.2', ports: [0] },
    ],
    { host: '127.0.0.1', ports: [8085] },
  )
  assert.equal(own.includes('127.0.0.1', 0), false)
  own.opened([40_001, 8443, 40_002])
  assert.equal(own.includes('127.0.0.1', 40_001), true)
  assert.equal(own.includes('127.0.0.1', 8443), true)
  assert.equal(own.includes('127.0.0.1', 40_002), false)
  assert.equal(own.includes('127.0.0.2', 40_002), true)
  assert.equal(own.includes('127.0.0.1', 8085), true, 'the management connector')
  assert.equal(own.named('localhost', 8085), true)
})
