// What others have deployed is served while a change of this gateway waits for the store.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EtcdReleases } from '#releases'
import { systemClock } from '#schema'
import { EtcdMember, etcdClient, etcdMissing } from '#test/etcd'
import { FleetGateway } from '#test/fleet'
import { pathRoute } from '#test/gateway'
import { ROUTES } from '#test/management'
import { TcpRelay } from '#test/tcp-relay'
import { waitUntil } from '#test/waiting'

const pathOf = (name: string) => `config/routes/${name}.json`
const textOf = (name: string, version: string) => JSON.stringify(pathRoute(`/${name}`, version))

test('a change that waits for the store delays no release of others', { skip: etcdMissing }, async () => {
  await using etcd = await EtcdMember.start()
  await using relay = await TcpRelay.start(etcd.port)
  await using gateway = await FleetGateway.start([relay], { id: 'one' })
  await using client = etcdClient([etcd])
  using releases = new EtcdReleases(client, { prefix: '/identity-gateway', clock: systemClock })
  const files = Object.fromEntries(['a', 'b'].map((name) => [pathOf(name), textOf(name, '1')]))
  assert.equal((await gateway.push(files)).status, 201)
  await gateway.serves('/b', '1')
  /** Another gateway makes a release. */
  const release = async (versions: Readonly<Record<string, string>>) => {
    const next = new Map(Object.entries(versions).map(([name, version]) => [pathOf(name), textOf(name, version)]))
    const outcome = await releases.create(next, { author: 'other', note: null }, { local: null })
    assert.equal(outcome.state, 'done', JSON.stringify(outcome))
  }
  await release({ a: '2', b: '2' })
  await gateway.serves('/b', '2')
  await gateway.serves('/a', '2')
  const revisions = new Map<string, string>()
  for (const name of ['a', 'b'])
    revisions.set(name, String((await gateway.manage('GET', `${ROUTES}/${name}`)).json['_rev']))
  // Its requests are lost on the way, the news of the store arrive.
  relay.mode = 'responses-only'
  const changes = ['a', 'b'].map((name) => {
    let isOver = false
    const headers = { 'If-Match': `"${revisions.get(name)}"` }
    const body = pathRoute(`/${name}`, 'own')
    const change = gateway.manage('PUT', `${ROUTES}/${name}`, { body, headers }).then((response) => {
      isOver = true
      return response
    })
    return { change, isOver: () => isOver }
  })
  await waitUntil('the changes wait for the store', () => relay.held > 0)
  await release({ a: '3', b: '3' })
  await gateway.serves('/b', '3')
  // Also the route that is being changed.
  await gateway.serves('/a', '3')
  assert.deepEqual(
    changes.map(({ isOver }) => isOver()),
    [false, false],
  )
  relay.mode = 'pass'
  // Requests that were held back arrive: the others were first.
  for (const { change } of changes) assert.equal((await change).status, 412)
  for (const path of ['/a', '/b']) assert.equal(await gateway.text(path), '3')
})
