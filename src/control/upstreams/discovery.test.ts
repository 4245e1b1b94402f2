import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLogger, memoryLog } from '#logging'
import type { DiscoveryPlan, UpstreamServerPlan } from '#schema'
import { waitUntil } from '#test/waiting'
import { Discovery, type NameLookups } from './discovery.ts'

const PLAN: DiscoveryPlan = {
  scheme: 'http',
  name: 'shop.svc',
  port: 8080,
  records: 'A',
  refresh: 1,
  allowLocal: false,
}

/** Answers that a test changes; null for a failure. */
class Names implements NameLookups {
  addresses: string[] | null = []
  services: { name: string; port: number; priority: number; weight: number }[] = []
  asked = 0

  async resolve4() {
    this.asked++
    if (this.addresses === null) throw new Error('queryA ESERVFAIL shop.svc')
    return this.addresses.filter((address) => !address.includes(':')).map((address) => ({ address, ttl: 30 }))
  }

  async resolve6() {
    return (this.addresses ?? []).filter((address) => address.includes(':')).map((address) => ({ address, ttl: 30 }))
  }

  async resolveSrv() {
    return this.services
  }
}

async function discovering(plan: Partial<DiscoveryPlan>, names: Names) {
  const log = memoryLog()
  const logger = createLogger({ level: 'debug', format: 'json', destination: log, now: () => 0 })
  const sets: (readonly UpstreamServerPlan[])[] = []
  const discovery = new Discovery({ ...PLAN, ...plan }, (servers) => void sets.push(servers), logger, names)
  await discovery.start()
  const urls = () => sets.at(-1)?.map(({ url }) => url)
  const messages = () => log.entries.map(({ message }) => message)
  const again = async () => {
    const { asked } = names
    await waitUntil('two lookups', () => names.asked >= asked + 2)
  }
  return { sets, urls, messages, again, [Symbol.dispose]: () => discovery.stop() }
}

test('all addresses are servers, in one order whatever that of the answer is', async () => {
  const names = new Names()
  names.addresses = ['10.0.0.2', '10.0.0.1', '2001:db8::1']
  using found = await discovering({}, names)
  const expected = ['http://10.0.0.1:8080', 'http://10.0.0.2:8080', 'http://[2001:db8::1]:8080']
  assert.deepEqual(found.urls(), expected)
  names.addresses.reverse()
  await found.again()
  assert.equal(found.sets.length, 1)
  names.addresses = ['10.0.0.3']
  await found.again()
  assert.deepEqual(found.urls(), ['http://10.0.0.3:8080'])
})

test('a lookup that fails or finds none leaves the last servers, and is logged once', async () => {
  const names = new Names()
  names.addresses = ['10.0.0.1']
  using found = await discovering({}, names)
  names.addresses = null
  await found.again()
  names.addresses = []
  await found.again()
  assert.equal(found.sets.length, 1)
  assert.deepEqual(found.messages(), ['the lookup of servers failed: the last good ones are used'])
  names.addresses = ['10.0.0.1']
  await found.again()
  assert.equal(found.messages().at(-1), 'the lookup of servers succeeds again')
})

test('loopback and link-local addresses are not used unless they are allowed', async () => {
  const names = new Names()
  names.addresses = ['169.254.169.254', '127.0.0.1', '10.0.0.1', 'fe80::1', '::1']
  using strict = await discovering({}, names)
  assert.deepEqual(strict.urls(), ['http://10.0.0.1:8080'])
  assert.match(strict.messages()[0]!, /loopback or link-local/)
  using open = await discovering({ allowLocal: true }, names)
  assert.equal(open.urls()?.length, 5)
})

test('service records have ports, priorities and weights', async () => {
  const names = new Names()
  names.addresses = ['10.0.0.1']
  names.services = [
    { name: 'a.shop.svc', port: 9090, priority: 10, weight: 0 },
    { name: 'b.shop.svc', port: 9091, priority: 20, weight: 5 },
  ]
  using found = await discovering({ records: 'SRV', port: null }, names)
  assert.deepEqual(found.sets[0], [
    { url: 'http://10.0.0.1:9090', weight: 1, priority: 10 },
    { url: 'http://10.0.0.1:9091', weight: 5, priority: 20 },
  ])
  names.services = []
  using none = await discovering({ records: 'SRV', port: null }, names)
  assert.equal(none.sets.length, 0)
  assert.match(none.messages()[0]!, /the lookup of servers failed/)
})
