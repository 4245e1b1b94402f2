import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { appendFileSync, readFileSync, renameSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { openFiles } from '#audit'
import { chainPlan, eventText, fileEnv, filePlan, namesIn } from '#test/audit-files'
import { gateway } from '#test/command-line'
import { Folder } from '#test/folder'
import { SpawnedCommand } from '#test/spawned-command'

const SECRET = 'a shared secret of many bytes'
const { signal } = new AbortController()

/** An instance whose AuditService writes tamper-evident files, and some events in them. */
async function instance(events = 20): Promise<Folder> {
  const handler = (name: string, topics: string[], more: object) => ({
    class: 'org.forgerock.audit.handlers.json.JsonAuditEventHandler',
    config: { name, topics, logDirectory: `logs/${name}`, ...more },
  })
  const security = { enabled: true, secretId: 'audit.sign', secretsProvider: 'files' }
  const folder = new Folder({
    'secrets/audit.sign': SECRET,
    'config/config.json': JSON.stringify({
      heap: [
        {
          name: 'files',
          type: 'FileSystemSecretStore',
          config: { format: 'PLAIN', directory: '&{gateway.instance.dir}/secrets' },
        },
        {
          name: 'AuditService',
          type: 'AuditService',
          config: { eventHandlers: [handler('signed', ['access'], { security }), handler('plain', ['config'], {})] },
        },
      ],
      handler: { type: 'Router' },
    }),
  })
  await write(folder.in('logs/signed'), events)
  return folder
}

async function write(directory: string, events: number, key: Parameters<typeof chainPlan>[0] = {}): Promise<void> {
  const plan = filePlan(directory, {
    chain: chainPlan({ key: { secret: Buffer.from(SECRET) }, lines: 3, ...key }),
    rotation: { ...filePlan('').rotation, maxFileSize: 2_000 },
    compress: true,
  })
  const transport = openFiles({ ...plan, topics: ['access'] }, fileEnv())
  for (let n = 0; n < events; n++) {
    await transport.send(
      [{ topic: 'access', id: String(n), text: eventText(n, n % 2 === 0 ? 'even' : 'odd'), time: 0 }],
      signal,
    )
  }
  await transport.close()
}

const ids = (stdout: string): string[] =>
  stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line)._id)

describe('gateway audit verify', () => {
  test('finds the secret of the instance; a folder stands for its files', async () => {
    using folder = await instance()
    const { code, stdout, stderr } = await gateway([
      'audit',
      'verify',
      '--instance',
      folder.path,
      folder.in('logs/signed'),
    ])
    assert.deepEqual([code, stderr], [0, ''])
    assert.match(stdout, /access\.audit\.json: intact: lines 1 to \d+ in \d+ files/)
  })

  test('names the first line that was changed, and exits with 1', async () => {
    using folder = await instance()
    const path = folder.in('logs/signed/access.audit.json')
    const text = readFileSync(path, 'utf8')
    writeFileSync(path, text.replace(/"more":"(even|odd)"/, '"more":"x"'))
    const line = text.slice(0, text.search(/"more":"(even|odd)"/)).split('\n').length
    const words = ['audit', 'verify', '--instance', folder.path, folder.in('logs/signed')]
    const { code, stdout } = await gateway(words)
    assert.deepEqual([code, stdout], [1, `${path}:${line}: this line was changed\n`])
    const json = JSON.parse((await gateway([...words, '--json'])).stdout)
    assert.equal(json[0].intact, false)
  })

  test('takes the secret, or the public key, from a file', async () => {
    using folder = new Folder({ secret: `${SECRET}\n` })
    await write(folder.in('a'), 5)
    assert.equal((await gateway(['audit', 'verify', '--secret-file', folder.in('secret'), folder.in('a')])).code, 0)
    const { privateKey, publicKey } = generateKeyPairSync('ed25519')
    await write(folder.in('b'), 5, { key: { pem: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string } })
    folder.write('public.pem', publicKey.export({ type: 'spki', format: 'pem' }) as string)
    assert.equal((await gateway(['audit', 'verify', '--secret-file', folder.in('public.pem'), folder.in('b')])).code, 0)
    assert.equal((await gateway(['audit', 'verify', '--secret-file', folder.in('public.pem'), folder.in('a')])).code, 1)
  })

  test('a trail that is written at the same time is intact', async () => {
    using folder = new Folder({ secret: SECRET })
    const key = { secret: Buffer.from(SECRET) }
    const plan = filePlan(folder.in('a'), { chain: chainPlan({ key, lines: 1e6, interval: 200 }) })
    const transport = openFiles({ ...plan, topics: ['access'] }, fileEnv())
    let isDone = false
    const writing = (async () => {
      for (let n = 0; !isDone; n++) {
        await transport.send([{ topic: 'access', id: String(n), text: eventText(n), time: 0 }], signal)
        await wait(1)
      }
    })()
    await wait(50)
    const { code, stdout } = await gateway(['audit', 'verify', '--secret-file', folder.in('secret'), folder.in('a')])
    isDone = true
    await writing
    await transport.close()
    assert.equal(code, 0, stdout)
  })

  test('files that are named twice, and a copy that a crash left beside its compressed form, are verified once', async () => {
    using folder = new Folder({ secret: SECRET })
    const directory = folder.in('a')
    await write(directory, 20)
    const verify = (...files: string[]) => gateway(['audit', 'verify', '--secret-file', folder.in('secret'), ...files])
    const files = namesIn(directory).map((name) => join(directory, name))
    assert.match((await verify(directory, ...files)).stdout, new RegExp(`intact: .* in ${files.length} files`))
    const compressed = files.find((path) => path.endsWith('.gz')) as string
    const copy = compressed.slice(0, -'.gz'.length)
    const content = gunzipSync(readFileSync(compressed))
    writeFileSync(copy, content)
    assert.match((await verify(directory)).stdout, new RegExp(`intact: .* in ${files.length} files`))
    writeFileSync(copy, content.toString('utf8').replace('"more":"odd"', '"more":"x"'))
    assert.equal((await verify(directory)).code, 1)
  })

  test('says what is missing: files, secrets, instances', async () => {
    using folder = new Folder({ secret: SECRET, 'config/config.json': '{"handler":{"type":"Router"}}', 'empty/x': '' })
    const cases: [string[], number, RegExp][] = [
      [['verify'], 64, /verify needs files/],
      [['verfy', 'x'], 64, /expected verify, tail, query, got "verfy"; did you mean "verify"/],
      [['verify', '--secret-file', folder.in('secret'), folder.in('none')], 1, /no such file/],
      [['verify', '--secret-file', folder.in('none'), folder.in('empty/x')], 1, /no such file/],
      [['verify', '--secret-file', folder.in('secret'), folder.in('empty')], 1, /no audit files/],
      [['verify', '--instance', folder.path, folder.in('empty/x')], 78, /no event handler .* has tamper evidence/],
      [['verify', '--instance', folder.in('none'), folder.in('empty/x')], 78, /does not exist|no such directory/],
    ]
    for (const [words, code, message] of cases) {
      const result = await gateway(['audit', ...words])
      assert.equal(result.code, code, `${words.join(' ')}: ${result.stderr}`)
      assert.match(result.stderr, message)
    }
  })
})

describe('gateway audit query and tail', () => {
  test('query prints matching events, the oldest first, of rotated and compressed files too', async () => {
    using folder = await instance(30)
    const query = (...words: string[]) => gateway(['audit', 'query', '--instance', folder.path, ...words])
    assert.ok(namesIn(folder.in('logs/signed')).some((name) => name.endsWith('.gz')))
    const all = await query()
    assert.deepEqual(
      ids(all.stdout),
      Array.from({ length: 30 }, (_, n) => String(n)),
    )
    assert.doesNotMatch(all.stdout, /_chain/)
    const odd = await query('--topic', 'access', '--filter', 'more eq "odd"', '-n', '2')
    assert.deepEqual(ids(odd.stdout), ['27', '29'])
    assert.equal((await query('--filter', 'more eq "odd"', '--count')).stdout, '15\n')
  })

  test('a compressed file that is truncated is named', async () => {
    using folder = await instance()
    const [name = ''] = namesIn(folder.in('logs/signed')).filter((each) => each.endsWith('.gz'))
    const path = folder.in(`logs/signed/${name}`)
    truncateSync(path, readFileSync(path).length - 10)
    const { code, stderr } = await gateway(['audit', 'query', '--instance', folder.path, '--count'])
    assert.equal(code, 1)
    assert.match(stderr, /^gateway: audit: .*\.gz can not be read to its end: .*; restore the file, or move it /)
  })

  test('tail prints the last events', async () => {
    using folder = await instance(30)
    const { stdout } = await gateway(['audit', 'tail', '--instance', folder.path, 'access', '-n', '3'])
    assert.deepEqual(ids(stdout), ['27', '28', '29'])
    assert.equal(ids((await gateway(['audit', 'tail', '--instance', folder.path])).stdout).length, 10)
  })

  test('read the trail of config.json, as the API does, where admin.json and another handler have the topic too', async () => {
    const service = (handlers: readonly string[], more: object = {}) => ({
      type: 'AuditService',
      config: {
        ...more,
        eventHandlers: handlers.map((name) => ({
          class: 'JsonAuditEventHandler',
          config: { name, topics: ['access'], logDirectory: `logs/${name}` },
        })),
      },
    })
    const traffic = service(['first', 'queried'], { config: { handlerForQueries: 'queried' } })
    using folder = new Folder({
      'config/admin.json': JSON.stringify({ auditService: service(['management']) }),
      'config/config.json': JSON.stringify({
        heap: [{ name: 'AuditService', ...traffic }],
        handler: { type: 'StaticResponseHandler', config: { status: 204 } },
      }),
    })
    for (const name of ['management', 'first', 'queried']) {
      folder.write(`logs/${name}/access.audit.json`, `${eventText(name)}\n`)
    }
    const tail = async (...words: string[]) =>
      ids((await gateway(['audit', 'tail', '--instance', folder.path, ...words])).stdout)
    assert.deepEqual(await tail('access'), ['queried'])
    assert.deepEqual(await tail('--handler', 'management'), ['management'])
  })

  test('files in another format than that of the gateway are not read', async () => {
    const config = { name: 'ecs', topics: ['access'], logDirectory: 'logs/ecs', format: 'ecs' }
    const eventHandlers = [{ class: 'JsonAuditEventHandler', config }]
    using folder = new Folder({
      'config/config.json': JSON.stringify({
        heap: [{ name: 'AuditService', type: 'AuditService', config: { eventHandlers } }],
        handler: { type: 'Router' },
      }),
    })
    for (const words of [['access'], ['--handler', 'ecs']]) {
      const { code, stderr } = await gateway(['audit', 'tail', '--instance', folder.path, ...words])
      assert.equal(code, 78)
      assert.match(stderr, /no event handler .*; there are: config/)
    }
  })

  test('wrong filters, numbers, topics and handlers are explained', async () => {
    using folder = await instance(1)
    const cases: [string[], number, RegExp][] = [
      [['query', '--filter', 'a eq'], 64, /--filter: /],
      [['query', 'access'], 64, /use --topic/],
      [['tail', '-n', '0'], 64, /-n: expected a number from 1, got "0"/],
      [['tail', 'access', 'x'], 64, /tail takes one topic/],
      [['tail', '-n', '0'], 64, /-n: expected a number from 1, got "0"/],
      [['tail', 'nothing'], 78, /no event handler that can be queried has the topic "nothing"; .*access, config/],
      [['query', '--handler', 'x'], 78, /no event handler that can be queried has the name "x"; .*signed, plain/],
    ]
    for (const [words, code, message] of cases) {
      const result = await gateway(['audit', ...words, '--instance', folder.path])
      assert.equal(result.code, code, `${words.join(' ')}: ${result.stderr}`)
      assert.match(result.stderr, message)
    }
  })

  test('tail -n 0 -f prints none of the events that are there', async () => {
    using folder = await instance(2)
    folder.write('logs/plain/config.audit.json', `${eventText('first')}\n`)
    const words = ['--instance', folder.path, '--handler', 'plain', 'config', '-n', '0', '-f']
    await using tail = new SpawnedCommand(['audit', 'tail', ...words])
    // It does not say when it has read the file: some of these are written after that.
    const append = () => appendFileSync(folder.in('logs/plain/config.audit.json'), `${eventText('later')}\n`)
    const timer = setInterval(append, 100)
    await tail.writes(/"later"/)
    clearInterval(timer)
    assert.doesNotMatch(tail.stdout, /"first"/)
  })

  test('tail -f prints events as they are written, also after a rotation', async () => {
    using folder = await instance(2)
    const path = folder.in('logs/plain/config.audit.json')
    folder.write('logs/plain/config.audit.json', `${eventText('first')}\n`)
    await using tail = new SpawnedCommand([
      'audit',
      'tail',
      '--instance',
      folder.path,
      '--handler',
      'plain',
      'config',
      '-f',
    ])
    await tail.writes(/"first"/)
    appendFileSync(path, `${eventText('second')}\n`)
    await tail.writes(/"second"/)
    renameSync(path, join(folder.path, 'logs/plain/config.audit.json-2026.01.01-00.00.00'))
    writeFileSync(path, `${eventText('third')}\n`)
    await tail.writes(/"third"/)
  })
})
