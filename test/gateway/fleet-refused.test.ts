// A release that an instance can not serve: what it says until it can, and what is on its disk.
import assert from 'node:assert/strict'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import type { JsonObject } from '#json'
import { EtcdReleases } from '#releases'
import { systemClock } from '#schema'
import { EtcdMember, etcdClient, etcdMissing } from '#test/etcd'
import { FleetGateway } from '#test/fleet'
import { Folder } from '#test/folder'
import { pathRoute } from '#test/gateway'
import { waitUntil } from '#test/waiting'

const by = { author: 'test', note: null }

/** A config.json with an object that the route has; `version` is seen where no route is. */
function config(version: string, hasPage = true): string {
  const answer = (entity: string, status: number): JsonObject => ({
    type: 'StaticResponseHandler',
    config: { status, entity },
  })
  const page = hasPage ? [{ name: 'page', ...answer('page', 200) }] : []
  const router = { name: '_router', type: 'Router', config: { defaultHandler: answer(version, 404) } }
  return JSON.stringify({ heap: [router, ...page], handler: '_router' })
}

const route = JSON.stringify({ condition: "${find(request.uri.path, '^/page')}", handler: 'page' })

describe('an instance that can not serve a release', { skip: etcdMissing }, () => {
  test('says so after every wake-up, and serves the one before', async () => {
    await using etcd = await EtcdMember.start()
    await using client = etcdClient([etcd])
    using releases = new EtcdReleases(client, { prefix: '/identity-gateway', clock: systemClock })
    const create = (configText: string, others: Record<string, string> = {}) => {
      const files = { 'config/config.json': configText, 'config/routes/page.json': route, ...others }
      return releases.create(new Map(Object.entries(files)), by, { local: null })
    }
    await create(config('v1'))
    await using one = await FleetGateway.start([etcd], { id: 'one' })
    const record = async () => (await one.instances()).get('one') as JsonObject
    await one.serves('/page', 'page')
    // The pusher could build it: here the route that is served has no object any more.
    await create(config('v2', false))
    const isRefused = async () => {
      const { state, wanted, served } = await record()
      assert.deepEqual([state, wanted, served], ['failing', 2, 1])
      assert.equal((await one.storeCheck()).state, 'degraded')
      assert.equal(await one.gateway.metric('gw_release_served'), 1)
      assert.deepEqual([await one.text('/page'), await one.text('/none')], ['page', 'v1'])
    }
    await waitUntil('the release is refused', async () => (await record())['state'] === 'failing')
    await isRefused()
    await one.gateway.gateway.reload()
    await isRefused()
    // An event of the pointer, for a release that this instance is not staged for.
    const staged = new Map([['config/config.json', config('v3')]])
    const outcome = await releases.create(staged, by, { local: null, only: { stage: 'canary' } })
    assert.equal(outcome.state, 'done')
    await one.gateway.gateway.reload()
    await isRefused()
    await releases.drop(3, { local: null })
    await create(config('v4'))
    await one.serves('/none', 'v4')
    await waitUntil('it is current', async () => (await record())['state'] === 'current')
    assert.equal(await one.text('/page'), 'page')
  })

  test('is listed until the cause on its machine is gone: it tries again without a sign', async () => {
    await using etcd = await EtcdMember.start()
    using folder = new Folder({ 'one/local.json': '{ "region": "north" }' })
    /** A config.json that needs a file of the machine. */
    const local = (version: string) => {
      const properties = { local: { $location: 'file://&{MACHINE}/local.json' } }
      return JSON.stringify({ properties, ...JSON.parse(config(`${version} &{local.region}`)) })
    }
    const gateway = (id: string) =>
      FleetGateway.start([etcd], { id, env: { MACHINE: folder.in(id) }, state: folder.in(`state-${id}`) })
    await using one = await gateway('one')
    const files = { 'config/config.json': config('v1'), 'config/routes/page.json': route }
    assert.equal((await one.push(files)).status, 201)
    {
      await using two = await gateway('two')
      await two.serves('/none', 'v1')
      const pushed = await one.push({ ...files, 'config/config.json': local('v2') })
      assert.equal(pushed.status, 201, 'the gateway that makes it can serve it')
      await one.serves('/none', 'v2 north')
      const record = async (id: string) => (await one.instances()).get(id) as JsonObject
      await waitUntil('the other can not', async () => (await record('two'))['state'] === 'failing')
      const { wanted, served, problems } = await record('two')
      assert.deepEqual([wanted, served], [2, 1])
      assert.match(JSON.stringify(problems), /config\/config\.json.*local\.json/)
      assert.deepEqual([(await record('one'))['state'], (await record('one'))['served']], ['current', 2])
      assert.match(
        (await two.storeCheck()).detail,
        /^release 2 can not be served completely; release 1 is served.*no unit can start/,
      )
      const metrics = [await two.gateway.metric('gw_release_wanted'), await two.gateway.metric('gw_release_served')]
      assert.deepEqual(metrics, [2, 1])
      assert.equal(await two.text('/none'), 'v1')
      // Each attempt is counted; the log has the reason once.
      const refused = () => two.gateway.metric('gw_unit_replacements_total', { result: 'refused' })
      await waitUntil('it tries again', async () => (await refused()) >= 2)
      assert.equal(two.gateway.log.with(/GW_CONTROL_RELEASE_REFUSED/).length, 1)
      assert.equal(two.gateway.log.with(/GW_CONTROL_UNITS_NOT_REPLACED/).length, 1)
      folder.write('two/local.json', '{ "region": "south" }')
      await two.serves('/none', 'v2 south')
      await waitUntil('it is current', async () => (await record('two'))['state'] === 'current')
      assert.equal(two.gateway.log.with(/what failed with the release has succeeded/).length, 1)
      assert.equal((await two.storeCheck()).state, 'up')
    }
    // A start with a release that this machine can not serve any more is tried again too.
    rmSync(folder.in('two/local.json'))
    await using again = await FleetGateway.start([etcd], {
      id: 'two',
      env: { MACHINE: folder.in('two') },
      state: folder.in('state-two'),
      whileStarting: async (starting) => {
        await waitUntil('it is refused', () => starting.log.with(/GW_CONTROL_RELEASE_REFUSED/).length === 1)
        const { status, text } = await starting.askAdmin('/health/ready?verbose')
        assert.equal(status, 503)
        assert.match(text, /release 2 can not be served completely; reason: no unit can start with it/)
        folder.write('two/local.json', '{ "region": "west" }')
      },
    })
    assert.equal(await again.text('/none'), 'v2 west')
  })

  test('says that its disk is damaged until the store has what it needs', async () => {
    await using etcd = await EtcdMember.start()
    using state = new Folder()
    const files = { 'config/config.json': config('v1'), 'config/routes/page.json': route }
    {
      await using one = await FleetGateway.start([etcd], { id: 'one', state: state.path })
      assert.equal((await one.push(files)).status, 201)
      await one.serves('/none', 'v1')
      await etcd.kill()
      const file = state.in('release/current/config/routes/page.json')
      // Through the link: the content itself.
      const byHand = JSON.stringify(pathRoute('/page', 'by hand'))
      writeFileSync(file, byHand)
      await waitUntil('it is known', () => one.gateway.log.with(/GW_CONTROL_COPY_DAMAGED/).length === 1)
      await one.gateway.gateway.reload()
      assert.equal(await one.text('/page'), 'page', 'what units serve is not read again')
      await etcd.restart()
      await waitUntil('it is as it was', () => readFileSync(file, 'utf8') === route)
      await waitUntil('it is up', async () => (await one.storeCheck()).state === 'up')
      assert.equal(one.gateway.log.with(/what failed with the release has succeeded/).length, 1)
      await etcd.kill()
      writeFileSync(file, byHand)
    }
    // Not served after a start either.
    await using again = await FleetGateway.start([etcd], {
      id: 'one',
      state: state.path,
      whileStarting: async (starting) => {
        await waitUntil('it is known', () => starting.log.with(/GW_CONTROL_COPY_DAMAGED/).length === 1)
        assert.equal((await starting.askAdmin('/health/ready')).status, 503)
        await etcd.restart()
      },
    })
    assert.deepEqual([await again.text('/page'), await again.text('/none')], ['page', 'v1'])
  })
})
