// A release that an instance can not serve: what it says until it can, and what is on its disk.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { JsonObject } from '#json'
import { EtcdReleases } from '#releases'
import { systemClock } from '#schema'
import { EtcdMember, etcdClient, etcdMissing } from '#test/etcd'
import { FleetGateway } from '#test/fleet'
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
})
