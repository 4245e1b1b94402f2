// Gateways with a store that can not be used when they start, or has something else than releases.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { EtcdReleases } from '#releases'
import { systemClock } from '#schema'
import { EtcdMember, etcdClient, etcdMissing } from '#test/etcd'
import { FleetGateway, fleetParts } from '#test/fleet'
import { Folder } from '#test/folder'
import { pathRoute, RunningGateway } from '#test/gateway'
import { ROUTES } from '#test/management'
import { waitUntil } from '#test/waiting'

const by = { author: 'test', note: null }
const route = (text: string) => JSON.stringify(pathRoute('/page', text))

interface StoreCheck {
  readonly name: string
  readonly state: string
  readonly detail: string
}

async function storeCheck(gateway: RunningGateway): Promise<StoreCheck & { readonly status: number }> {
  const { status, text } = await gateway.askAdmin('/health/ready?verbose')
  const { checks } = JSON.parse(text) as { checks: StoreCheck[] }
  return { status, ...checks.find(({ name }) => name === 'store')! }
}

describe('the start of a gateway of a fleet', { skip: etcdMissing }, () => {
  test('without the store and a local copy it is alive, not ready, and says why; it serves when the store does', async () => {
    await using etcd = await EtcdMember.start()
    await using client = etcdClient([etcd])
    using releases = new EtcdReleases(client, { prefix: '/identity-gateway', clock: systemClock })
    await releases.create(new Map([['config/routes/page.json', route('released')]]), by, { local: null })
    await etcd.enableAuthentication({ gateway: '/identity-gateway/' })
    await etcd.kill()
    const store = { endpoints: [etcd.url], username: 'gateway', passwordSecretId: 'etcd.password' }
    const parts = fleetParts([etcd], { id: 'one', files: { 'secrets/etcd.password': 'wrong\n' } })
    await using gateway = await RunningGateway.start({
      ...parts,
      admin: { ...parts.admin, store: { type: 'EtcdStore', config: store } },
      whileStarting: async (starting) => {
        const until = (what: RegExp) =>
          waitUntil(`health says ${what}`, async () => what.test((await storeCheck(starting)).detail))
        await until(/can not be read for \d+ s \(not reachable, or without a leader\)$/)
        assert.equal((await starting.askAdmin('/health/live')).status, 200)
        assert.equal((await storeCheck(starting)).status, 503)
        assert.equal(
          starting.log.with(/the configuration store can not be read, and this gateway has no release of it yet/)
            .length,
          1,
        )
        await etcd.restart()
        await until(/user or password refused/)
        assert.equal((await storeCheck(starting)).status, 503)
        starting.instance.write('secrets/etcd.password', 'secret-gateway\n')
      },
    })
    assert.equal((await gateway.ask('/page')).text, 'released')
    assert.equal((await storeCheck(gateway)).status, 200)
    assert.ok(!gateway.log.lines.some((line) => line.includes('secret-gateway')))
  })

  test('a release with which no unit can start, and a pointer to a release that does not exist, do no harm', async () => {
    await using etcd = await EtcdMember.start()
    await using client = etcdClient([etcd])
    using releases = new EtcdReleases(client, { prefix: '/identity-gateway', clock: systemClock })
    const files = new Map([['config/routes/page.json', route('good')]])
    await releases.create(new Map([...files, ['config/config.json', '{ "handler": "Missing" }']]), by, { local: null })
    using state = new Folder()
    await using one = await FleetGateway.start([etcd], {
      id: 'one',
      state: state.path,
      whileStarting: async (starting) => {
        await waitUntil(
          'the problem is known',
          () => starting.log.with(/no unit can start with a release/).length === 1,
        )
        assert.equal((await storeCheck(starting)).status, 503)
        const record = await etcd.ctl('get', '--print-value-only', '/identity-gateway/instances/one')
        const { state: found, problems } = JSON.parse(record) as { state: string; problems: { file: string }[] }
        assert.deepEqual([found, problems[0]?.file], ['failing', 'config/config.json'])
        await releases.create(files, by, { local: null })
      },
    })
    assert.equal(await one.text('/page'), 'good')

    await releases.create(new Map([...files, ['config/config.json', '{ "handler": "Missing" }']]), by, { local: null })
    await waitUntil('the release is refused', async () => (await one.instances()).get('one')?.['state'] === 'failing')
    assert.equal((await one.instances()).get('one')?.['served'], 2)
    assert.equal(await one.text('/page'), 'good')
    await releases.deployAgain(2, by, { local: null })
    await waitUntil('it is current', async () => (await one.instances()).get('one')?.['served'] === 4)

    const pointer = await etcd.ctl('get', '--print-value-only', '/identity-gateway/current')
    const moved = JSON.stringify({ ...(JSON.parse(pointer) as object), release: 9, last: 9 })
    await etcd.ctl('put', '/identity-gateway/current', moved)
    await waitUntil('it is failing', async () => (await one.storeCheck()).state === 'degraded')
    const { detail, status } = await one.storeCheck()
    assert.match(detail, /^release 9 can not be served completely; release 4 is served/)
    assert.equal(status, 200)
    assert.equal(await one.text('/page'), 'good')
    assert.equal((await one.manage('PUT', `${ROUTES}/new`, { body: pathRoute('/new', 'new') })).status, 409)
    await etcd.ctl('put', '/identity-gateway/current', '[]')
    await waitUntil('it is not read', async () =>
      /its content is not that of releases/.test((await one.storeCheck()).detail),
    )
    await etcd.ctl('put', '/identity-gateway/current', pointer)
    await waitUntil('it is up', async () => (await one.storeCheck()).state === 'up')
    assert.equal(await one.text('/page'), 'good')
  })
})
