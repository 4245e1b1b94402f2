// Earlier versions of routes outlive the process. GATEWAY_KILL_ROUNDS sets how often it is killed while it writes.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { JsonObject } from '#json'
import { pathRoute, RunningGateway } from '#test/gateway'
import { GatewayProcess } from '#test/gateway-process'
import { TestInstance } from '#test/instance'
import { type Managed, managing, ROUTES } from '#test/management'

const ROUNDS = Number(process.env['GATEWAY_KILL_ROUNDS'] ?? 1)
const env = { GATEWAY_RUN_MODE: 'DEVELOPMENT' }
const INNER = `${ROUTES}/outer/objects/inner/routes`

function api({ adminPort }: { readonly adminPort: number }, headers: Readonly<Record<string, string>> = {}) {
  const ask = managing(`http://127.0.0.1:${adminPort}`, { headers })
  return {
    ask,
    put: (path: string, route: unknown) => ask('PUT', path, { body: route }),
    history: (path: string, body: unknown = {}) => ask('POST', `${path}?_action=history`, { body }),
    rollback: (path: string, rev: unknown) => ask('POST', `${path}?_action=rollback`, { body: { _rev: rev } }),
  }
}

const listOf = ({ json }: Managed, field: string) => (json[field] ?? []) as JsonObject[]
const revisionsOf = (answer: Managed, field = 'versions') => listOf(answer, field).map(({ _rev: rev }) => rev)

test('earlier versions of routes survive a restart, and rollback restores them', async () => {
  using instance = new TestInstance({
    routes: {
      outer: {
        condition: "${find(request.uri.path, '^/deep')}",
        handler: 'inner',
        heap: [{ name: 'inner', type: 'Router', config: { directory: 'inner' } }],
      },
    },
  })
  const revisions: Record<string, unknown> = {}
  await using killed = await GatewayProcess.start({ env, instance })
  const before = api(killed)
  revisions['changed'] = (await before.put(`${ROUTES}/changed`, pathRoute('/changed', 'one'))).json['_rev']
  await before.put(`${ROUTES}/changed`, pathRoute('/changed', 'two'))
  revisions['deleted'] = (await before.put(`${ROUTES}/deleted`, pathRoute('/deleted', 'was here'))).json['_rev']
  await before.ask('DELETE', `${ROUTES}/deleted`)
  revisions['inner'] = (await before.put(`${INNER}/changed`, pathRoute('/deep', 'inner one'))).json['_rev']
  await before.put(`${INNER}/changed`, pathRoute('/deep', 'inner two'))
  killed.kill('SIGKILL')
  await killed.exit

  await using gateway = await GatewayProcess.start({ env, instance })
  const { ask, history, rollback } = api(gateway)
  const changed = await history(`${ROUTES}/changed`)
  assert.deepEqual([changed.json['deleted'], revisionsOf(changed)], [false, [revisions['changed']]])
  const [version] = listOf(changed, 'versions')
  assert.ok(version !== undefined)
  const { operation, client, transactionId } = version['replacedBy'] as JsonObject
  assert.deepEqual([operation, client, typeof transactionId], ['update', '127.0.0.1', 'string'])
  assert.ok(Math.abs(Date.now() - Date.parse(String(version['replacedAt']))) < 60_000)
  const read = await ask('GET', `${ROUTES}/changed?_fields=_history`)
  assert.deepEqual(listOf(read, '_history'), [version])
  assert.deepEqual(
    revisionsOf(await history(`${INNER}/changed`)),
    [revisions['inner']],
    'nested routers are kept apart',
  )

  const back = await rollback(`${ROUTES}/changed`, revisions['changed'])
  assert.deepEqual([back.status, back.json['_rev']], [200, revisions['changed']])
  assert.equal((await gateway.ask('/changed')).text, 'one')
  assert.equal((await gateway.ask('/deep')).text, 'inner two')

  const deleted = await ask('POST', `${ROUTES}?_action=deleted`)
  assert.deepEqual(
    listOf(deleted, 'routes').map(({ _id: id, _rev: rev }) => [id, rev]),
    [['deleted', revisions['deleted']]],
  )
  assert.equal((await gateway.ask('/deleted')).status, 404)
  assert.equal((await rollback(`${ROUTES}/deleted`, revisions['deleted'])).status, 200)
  assert.equal((await gateway.ask('/deleted')).text, 'was here')
  assert.deepEqual(listOf(await ask('POST', `${ROUTES}?_action=deleted`), 'routes'), [])
})

test('changes made in the folder by hand are in the history, and restored byte for byte', async () => {
  const byHand =
    '{\n  // written by hand\n  "handler": { "type": "StaticResponseHandler", "config": { "status": 200 } }\n}\n'
  await using gateway = await RunningGateway.start({ env, admin: { mode: 'DEVELOPMENT' }, routes: { hand: byHand } })
  const { ask, history, rollback } = api(gateway.gateway)
  const file = join(gateway.instance.directory, 'config/routes/hand.json')
  await gateway.deploy('hand', pathRoute('/hand', 'two'))
  await gateway.deploy('hand', '{ broken')
  const versions = listOf(await history(`${ROUTES}/hand`), 'versions')
  assert.deepEqual(
    versions.map(({ replacedBy }) => replacedBy),
    [{ operation: 'file' }, { operation: 'file' }],
  )
  assert.equal((await rollback(`${ROUTES}/hand`, versions[1]?.['_rev'])).status, 200)
  assert.equal(readFileSync(file, 'utf8'), byHand)

  await gateway.undeploy('hand')
  const deleted = listOf(await ask('POST', `${ROUTES}?_action=deleted`), 'routes')
  assert.deepEqual(
    deleted.map(({ _id: id }) => id),
    ['hand'],
  )
  assert.equal((await rollback(`${ROUTES}/hand`, deleted[0]?.['_rev'])).status, 200)
  assert.equal(readFileSync(file, 'utf8'), byHand)
})

test('versions can be read before they are restored, and malformed requests are rejected', async () => {
  await using gateway = await RunningGateway.start({ files: { 'secrets/gateway.admin.password': 'the password' } })
  const Authorization = `Basic ${Buffer.from('admin:the password').toString('base64')}`
  const { ask, put, history, rollback } = api(gateway.gateway, { Authorization })
  const first = (await put(`${ROUTES}/shown`, pathRoute('/shown', 'one'))).json['_rev']
  await put(`${ROUTES}/shown`, pathRoute('/shown', 'two'))
  const { json } = await history(`${ROUTES}/shown`, { _rev: first })
  assert.equal((json['replacedBy'] as JsonObject)['user'], 'admin')
  assert.deepEqual([json['_rev'], json['content']], [first, pathRoute('/shown', 'one')])
  assert.equal((await ask('POST', `${ROUTES}/shown?_action=history`)).status, 200, 'without a body')
  const rows: readonly (readonly [Promise<Managed>, number])[] = [
    [history(`${ROUTES}/shown`, { _rev: 'unknown' }), 404],
    [history(`${ROUTES}/shown`, { _rev: 5 }), 400],
    [history(`${ROUTES}/shown`, []), 400],
    [history(`${ROUTES}/never`), 404],
    [rollback(`${ROUTES}/never`, first), 404],
    [rollback(`${ROUTES}/Shown`, first), 404],
    [ask('POST', `${ROUTES}/shown?_action=rollback`), 400],
  ]
  for (const [answer, status] of rows) assert.equal((await answer).status, status)
})

test('a deleted route is not restored over another that has its file or name meanwhile', async () => {
  await using gateway = await RunningGateway.start({ admin: { mode: 'DEVELOPMENT' } })
  const { ask, put, rollback } = api(gateway.gateway)
  const first = (await put(`${ROUTES}/mine`, pathRoute('/mine', 'mine', { name: 'the name' }))).json['_rev']
  await ask('DELETE', `${ROUTES}/mine`)
  await put(`${ROUTES}/other`, pathRoute('/other', 'other', { name: 'the name' }))
  assert.equal((await rollback(`${ROUTES}/mine`, first)).status, 409)
  await ask('DELETE', `${ROUTES}/other`)
  await put(`${ROUTES}/MINE`, pathRoute('/mine', 'MINE'))
  assert.equal((await rollback(`${ROUTES}/mine`, first)).status, 409)
  assert.equal((await gateway.ask('/mine')).text, 'MINE')
})

test('a file name in the history leads to no other folder', async () => {
  await using gateway = await RunningGateway.start({ admin: { mode: 'DEVELOPMENT' } })
  const { ask, put, rollback } = api(gateway.gateway)
  const first = (await put(`${ROUTES}/moved`, pathRoute('/moved', 'one'))).json['_rev']
  await ask('DELETE', `${ROUTES}/moved`)
  const { directory } = gateway.instance
  const [name] = readdirSync(join(directory, 'history')) as [string]
  const text = readFileSync(join(directory, 'history', name), 'utf8')
  rmSync(join(directory, 'history', name))

  const forged = text.replace('"file":"moved.json"', '"file":"../moved.json"')
  await using again = await RunningGateway.start({
    admin: { mode: 'DEVELOPMENT' },
    files: { [`history/${name}`]: forged },
  })
  assert.equal((await rollback(`${ROUTES}/moved`, first)).status, 404, 'a version without its file does not exist')
  assert.equal((await api(again.gateway).rollback(`${ROUTES}/moved`, first)).status, 200)
  assert.deepEqual(readdirSync(join(again.instance.directory, 'config')).sort(), ['admin.json', 'routes'])
  assert.deepEqual(readdirSync(join(again.instance.directory, 'config/routes')), ['moved.json'])
})

test('F16: a history that can not be written does not prevent a change; it is counted and logged', async () => {
  await using gateway = await RunningGateway.start({ admin: { mode: 'DEVELOPMENT' }, files: { history: 'in the way' } })
  const { put, rollback } = api(gateway.gateway)
  const first = (await put(`${ROUTES}/kept`, pathRoute('/kept', 'one'))).json['_rev']
  assert.equal((await put(`${ROUTES}/kept`, pathRoute('/kept', 'two'))).status, 200)
  assert.equal((await gateway.ask('/kept')).text, 'two')
  assert.equal(await gateway.metric('gw_route_history_failures_total'), 1)
  assert.equal(gateway.log.with(/"warn".*can not be written, it is kept until a restart/).length, 1)
  assert.equal((await rollback(`${ROUTES}/kept`, first)).status, 200)
  assert.equal((await gateway.ask('/kept')).text, 'one')
})

test('F18: garbage in the history does not prevent the start', async () => {
  await using gateway = await RunningGateway.start({
    admin: { mode: 'DEVELOPMENT' },
    routes: { a: pathRoute('/a', 'served') },
    files: {
      'history/readme.txt': 'foreign',
      'history/0000000001-folder-00000000.route/x': '',
      'history/0000000002-a-00000000.route': '',
      'history/0000000003-a-00000000.route': '{"_id":',
      'history/0000000004-a-00000000.route': Buffer.alloc(100_000, 0xff),
    },
  })
  assert.equal((await gateway.ask('/a')).text, 'served')
  const { put, history } = api(gateway.gateway)
  assert.deepEqual(revisionsOf(await history(`${ROUTES}/a`)), [])
  assert.equal(gateway.log.with(/are ignored/)[0]?.['files'], 5)
  assert.equal((await put(`${ROUTES}/a`, pathRoute('/a', 'two'))).status, 200)
  assert.equal(revisionsOf(await history(`${ROUTES}/a`)).length, 1)
})

for (let round = 1; round <= ROUNDS; round++) {
  test(`F18: after kill -9 during changes, round ${round}, replaced versions are present and no file is truncated`, async () => {
    using instance = new TestInstance({ units: 1 })
    const acknowledged = new Map<string, unknown[]>()
    await using killed = await GatewayProcess.start({ env, instance })
    const { put } = api(killed)
    const killAfter = 5 + Math.floor(Math.random() * 60)
    let answers = 0
    const write = async (id: string): Promise<void> => {
      for (let version = 1; ; version++) {
        const text = `${version} ${'x'.repeat(2_000)}`
        const { status, json } = await put(`${ROUTES}/${id}`, pathRoute(`/${id}`, text))
        assert.ok(status === 200 || status === 201, String(status))
        acknowledged.set(id, [json['_rev'], ...(acknowledged.get(id) ?? [])])
        if (++answers === killAfter) killed.kill('SIGKILL')
      }
    }
    const ends = await Promise.allSettled(['a', 'b', 'c'].map(write))
    for (const end of ends) {
      if (end.status === 'rejected') assert.ok(!(end.reason instanceof assert.AssertionError), String(end.reason))
    }
    await killed.exit

    await using again = await GatewayProcess.start({ env, instance })
    const { history } = api(again)
    for (const [id, [, ...replaced]] of acknowledged) {
      const kept = revisionsOf(await history(`${ROUTES}/${id}`))
      // The unacknowledged change may have been made too, and is one of the ten then.
      const missing = replaced.slice(0, 9).filter((revision) => !kept.includes(revision as string))
      assert.deepEqual(missing, [], id)
    }
    assert.deepEqual(
      again.log.with(/"warn"/).filter(({ message }) => /version|history/.test(String(message))),
      [],
    )
    const folder = join(instance.directory, 'history')
    for (const name of readdirSync(folder)) {
      assert.match(name, /^\d{10}-[abc]-[0-9a-f]{8}\.route$/)
      assert.equal(statSync(join(folder, name)).mode & 0o777, 0o600)
    }
  })
}
