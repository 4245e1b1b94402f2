// The commands of the guide to several gateways (fleet.md), with a real etcd and two gateways: `npm run docs:test`.
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import type { JsonObject } from '#json'
import { gateway } from '#test/command-line'
import { EtcdMember, etcdMissing } from '#test/etcd'
import { Folder } from '#test/folder'
import { pathRoute, RunningGateway } from '#test/gateway'
import { guideBlocks } from '#test/guide'
import { managing } from '#test/management'
import { accepts, freePort } from '#test/nginx'
import { once, waitUntil } from '#test/waiting'

const GUIDE = readFileSync(join(import.meta.dirname, '..', 'docs', 'guide', 'fleet.md'), 'utf8')
const SHELL = guideBlocks('fleet', 'sh')
const [SETTINGS = '', LOGIN = ''] = guideBlocks('fleet', 'json')

/** Lines of the guide that run a program. */
function commands(program: string): string[] {
  return SHELL.flatMap((block) => block.split('\n')).filter((line) => line.startsWith(`${program} `))
}

/** Words of a command line of `gateway`. */
function wordsOf(line: string): string[] {
  return (line.match(/"[^"]*"|\S+/g) ?? []).slice(1).map((word) => word.replaceAll('"', ''))
}

const route = (text: string): string => JSON.stringify(pathRoute('/a', text))

describe('the guide to several gateways', { skip: etcdMissing, timeout: 300_000 }, () => {
  const folder = new Folder({ 'my-gateway/config/routes/a.json': route('one') })
  const stack = new AsyncDisposableStack()
  const gateways: RunningGateway[] = []
  let port: number

  before(async () => {
    stack.defer(() => folder[Symbol.dispose]())
    port = await freePort()
    const [line = ''] = commands('etcd')
    const text = line
      .replace(/ &$/, '')
      .replaceAll('2379', `${port}`)
      .replaceAll('2380', `${await freePort()}`)
    const child = spawn('/bin/sh', ['-c', `exec ${text}`], { cwd: folder.path, stdio: 'ignore' })
    stack.defer(async () => {
      const exit = once(child, 'exit')
      child.kill('SIGTERM')
      await exit
    })
    await accepts(port, child)
    // Ports of the guide are those of one gateway on a machine.
    const { connectors: _, adminConnector: _admin, ...admin } = JSON.parse(SETTINGS.replaceAll('2379', `${port}`))
    for (const stage of [(admin.labels as { stage: string }).stage, 'canary'])
      gateways.push(
        stack.use(await RunningGateway.start({ admin: { ...admin, labels: { stage }, mode: 'DEVELOPMENT' } })),
      )
  })

  after(() => stack.disposeAsync())

  const served = async (): Promise<string[]> => Promise.all(gateways.map(async (each) => (await each.ask('/a')).text))

  /** Runs a command in the folder, on the first gateway. */
  const run = async (line: string, expected = 0): Promise<string> => {
    const words = wordsOf(line).map((word) =>
      word === './my-gateway' || word === 'DIR' ? folder.in('my-gateway') : word,
    )
    const { code, stdout, stderr } = await gateway([...words, '--gateway', gateways[0]!.adminUrl])
    assert.equal(code, expected, `${line}: ${stdout}${stderr}`)
    return stdout
  }

  test('blocks and commands run in order, and do what the guide says', async () => {
    const [first, staged, promoted, ...others] = commands('gateway')
    assert.deepEqual(others, [])
    await run(first!)
    assert.deepEqual(await served(), ['one', 'one'])
    folder.write('my-gateway/config/routes/a.json', route('two'))
    await run(staged!)
    assert.deepEqual(await served(), ['one', 'two'])
    await run('gateway push DIR', 75)
    await run(promoted!)
    assert.deepEqual(await served(), ['two', 'two'])
  })

  test('commands of the tables run', async () => {
    const named = [...GUIDE.matchAll(/^\| (`gateway .*?) \|/gm)].map(([, cell]) => cell as string)
    assert.equal(named.length, 7, named.join())
    folder.write('my-gateway/config/routes/a.json', route('three'))
    assert.match(await run('gateway push DIR --dry-run --diff', 1), /^\+.*three/m)
    await run('gateway push DIR --wait 30s')
    assert.deepEqual(await served(), ['three', 'three'])
    folder.write('my-gateway/config/routes/b.json', '{')
    await run('gateway push DIR', 78)
    await run('gateway release list')
    await run('gateway release show 3')
    assert.match(await run('gateway release diff 2 3', 1), /three/)
    await run('gateway release rollback --wait 30s')
    assert.deepEqual(await served(), ['two', 'two'])
    const pulled = folder.in('pulled')
    await run(`gateway pull ${pulled}`)
    assert.equal(readFileSync(join(pulled, 'config/routes/a.json'), 'utf8'), route('two'))
    assert.match(await run('gateway instances'), /current/)
  })

  test('metrics, health and resources that the guide names exist', async () => {
    const manage = managing(gateways[0]!.adminUrl)
    const { text } = await manage('GET', '/metrics/prometheus/0.0.4')
    for (const [, name] of GUIDE.matchAll(/^\| `(gw_\w+)` \|/gm)) assert.match(text, new RegExp(`^${name}\\b`, 'm'))
    const { json } = await manage('GET', '/health/ready?verbose')
    assert.ok((json['checks'] as JsonObject[]).some(({ name }) => name === 'store'))
    const { json: listed } = await manage('GET', '/api/system/instances?_queryFilter=true')
    assert.equal(listed['resultCount'], 2)
  })

  test('a snapshot of etcd can be saved', async () => {
    assert.ok(GUIDE.includes('`etcdctl snapshot save FILE`'))
    const env = { ...process.env, ETCDCTL_API: '3', ETCDCTL_ENDPOINTS: `http://127.0.0.1:${port}` }
    await promisify(execFile)('etcdctl', ['snapshot', 'save', folder.in('snapshot')], { env })
  })
})

test('the user of the guide has the keys of the gateway, and no others', { skip: etcdMissing }, async () => {
  await using member = await EtcdMember.start()
  using folder = new Folder({ 'secrets/etcd.password': 'of the gateway', 'root-password': 'of root' })
  const script = commands('etcdctl').join('\n')
  const env = { ...process.env, ETCDCTL_API: '3', ETCDCTL_ENDPOINTS: member.url }
  await promisify(execFile)('/bin/sh', ['-e', '-c', script], { env, cwd: folder.path })
  await assert.rejects(member.ctl('get', '/identity-gateway/current'), /user name is empty|invalid/)
  await assert.rejects(member.ctl('--user=gateway:of the gateway', 'get', '/other'), /permission denied/)

  const { username, passwordSecretId } = JSON.parse(LOGIN) as Record<string, string>
  const config = { endpoints: [member.url], username, passwordSecretId }
  await using running = await RunningGateway.start({
    admin: { store: { type: 'EtcdStore', config }, mode: 'DEVELOPMENT' },
    files: { 'secrets/etcd.password': 'of the gateway' },
    routes: { a: pathRoute('/a', 'own') },
  })
  const { code, stderr } = await gateway(['push', running.instance.directory, '--gateway', running.adminUrl])
  assert.equal(code, 0, stderr)
  await waitUntil(
    'the record is there',
    async () =>
      (await member.ctl('--user=root:of root', 'get', '--prefix', '--keys-only', '/identity-gateway/instances/')) !==
      '',
  )
})
