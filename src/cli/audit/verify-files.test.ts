import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { openFiles } from '#audit'
import { chainPlan, eventText, fileEnv, filePlan, namesIn } from '#test/audit-files'
import { gateway } from '#test/command-line'
import { Folder } from '#test/folder'
import { waitUntil } from '#test/waiting'
import type { FilePlan } from '#trail'

const SECRET = 'a shared secret of many bytes'
const { signal } = new AbortController()

/** Writes events of topics to small files with a prefix. */
function writer(directory: string, prefix: string, more: Partial<FilePlan> = {}) {
  const plan = filePlan(directory, {
    chain: chainPlan({ key: { secret: Buffer.from(SECRET) }, lines: 3, interval: 200 }),
    rotation: { ...filePlan('').rotation, maxFileSize: 1_500, prefix },
    ...more,
  })
  const topics = ['access', 'config', 'old-access']
  const transport = openFiles({ ...plan, topics }, fileEnv())
  return {
    write: async (topic: string, events: number) => {
      for (let n = 0; n < events; n++)
        await transport.send([{ topic, id: String(n), text: eventText(`${topic}-${n}`), time: 0 }], signal)
    },
    close: () => transport.close(),
  }
}

describe('gateway audit verify of rotated files with a prefix', () => {
  const folderWith = async (prefix: string, topics: readonly string[], more: Partial<FilePlan> = {}) => {
    const folder = new Folder({ secret: SECRET })
    const files = writer(folder.in('a'), prefix, more)
    for (const topic of topics) await files.write(topic, 40)
    await files.close()
    return folder
  }
  const verify = (folder: Folder, ...words: string[]) =>
    gateway(['audit', 'verify', '--secret-file', folder.in('secret'), ...(words.length > 0 ? words : [folder.in('a')])])

  test('they are part of the trail whose chain they begin, without further options', async () => {
    for (const prefix of ['old-', 'old.', '2026_']) {
      for (const compress of [false, true]) {
        using folder = await folderWith(prefix, ['access', 'config'], { compress })
        const { code, stdout } = await verify(folder)
        assert.equal(code, 0, stdout)
        assert.match(
          stdout,
          /^\S+\/access\.audit\.json: intact: lines 1 to .*\n\S+\/config\.audit\.json: intact: .*\n$/,
        )
      }
    }
  })

  test('a topic whose name is that of another with the prefix is a trail of its own', async () => {
    using folder = await folderWith('', ['access', 'old-access'])
    const { code, stdout } = await verify(folder)
    assert.equal(code, 0, stdout)
    assert.equal(stdout.match(/intact: lines 1 to/g)?.length, 2)
  })

  test('some files of a trail are verified alone, beside its head and in another spelling of their folder', async () => {
    for (const prefix of ['', 'old-']) {
      using folder = await folderWith(prefix, ['access'])
      const rotated = namesIn(folder.in('a')).filter((name) => /-2026/.test(name))
      const paths = rotated.map((name) => folder.in(`a/../a/${name}`))
      assert.ok(paths.length > 2)
      for (const some of [paths, paths.slice(1), paths.slice(0, 1)]) {
        const { code, stdout } = await verify(folder, ...some)
        assert.deepEqual([code, stdout.match(/ in (\d+) files/)?.[1]], [0, String(some.length)], stdout)
      }
      assert.equal((await verify(folder, paths[0] as string, ...paths.slice(2))).code, 1)
    }
  })

  test('a prefix that was introduced later, and a last file that was rotated with no event after it', async () => {
    using folder = await folderWith('', ['access'])
    const later = writer(folder.in('a'), 'new-')
    await later.write('access', 20)
    await later.close()
    const { code, stdout } = await verify(folder)
    assert.equal(code, 0, stdout)
    assert.match(stdout, /^\S+\/access\.audit\.json: intact: lines 1 to .*\n$/)
    const env = fileEnv()
    const { rotation, ...plan } = filePlan(folder.in('b'), {
      chain: chainPlan({ key: { secret: Buffer.from(SECRET) } }),
      checkInterval: 20,
    })
    const timed = openFiles(
      { ...plan, rotation: { ...rotation, interval: 1_000, prefix: 'old-' }, topics: ['access'] },
      env,
    )
    await timed.send([{ topic: 'access', id: '1', text: eventText(1), time: 0 }], signal)
    env.advance(3_600_000)
    await waitUntil('the file is rotated', () => !namesIn(folder.in('b')).includes('access.audit.json'))
    await timed.close()
    assert.match((await verify(folder, folder.in('b'))).stdout, /^\S+\/b\/access\.audit\.json: intact: lines 1 to /)
  })

  test('a changed line, a missing file and a changed first line are found', async () => {
    using folder = await folderWith('old-', ['access'])
    const names = namesIn(folder.in('a')).filter((name) => name.startsWith('old-'))
    const changes: ((path: string) => void)[] = [
      (path) => writeFileSync(path, readFileSync(path, 'utf8').replace('"more":""', '"more":"x"')),
      (path) => rmSync(path),
      (path) => writeFileSync(path, readFileSync(path, 'utf8').replace('begin', 'begun')),
    ]
    for (const name of [...names, 'access.audit.json']) {
      for (const change of changes) {
        const path = folder.in(`a/${name}`)
        const original = readFileSync(path)
        change(path)
        const { code, stdout } = await verify(folder)
        assert.equal(code, 1, `${name}: ${stdout}`)
        writeFileSync(path, original)
      }
    }
    assert.equal((await verify(folder)).code, 0)
  })
})

test('gateway audit verify of a trail that is rotated and compressed at the same time', async () => {
  using folder = new Folder({ secret: SECRET })
  for (const [name, prefix, compress] of [
    ['plain', '', false],
    ['compressed', 'old-', true],
  ] as const) {
    const files = writer(folder.in(name), prefix, { compress })
    await files.write('access', 20)
    let isDone = false
    const writing = (async () => {
      while (!isDone) {
        await files.write('access', 1)
        await new Promise(setImmediate)
      }
    })()
    try {
      const named = namesIn(folder.in(name)).filter((each) => !each.endsWith('.tmp'))
      for (const operands of [[folder.in(name)], named.map((each) => folder.in(`${name}/${each}`))]) {
        const { code, stdout, stderr } = await gateway([
          'audit',
          'verify',
          '--secret-file',
          folder.in('secret'),
          ...operands,
        ])
        assert.equal(code, 0, stdout + stderr)
        assert.equal(stdout.split('\n').length, 2, stdout)
      }
    } finally {
      isDone = true
      await writing
      await files.close()
    }
  }
})

test('files that were never tamper-evident are not intact, and the message says what they may be', async () => {
  using folder = new Folder({ secret: SECRET, 'a/access.audit.json': `${eventText(1)}\n${eventText(2)}\n` })
  const { code, stdout } = await gateway(['audit', 'verify', '--secret-file', folder.in('secret'), folder.in('a')])
  assert.equal(code, 1)
  assert.match(
    stdout,
    /json:1: .* not part of the chain, or the file was written by an event handler without tamper evidence/,
  )
  const files = writer(folder.in('b'), '')
  await files.write('access', 1)
  await files.close()
  const path = folder.in('b/access.audit.json')
  writeFileSync(path, `${eventText(1)}\n${readFileSync(path, 'utf8')}`)
  const changed = await gateway(['audit', 'verify', '--secret-file', folder.in('secret'), folder.in('b')])
  assert.deepEqual([changed.code, changed.stdout.includes('`security`')], [1, false], changed.stdout)
})

test('a pipe, a device and a folder in the place of a file are not intact', async () => {
  using folder = new Folder({ secret: SECRET, 'a/access.audit.json/x': '' })
  execFileSync('mkfifo', [folder.in('pipe')])
  for (const [operand, named] of [
    [folder.in('pipe'), folder.in('pipe')],
    ['/dev/null', '/dev/null'],
    [folder.in('a'), folder.in('a/access.audit.json')],
  ] as const) {
    const { code, stdout, stderr } = await gateway(['audit', 'verify', '--secret-file', folder.in('secret'), operand])
    assert.deepEqual([code, stdout], [1, ''])
    assert.equal(stderr, `gateway: audit: ${named} is not a regular file; name the files of a trail, or their folder\n`)
  }
})
