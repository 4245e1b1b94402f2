// A gateway whose state directory is full when a release arrives.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '#json'
import { EtcdReleases } from '#releases'
import { systemClock } from '#schema'
import { DiskFaults } from '#test/disk-faults'
import { EtcdMember, etcdClient, etcdMissing } from '#test/etcd'
import { FleetGateway } from '#test/fleet'
import { pathRoute } from '#test/gateway'
import { waitUntil } from '#test/waiting'

const by = { author: 'test', note: null }

test('a release that does not fit on the disk is shown, tried again, and served when there is space', {
  skip: etcdMissing,
}, async () => {
  await using etcd = await EtcdMember.start()
  await using client = etcdClient([etcd])
  using releases = new EtcdReleases(client, { prefix: '/identity-gateway', clock: systemClock })
  const create = (text: string) => {
    const pages = ['a', 'b'].map((name) => [`config/routes/${name}.json`, JSON.stringify(pathRoute(`/${name}`, text))])
    return releases.create(new Map(pages as [string, string][]), by, { local: null })
  }
  await create('first')
  await using one = await FleetGateway.start([etcd], { id: 'one' })
  await one.serves('/b', 'first')
  const record = async () => (await one.instances()).get('one') as JsonObject
  {
    using _ = new DiskFaults(0, 'ENOSPC')
    await create('second')
    await waitUntil('it is failing', async () => (await record())['state'] === 'failing')
    const { wanted, served, problems } = await record()
    assert.deepEqual([wanted, served], [2, 1])
    assert.match(JSON.stringify(problems), /can not be written to the state directory: ENOSPC/)
    assert.match((await one.storeCheck()).detail, /^release 2 can not be served completely; .*: ENOSPC$/)
    assert.deepEqual([await one.text('/a'), await one.text('/b')], ['first', 'first'])
    await one.gateway.gateway.reload().catch(() => {})
    assert.equal(one.gateway.log.with(/GW_CONTROL_RELEASE_NOT_STORED/).length, 1)
  }
  for (const path of ['/a', '/b']) await one.serves(path, 'second')
  await waitUntil('it is current', async () => (await record())['state'] === 'current')
  assert.equal(one.gateway.log.with(/what failed with the release has succeeded/).length, 1)
})
