// Several gateways with one configuration in a real etcd.
import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { JsonObject } from '#json'
import { contentOf } from '#releases'
import { EtcdMember, etcdMissing } from '#test/etcd'
import { FleetGateway, INSTANCES, RELEASES } from '#test/fleet'
import { Folder } from '#test/folder'
import { pathRoute } from '#test/gateway'
import { ROUTES } from '#test/management'
import { waitUntil } from '#test/waiting'

/** A config.json whose router adds a header, so that its version can be seen. */
function config(version: string): JsonObject {
  return {
    heap: [
      {
        name: '_router',
        type: 'Router',
        config: { defaultHandler: { type: 'StaticResponseHandler', config: { status: 404, entity: version } } },
      },
    ],
    handler: '_router',
  }
}

/** Texts of files; objects of a hash as they are. */
function texts(files: Readonly<Record<string, object>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(files).map(([path, file]) => [path, 'sha256' in file ? file : JSON.stringify(file)]),
  )
}

describe('a fleet of two gateways', { skip: etcdMissing }, () => {
  let etcd: EtcdMember
  let one: FleetGateway
  let two: FleetGateway
  const states = [new Folder(), new Folder()] as const
  const folder = new Folder()

  before(async () => {
    etcd = await EtcdMember.start()
    const routes = { own: pathRoute('/own', 'of the instance') }
    one = await FleetGateway.start([etcd], { id: 'one', routes, state: states[0].path })
  })

  after(async () => {
    await one[Symbol.asyncDispose]()
    await two[Symbol.asyncDispose]()
    await etcd[Symbol.asyncDispose]()
    for (const each of [...states, folder]) each[Symbol.dispose]()
  })

  test('a store without a release: the files of the instance are served, and the first change makes release 1', async () => {
    assert.equal(await one.text('/own'), 'of the instance')
    await waitUntil(
      'the log says so',
      () => one.gateway.log.with(/the configuration store has no release/).length === 1,
    )
    assert.deepEqual((await one.manage('GET', `${RELEASES}?_queryFilter=true`)).json['results'], [])
    const put = await one.manage('PUT', `${ROUTES}/added`, { body: pathRoute('/added', 'first') })
    assert.equal(put.status, 201, put.text)
    assert.equal(await one.text('/added'), 'first')
    const { json } = await one.manage('GET', `${RELEASES}/1`)
    assert.deepEqual(
      [json['_id'], json['parent'], json['files'], json['stage'], json['current']],
      ['1', null, 2, null, true],
    )
    await waitUntil('the release is served', async () => (await one.instances()).get('one')?.['served'] === 1)
    assert.equal(await one.text('/own'), 'of the instance')
    const copy = join(states[0].path, 'release/current/config/routes')
    assert.ok(existsSync(join(copy, 'own.json')) && existsSync(join(copy, 'added.json')))
    assert.equal(existsSync(join(one.gateway.instance.directory, 'config/routes/added.json')), false)
  })

  test('another gateway serves the release, and a change on one is served by both', async () => {
    two = await FleetGateway.start([etcd], {
      id: 'two',
      labels: { stage: 'canary' },
      routes: { other: pathRoute('/other', 'not served') },
      state: states[1].path,
    })
    assert.equal(await two.text('/own'), 'of the instance')
    assert.equal(await two.text('/added'), 'first')
    assert.notEqual(await two.text('/other'), 'not served')
    const read = await one.manage('GET', `${ROUTES}/added`)
    const same = await two.manage('GET', `${ROUTES}/added`)
    assert.equal(read.json['_rev'], same.json['_rev'], 'the revision is that of the content')
    const put = await two.manage('PUT', `${ROUTES}/added`, {
      body: pathRoute('/added', 'second'),
      headers: { 'If-Match': `"${read.json['_rev']}"` },
    })
    assert.equal(put.status, 200, put.text)
    assert.equal(await two.text('/added'), 'second')
    await one.serves('/added', 'second')
    const filter = encodeURIComponent('objectId co "routes/added" and request/protocol eq "RELEASE"')
    const audited = (await one.manage('GET', `/api/audit/config?_queryFilter=${filter}`)).json[
      'results'
    ] as JsonObject[]
    const releases = audited.map((event) => JSON.stringify(event)).filter((event) => event.includes('"release":"2"'))
    assert.equal(releases.length, 1, 'the other gateway audits the change as one of a release')
    const listed = await two.instances()
    assert.deepEqual([...listed.keys()], ['one', 'two'])
    const record = listed.get('two')!
    assert.deepEqual(record['labels'], { stage: 'canary' })
    assert.equal((await one.manage('GET', `${INSTANCES}/none`)).status, 404)
    assert.equal(await one.gateway.metric('gw_store_connected'), 1)
  })

  test('of two changes with one revision, one wins and the other gets 412', async () => {
    const { json } = await one.manage('GET', `${ROUTES}/added`)
    const headers = { 'If-Match': `"${json['_rev']}"` }
    const answers = await Promise.all(
      [one, two].map((each) =>
        each.manage('PUT', `${ROUTES}/added`, { body: pathRoute('/added', `by ${each.id}`), headers }),
      ),
    )
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 412])
    const winner = answers[0]?.status === 200 ? one : two
    await one.serves('/added', `by ${winner.id}`)
    await two.serves('/added', `by ${winner.id}`)
  })

  test('changes of different routes at the same time are all kept, without a revision too', async () => {
    const names = Array.from({ length: 6 }, (_, at) => `many-${at}`)
    const puts = await Promise.all(
      names.map((name, at) =>
        (at % 2 === 0 ? one : two).manage('PUT', `${ROUTES}/${name}`, { body: pathRoute(`/${name}`, name) }),
      ),
    )
    assert.deepEqual(
      puts.map(({ status }) => status),
      names.map(() => 201),
    )
    for (const name of names) {
      await one.serves(`/${name}`, name)
      await two.serves(`/${name}`, name)
    }
    const deleted = await Promise.all(names.map((name) => one.manage('DELETE', `${ROUTES}/${name}`)))
    assert.deepEqual(
      deleted.map(({ status }) => status),
      names.map(() => 200),
    )
    for (const name of names) await waitUntil(`${name} is gone`, async () => (await two.text(`/${name}`)) !== name)
    const history = await two.manage('POST', `${ROUTES}/${names[0]}?_action=history`)
    assert.equal(history.json['deleted'], true)
  })

  test('a push replaces all files: config.json takes effect without a restart', async () => {
    const files = { 'config/config.json': config('v2'), 'config/routes/pushed.json': pathRoute('/pushed', 'pushed') }
    const pushed = await one.push(files, { note: 'a push' })
    assert.equal(pushed.status, 201, pushed.text)
    assert.deepEqual([pushed.json['note'], pushed.json['files'], pushed.json['current']], ['a push', 2, true])
    for (const each of [one, two]) {
      await each.serves('/none', 'v2')
      // Units before may still answer beside the new ones.
      await each.serves('/pushed', 'pushed')
      await each.serves('/own', 'v2')
    }
    const script = 'x'.repeat(2 * 1024 * 1024)
    const large = await two.push({ ...files, 'scripts/javascript/large.js': `// ${script}` })
    assert.equal(large.status, 201, 'a release may be larger than other bodies')
    const tooLarge = await two.push({ ...files, 'scripts/javascript/large.js': script.repeat(2) })
    assert.equal(tooLarge.status, 413)
    assert.match(String(tooLarge.json['message']), /at most 3145728 are allowed.*Nothing has changed/)
    const body = { ...pathRoute('/x', 'x'), _comment: script }
    assert.equal((await two.manage('PUT', `${ROUTES}/large`, { body })).status, 413)
    await one.serves('/none', 'v2')

    const same = { ...files, 'scripts/javascript/large.js': { sha256: contentOf(`// ${script}`).hash } }
    const again = await two.manage('POST', `${RELEASES}?_action=create`, { body: { files: texts(same) } })
    assert.deepEqual([again.status, again.json['unchanged'], again.json['_id']], [201, true, large.json['_id']])
  })

  test('nothing is made of a release that does not validate', async () => {
    const before = (await one.manage('GET', `${RELEASES}?_queryFilter=true`)).json['results'] as JsonObject[]
    const good = { 'config/config.json': config('v2'), 'config/routes/pushed.json': pathRoute('/pushed', 'pushed') }
    const bad = { handler: { type: 'StaticRespondHandler', config: {} } }
    const cases: readonly (readonly [Record<string, unknown>, RegExp, RegExp])[] = [
      [{ ...good, 'config/routes/bad.json': bad }, /^config\/routes\/bad\.json$/, /StaticRespondHandler/],
      [{ ...good, 'config/routes/bad.json': '{ "a": ' }, /^config\/routes\/bad\.json$/, /not valid JSON/],
      [{ ...good, 'config/config.json': { handler: 'nothing' } }, /^config\/config\.json$/, /nothing/],
      [{ ...good, 'config/config.json': '[]' }, /^config\/config\.json$/, /./],
      [{ ...good, 'config/admin.json': '{}' }, /^config\/admin\.json$/, /expected config\/config\.json/],
      [{ ...good, 'config/routes/../x.json': '{}' }, /x\.json$/, /leads elsewhere/],
    ]
    for (const [files, file, message] of cases) {
      const { status, json, text } = await one.push(files)
      assert.equal(status, 400, text)
      const [problem] = (json['detail'] as { problems: { file: string; message: string }[] }).problems
      assert.match(problem!.file, file)
      assert.match(problem!.message, message, text)
    }
    const after = (await one.manage('GET', `${RELEASES}?_queryFilter=true`)).json['results'] as JsonObject[]
    assert.equal(after.length, before.length)
    assert.equal(await one.text('/pushed'), 'pushed')
  })

  test('a staged release is served by instances with its labels alone, until it is promoted', async () => {
    const files = { 'config/config.json': config('v2'), 'config/routes/pushed.json': pathRoute('/pushed', 'canary') }
    const staged = await one.push(files, { only: { stage: 'canary' } })
    assert.equal(staged.status, 201, staged.text)
    assert.deepEqual([staged.json['stage'], staged.json['current']], [{ stage: 'canary' }, false])
    await two.serves('/pushed', 'canary')
    assert.equal(await one.text('/pushed'), 'pushed')
    const blocked = await two.manage('PUT', `${ROUTES}/new`, { body: pathRoute('/new', 'new') })
    assert.equal(blocked.status, 409)
    assert.match(String(blocked.json['message']), /staged.*promote it or roll it back first/)
    const promoted = await one.manage('POST', `${RELEASES}/${staged.json['_id']}?_action=promote`)
    assert.deepEqual(
      [promoted.status, promoted.json['current'], promoted.json['stage']],
      [200, true, null],
      promoted.text,
    )
    await one.serves('/pushed', 'canary')
    const dropped = await two.push(
      { ...files, 'config/routes/pushed.json': pathRoute('/pushed', 'dropped') },
      { only: { stage: 'canary' } },
    )
    await two.serves('/pushed', 'dropped')
    assert.equal((await two.manage('POST', `${RELEASES}/${dropped.json['_id']}?_action=drop`)).status, 200)
    await two.serves('/pushed', 'canary')
  })

  test('a roll back is a new release with the old files', async () => {
    const back = await two.manage('POST', `${RELEASES}/1?_action=deploy`)
    assert.equal(back.status, 200, back.text)
    assert.equal(back.json['files'], 2)
    for (const each of [one, two]) await each.serves('/own', 'of the instance')
    assert.equal(await one.text('/added'), 'first')
    assert.equal((await two.manage('POST', `${RELEASES}/99?_action=deploy`)).status, 404)
    const files = (await one.manage('POST', `${RELEASES}/${back.json['_id']}?_action=files`)).json[
      'files'
    ] as JsonObject
    assert.deepEqual(Object.keys(files), ['config/routes/added.json', 'config/routes/own.json'])
    const contents = await one.manage('POST', `${RELEASES}/1?_action=contents`, {
      body: { paths: ['config/routes/own.json'] },
    })
    assert.match(String((contents.json['files'] as JsonObject)['config/routes/own.json']), /of the instance/)
  })

  test('a file of the local copy that is changed by hand is overwritten with a warning', async () => {
    const file = join(states[0].path, 'release/current/config/routes/own.json')
    const text = readFileSync(file, 'utf8')
    writeFileSync(file, JSON.stringify(pathRoute('/own', 'by hand')))
    await waitUntil('it is as it was', () => readFileSync(file, 'utf8') === text)
    await one.gateway.gateway.reload()
    assert.equal(await one.text('/own'), 'of the instance')
    assert.equal(one.gateway.log.with(/changed by hand/).length, 1)
  })

  test('without the store traffic goes on, writes get 503, and a restart serves the local copy', async () => {
    await etcd.kill()
    const put = await one.manage('PUT', `${ROUTES}/added`, { body: pathRoute('/added', 'lost') })
    assert.equal(put.status, 503, put.text)
    assert.equal(put.headers['retry-after'], '5')
    assert.match(String(put.json['message']), /nothing has changed/)
    assert.equal(await one.text('/added'), 'first')
    await waitUntil('the outage is known', async () => (await one.storeCheck()).state === 'degraded')
    const check = await one.storeCheck()
    assert.deepEqual([check.status, check.ok], [200, true])
    assert.match(check.detail, /can not be read for \d+ s \(.*\); release \d+ is served, taken \d+ s ago/)
    assert.equal(await one.gateway.metric('gw_store_connected'), 0)
    assert.equal((await one.manage('GET', `${ROUTES}/added`)).status, 200)

    await two[Symbol.asyncDispose]()
    two = await FleetGateway.start([etcd], { id: 'two', labels: { stage: 'canary' }, state: states[1].path })
    assert.equal(await two.text('/own'), 'of the instance')
    assert.equal((await two.storeCheck()).status, 200)
  })

  test('after the outage it goes on from where it was, without building what did not change', async () => {
    const deployments = await one.gateway.metric('gw_route_deployments_total', { result: 'succeeded' })
    await etcd.restart()
    await waitUntil('both are connected', async () => {
      const states = await Promise.all([one, two].map(async (each) => (await each.storeCheck()).state))
      return states.every((state) => state === 'up')
    })
    assert.equal(await one.gateway.metric('gw_route_deployments_total', { result: 'succeeded' }), deployments)
    assert.equal(one.gateway.log.with(/the configuration store can not be read/).length, 1)
    assert.equal(one.gateway.log.with(/available again/).length, 1)
    const put = await two.manage('PUT', `${ROUTES}/added`, { body: pathRoute('/added', 'after the outage') })
    assert.equal(put.status, 200, put.text)
    await one.serves('/added', 'after the outage')
    assert.equal(await one.gateway.metric('gw_route_deployments_total', { result: 'succeeded' }), deployments + 1)
  })

  test('a store that is empty is not taken for "delete everything": push decides', async () => {
    await etcd.ctl('del', '--prefix', '/identity-gateway/')
    await waitUntil('it is known', async () => /contradicts/.test((await one.storeCheck()).detail))
    assert.equal((await one.storeCheck()).status, 200)
    assert.equal(await one.text('/added'), 'after the outage')
    const put = await one.manage('PUT', `${ROUTES}/added`, { body: pathRoute('/added', 'no') })
    assert.equal(put.status, 409, put.text)
    assert.match(String(put.json['message']), /no release.*gateway push.*nothing has changed/)
    // What is served can be read, and pushed as the successor of what is served.
    const [served] = (await one.manage('GET', `${RELEASES}?_queryFilter=true`)).json['results'] as JsonObject[]
    assert.equal(served?.['current'], true)
    const { json } = await one.manage('POST', `${RELEASES}/${served?.['_id']}?_action=files`)
    assert.ok(Object.hasOwn(json['files'] as JsonObject, 'config/routes/added.json'))
    const parent = Number(served?.['_id'])
    const pushed = await one.push({ 'config/routes/own.json': pathRoute('/own', 'pushed again') }, { parent })
    assert.equal(pushed.status, 201, pushed.text)
    await two.serves('/own', 'pushed again')
    assert.equal((await two.storeCheck()).state, 'up')
  })

  test('the other way round: adopt serves what the store has', async () => {
    await etcd.ctl('del', '--prefix', '/identity-gateway/')
    await waitUntil('it is known', async () => /contradicts/.test((await two.storeCheck()).detail))
    const refused = await two.manage('POST', `${RELEASES}?_action=adopt`)
    assert.equal(refused.status, 409, refused.text)
    const adopted = await two.manage('POST', `${RELEASES}?_action=adopt`, { body: { empty: true } })
    assert.equal(adopted.status, 200, adopted.text)
    await waitUntil('its own files are served', async () => (await two.text('/own')) !== 'pushed again')
    const put = await two.manage('PUT', `${ROUTES}/fresh`, { body: pathRoute('/fresh', 'fresh') })
    assert.equal(put.status, 201, put.text)
    assert.match((await one.storeCheck()).detail, /contradicts/)
    const other = await one.manage('POST', `${RELEASES}?_action=adopt`)
    assert.equal(other.status, 200, other.text)
    await one.serves('/fresh', 'fresh')
    assert.equal((await one.storeCheck()).state, 'up')
  })

  test('the record of an instance that stops is removed at once', async () => {
    await two.gateway.gateway.drain()
    assert.deepEqual([...(await one.instances()).keys()], ['one'])
  })
})
