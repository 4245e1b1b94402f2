// The last good version of a route that a release broke, over a restart.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { EtcdReleases } from '#releases'
import { systemClock } from '#schema'
import { EtcdMember, etcdClient, etcdMissing } from '#test/etcd'
import { FleetGateway } from '#test/fleet'
import { Folder } from '#test/folder'
import { pathRoute } from '#test/gateway'
import { waitUntil } from '#test/waiting'

const by = { author: 'test', note: null }
const route = (path: string, text: string) => JSON.stringify(pathRoute(path, text))
/** A route that no unit can build. */
const unbuilt = (what: string) => JSON.stringify({ handler: { type: what } })

test('of a route that a release broke, the last good version is served after a restart too', {
  skip: etcdMissing,
}, async () => {
  await using etcd = await EtcdMember.start()
  await using client = etcdClient([etcd])
  using releases = new EtcdReleases(client, { prefix: '/identity-gateway', clock: systemClock })
  const create = (page: string, note: string, more: string) =>
    releases.create(
      new Map([
        ['config/routes/page.json', page],
        ['config/routes/note.json', note],
        ['config/routes/more.json', more],
      ]),
      by,
      { local: null },
    )
  await create(route('/page', 'page 1'), route('/note', 'note 1'), route('/more', 'more 1'))
  using state = new Folder()
  {
    await using one = await FleetGateway.start([etcd], { id: 'one', state: state.path })
    await one.serves('/more', 'more 1')
    await create(route('/page', 'page 2'), '{ "no JSON', route('/more', 'more 2'))
    await one.serves('/more', 'more 2')
    await one.serves('/page', 'page 2')
    // Twice: the content that can not be built does not take the place of the last good one.
    await create(unbuilt('NoHandler'), '{ "no JSON', route('/more', 'more 3'))
    await one.serves('/more', 'more 3')
    await create(unbuilt('NeitherHandler'), '[]', route('/more', 'more 4'))
    await one.serves('/more', 'more 4')
    assert.deepEqual([await one.text('/page'), await one.text('/note')], ['page 2', 'note 1'])
  }
  await etcd.kill()
  {
    await using one = await FleetGateway.start([etcd], { id: 'one', state: state.path })
    const texts = [await one.text('/page'), await one.text('/note'), await one.text('/more')]
    assert.deepEqual(texts, ['page 2', 'note 1', 'more 4'])
    await etcd.restart()
    const record = async () => (await one.instances()).get('one')
    await waitUntil('the record is there', async () => (await record())?.['state'] === 'failing')
    const { served, wanted, problems } = (await record()) as { served: number; wanted: number; problems: object[] }
    assert.deepEqual([served, wanted], [null, 4])
    const files = problems.map((problem) => (problem as { file: string }).file)
    assert.deepEqual(files.toSorted(), ['config/routes/note.json', 'config/routes/page.json'])
    assert.equal((await one.storeCheck()).state, 'degraded')
    await create(route('/page', 'page 5'), '[]', route('/more', 'more 5'))
    await one.serves('/page', 'page 5')
    assert.equal(await one.text('/note'), 'note 1')
  }
  await using one = await FleetGateway.start([etcd], { id: 'one', state: state.path })
  assert.deepEqual([await one.text('/page'), await one.text('/note')], ['page 5', 'note 1'])
  // A route that is removed is not served any more, whatever was kept of it.
  await releases.create(new Map([['config/routes/page.json', route('/page', 'page 6')]]), by, { local: null })
  await one.serves('/page', 'page 6')
  assert.notEqual(await one.text('/note'), 'note 1')
  await waitUntil('it is current', async () => (await one.instances()).get('one')?.['state'] === 'current')
})

test('a reload says that a release is served whose cause of failure on this machine is gone', {
  skip: etcdMissing,
}, async () => {
  await using etcd = await EtcdMember.start()
  await using client = etcdClient([etcd])
  using releases = new EtcdReleases(client, { prefix: '/identity-gateway', clock: systemClock })
  using folder = new Folder()
  const $location = pathToFileURL(join(folder.path, 'local.json')).href
  const page = JSON.stringify({ ...pathRoute('/page', '&{local.text}'), properties: { local: { $location } } })
  await releases.create(new Map([['config/routes/note.json', route('/note', 'note 1')]]), by, { local: null })
  await using one = await FleetGateway.start([etcd], { id: 'one' })
  await one.serves('/note', 'note 1')
  await releases.create(new Map([['config/routes/page.json', page]]), by, { local: null })
  const record = async () => (await one.instances()).get('one')
  await waitUntil('it fails', async () => (await record())?.['state'] === 'failing')
  folder.write('local.json', '{ "text": "of this machine" }')
  await one.gateway.gateway.reload()
  assert.equal(await one.text('/page'), 'of this machine')
  assert.equal((await one.storeCheck()).state, 'up')
  await waitUntil('the record says so', async () => (await record())?.['state'] === 'current')
})
