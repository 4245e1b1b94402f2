// The commands push, pull, release and instances with two gateways and a real etcd.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { gateway } from '#test/command-line'
import { EtcdMember, etcdMissing } from '#test/etcd'
import { FleetGateway } from '#test/fleet'
import { Folder } from '#test/folder'
import { pathRoute, RunningGateway } from '#test/gateway'
import { freePort } from '#test/nginx'

/** Text of a route with a comment, which has to survive. */
const route = (path: string, text: string) => `// of ${path}\n${JSON.stringify(pathRoute(path, text), null, 2)}\n`

describe('releases on the command line', { skip: etcdMissing }, () => {
  let etcd: EtcdMember
  let one: FleetGateway
  let two: FleetGateway
  const states = [new Folder(), new Folder()] as const
  const folder = new Folder({
    'config/admin.json': '{}',
    'config/routes/a.json': route('/a', 'a1'),
    'config/routes/b.json': route('/b', 'b1'),
    'config/routes/notes.txt': 'not a route',
    'scripts/js/x.js': 'export default 1\n',
    'secrets/gateway.admin.password': 'secret word',
  })

  before(async () => {
    etcd = await EtcdMember.start()
    one = await FleetGateway.start([etcd], { id: 'one', state: states[0].path })
    two = await FleetGateway.start([etcd], { id: 'two', labels: { stage: 'canary' }, state: states[1].path })
  })

  after(async () => {
    await Promise.all([one, two].map((each) => each[Symbol.asyncDispose]()))
    await etcd[Symbol.asyncDispose]()
    for (const each of [...states, folder]) each[Symbol.dispose]()
  })

  const run = (...words: string[]) => gateway([...words, '--gateway', one.gateway.adminUrl])
  const json = async (...words: string[]) => JSON.parse((await run(...words, '--json')).stdout)

  test('a store without a release: lists are empty, and there is nothing to pull', async () => {
    const list = await run('release', 'list')
    assert.equal(list.code, 0)
    assert.match(list.stdout, /the store has no release; make one with gateway push DIR/)
    const pull = await run('pull', folder.in('nothing'))
    assert.deepEqual([pull.code, existsSync(folder.in('nothing'))], [75, false])
    assert.match(pull.stderr, /^gateway: pull: http:\S+: the store has no release/)
  })

  test('a folder is pushed, and the command returns when both gateways serve it', async () => {
    const dry = await run('push', folder.path, '--dry-run')
    assert.deepEqual([dry.code, dry.stdout], [1, ''])
    const { code, stdout, stderr } = await run('push', folder.path, '--note', 'first', '--wait', '30s')
    assert.equal(code, 0, stderr)
    assert.equal(stdout, 'release 1 is deployed: 3 files, 3 files added\n')
    assert.equal(
      stderr,
      `the store has no release: 3 files added
A config/routes/a.json
A config/routes/b.json
A scripts/js/x.js
release 1 is served by 2 instances
`,
    )
    assert.deepEqual([await one.text('/a'), await two.text('/b')], ['a1', 'b1'])
    assert.equal((await run('push', folder.path)).stdout, 'nothing to push: release 1 has the same files\n')
  })

  test('nothing is made of a folder that does not load', async () => {
    folder.write(
      'config/routes/b.json',
      '{ "handler": { "type": "StaticResponseHandler", "config": { "statos": 200 } } }',
    )
    const { code, stderr } = await run('push', folder.path)
    assert.equal(code, 78)
    assert.match(stderr, /^config\/routes\/b\.json: \/handler\/config\/statos: unknown field; did you mean "status"/m)
    assert.match(stderr, /^gateway: push: the release does not validate; nothing has changed$/m)
    assert.equal((await json('release', 'list')).releases.length, 1)
    folder.write('config/routes/b.json', route('/b', 'b2'))
  })

  test('a push shows its changes, and release diff those of a release', async () => {
    const dry = await run('push', folder.path, '--dry-run', '--diff')
    assert.equal(dry.code, 1)
    assert.match(dry.stdout, /^--- a\/config\/routes\/b\.json\n\+\+\+ b\/config\/routes\/b\.json\n@@ /)
    assert.match(dry.stdout, /^-.*"b1"\n\+.*"b2"$/m)
    assert.equal((await run('push', folder.path, '--wait', '30s', '--note', 'b2')).code, 0)
    assert.deepEqual(await json('release', 'diff'), {
      from: 1,
      to: 2,
      changes: [{ path: 'config/routes/b.json', change: 'changed' }],
    })
    const back = await run('release', 'diff', '2', '1')
    assert.equal(back.code, 1)
    assert.match(back.stdout, /^-.*"b2"\n\+.*"b1"$/m)
    assert.equal((await run('release', 'diff', '1', '1')).code, 0)
  })

  test('releases are listed and shown', async () => {
    const { code, stdout } = await run('release', 'list')
    assert.equal(code, 0)
    const [head, second, first] = stdout.split('\n')
    assert.match(head as string, /^RELEASE +STATE +PARENT +CREATED +AUTHOR +FILES +NOTE$/)
    assert.match(second as string, /^2 +current +1 +20\S+Z +\S.* +3 +b2$/)
    assert.match(first as string, /^1 +- +- .* +3 +first$/)
    const shown = await json('release', 'show', '1')
    assert.deepEqual(Object.keys(shown.contents), ['config/routes/a.json', 'config/routes/b.json', 'scripts/js/x.js'])
    const missing = await run('release', 'show', '77')
    assert.deepEqual(
      [missing.code, missing.stderr],
      [64, 'gateway: release show: there is no release of this number\n'],
    )
  })

  test('a pull writes the bytes of a release, and changes other files only with --force', async () => {
    const target = folder.in('pulled')
    const { code, stdout } = await run('pull', target)
    assert.equal(code, 0)
    assert.match(stdout, /^release 2 is in .*: 3 files added\n$/)
    for (const path of ['config/routes/a.json', 'config/routes/b.json', 'scripts/js/x.js'])
      assert.equal(folder.read(`pulled/${path}`), folder.read(path))
    assert.equal((await run('pull', target)).code, 0)
    folder.write('pulled/config/routes/a.json', 'changed')
    folder.write('pulled/config/routes/more.json', '{}')
    folder.write('pulled/secrets/own', 'kept')
    const refused = await run('pull', target, '--release', '1')
    assert.equal(refused.code, 1)
    assert.match(
      refused.stderr,
      /^M config\/routes\/a\.json\nM config\/routes\/b\.json\nD config\/routes\/more\.json\n/,
    )
    assert.match(refused.stderr, /has other files than release 1; overwrite them with --force$/m)
    assert.equal(folder.read('pulled/config/routes/a.json'), 'changed')
    assert.equal((await run('pull', target, '--release', '1', '--force')).code, 0)
    assert.match(folder.read('pulled/config/routes/b.json'), /b1/)
    assert.equal(existsSync(folder.in('pulled/config/routes/more.json')), false)
    assert.equal(folder.read('pulled/secrets/own'), 'kept')
    // Nothing is written through links, also where they lead nowhere.
    folder.write('outside/b.json', 'outside')
    const links = {
      'config/routes': 'outside',
      'config/routes/b.json': 'outside/b.json',
      scripts: 'nowhere',
      config: 'outside',
    }
    for (const [place, to] of Object.entries(links)) {
      const linked = folder.in(`linked-${Object.keys(links).indexOf(place)}`)
      mkdirSync(dirname(join(linked, place)), { recursive: true })
      symlinkSync(folder.in(to), join(linked, place))
      const pulled = await run('pull', linked, '--force')
      assert.deepEqual([pulled.code, readdirSync(folder.in('outside'))], [1, ['b.json']], place)
      assert.match(pulled.stderr, new RegExp(`${place} is a symbolic link.*nothing was changed`))
      assert.equal(folder.read('outside/b.json'), 'outside')
      assert.equal(existsSync(folder.in('nowhere')), false)
    }
  })

  test('a staged release is served by gateways with its labels, until it is promoted or dropped', async () => {
    folder.write('config/routes/a.json', route('/a', 'a3'))
    const staged = await run('push', folder.path, '--only', 'stage=canary', '--wait', '30s')
    assert.equal(staged.code, 0, staged.stderr)
    assert.match(staged.stdout, /^release 3 is staged for stage=canary: /)
    assert.match(staged.stderr, /release 3 is served by 1 instance$/m)
    assert.deepEqual([await one.text('/a'), await two.text('/a')], ['a1', 'a3'])
    const other = await run('push', folder.in('pulled'))
    assert.equal(other.code, 75)
    assert.match(other.stderr, /^gateway: push: .*(promote|roll)/m)
    assert.equal((await run('release', 'rollback', '--wait', '30s')).code, 0)
    await two.serves('/a', 'a1')
    assert.equal((await run('push', folder.path, '--only', 'stage=canary')).code, 0)
    const promoted = await run('release', 'promote', '--wait', '30s')
    assert.equal(promoted.code, 0, promoted.stderr)
    assert.match(promoted.stderr, /^release 4 is served by 2 instances$/m)
    assert.equal(await one.text('/a'), 'a3')
  })

  test('rollback makes a release with the files of the parent, or of a number', async () => {
    const { code, stdout } = await run('release', 'rollback', '--wait', '30s')
    assert.deepEqual([code, stdout], [0, 'release 5 has the files of release 2\n'])
    assert.equal(await two.text('/a'), 'a1')
    assert.equal((await run('release', 'rollback', '1', '--wait', '30s')).code, 0)
    assert.equal(await two.text('/b'), 'b1')
  })

  test('instances are listed with what they serve', async () => {
    const { code, stdout } = await run('instances')
    assert.equal(code, 0)
    assert.match(stdout, /^INSTANCE +STATE +SERVED +WANTED +SINCE +VERSION +ADDRESS +LABELS\none +current +6 +6 /)
    assert.match(stdout, /^two +current +6 +6 .* stage=canary$/m)
    const { instances } = await json('instances')
    assert.deepEqual(
      instances.map(({ _id, served, state }: Record<string, unknown>) => [_id, served, state]),
      [
        ['one', 6, 'current'],
        ['two', 6, 'current'],
      ],
    )
  })

  test('a wait that no instance fulfils ends with 1', async () => {
    const { code, stderr } = await run('push', folder.path, '--only', 'stage=none', '--wait', '50ms')
    assert.equal(code, 1)
    assert.match(stderr, /^gateway: no living instance is concerned after 0\.05 s$/m)
    assert.equal((await run('release', 'rollback')).code, 0)
  })

  test('invalid arguments, no gateway and no store have exit codes of their own', async () => {
    for (const words of [
      ['push', folder.path, '--wait', 'soon'],
      ['push', folder.path, '--only', 'canary'],
      ['push', folder.in('pulled/secrets')],
      ['release', 'promte'],
      ['release', 'show', 'x'],
      ['release', 'promote'],
    ])
      assert.equal((await run(...words)).code, 64, words.join(' '))
    const gone = await gateway(['instances', '--gateway', `http://127.0.0.1:${await freePort()}`])
    assert.equal(gone.code, 75)
    await using locked = await RunningGateway.start({
      files: { 'secrets/gateway.admin.password': 'secret word', 'config/routes/a.json': route('/a', 'a') },
    })
    const refused = await gateway(['release', 'list', '--gateway', locked.adminUrl])
    assert.deepEqual([refused.code, /401: .*--password-file FILE/.test(refused.stderr)], [75, true])
    // The password of the pushed folder is not sent to a gateway that is named.
    assert.equal((await gateway(['push', locked.instance.directory, '--gateway', locked.adminUrl])).code, 75)
    await using alone = await RunningGateway.start({ env: { GATEWAY_RUN_MODE: 'DEVELOPMENT' } })
    const { code, stderr } = await gateway(['release', 'list', '--gateway', alone.adminUrl])
    assert.equal(code, 78)
    assert.match(stderr, /the gateway has no store; see "store" of admin\.json/)
  })
})
