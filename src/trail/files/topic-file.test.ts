import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { describe, test } from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import { eventText, fileEnv, filePlan, idsIn, namesIn } from '#test/audit-files'
import { Folder } from '#test/folder'
import { SmallDisk } from '#test/small-disk'
import { type FilePlan, NO_RETENTION, NO_ROTATION } from './file-plan.ts'
import { TopicFile } from './topic-file.ts'

function linkOf(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}

const HOUR = 3_600_000
const isRoot = process.getuid?.() === 0
const line = (id: string | number, more = '') => `${eventText(id, more)}\n`

/** A file of the topic `access` in a folder, closed at the end of the scope. */
function openFile(directory: string, more: Partial<FilePlan> = {}, env = fileEnv()) {
  const file = new TopicFile(filePlan(directory, more), 'access', env)
  return { file, env, append: (...texts: string[]) => file.append(texts), [Symbol.asyncDispose]: () => file.close() }
}

describe('the file of a topic', () => {
  test('is created with its folder by the first event, with the permissions of its plan whatever the umask', async () => {
    using folder = new Folder()
    const directory = folder.in('logs/audit')
    const before = process.umask(0o077)
    try {
      await using opened = openFile(directory, { mode: 0o640 })
      await opened.append(eventText(1), eventText(2))
      assert.equal(readFileSync(`${directory}/access.audit.json`, 'utf8'), line(1) + line(2))
      assert.equal(statSync(`${directory}/access.audit.json`).mode & 0o777, 0o640)
      assert.equal(statSync(directory).mode & 0o777, 0o700)
    } finally {
      process.umask(before)
    }
  })

  test('a line truncated by a crash is ended, and the next event begins a line of its own', async () => {
    using folder = new Folder({ 'access.audit.json': `${line(1)}{"_id":"2","mo` })
    await using opened = openFile(folder.path)
    await opened.append(eventText(3))
    assert.equal(folder.read('access.audit.json'), `${line(1)}{"_id":"2","mo\n${line(3)}`)
  })

  for (const [title, replace] of [
    ['removed', (path: string) => rmSync(path)],
    ['renamed', (path: string) => renameSync(path, `${path}.1`)],
    ['removed with its folder', (path: string) => rmSync(path.replace(/\/[^/]*$/, ''), { recursive: true })],
    ['truncated', (path: string) => truncateSync(path)],
  ] as const) {
    test(`a file that was ${title} is created again, and no later event is missing`, async () => {
      using folder = new Folder()
      await using opened = openFile(folder.in('audit'))
      await opened.append(eventText(1))
      replace(folder.in('audit/access.audit.json'))
      await opened.append(eventText(2))
      await opened.append(eventText(3))
      assert.equal(folder.read('audit/access.audit.json'), line(2) + line(3))
    })
  }

  test('reopen continues a file that was renamed before, as log rotation does', async () => {
    using folder = new Folder()
    await using opened = openFile(folder.path)
    await opened.append(eventText(1))
    renameSync(folder.in('access.audit.json'), folder.in('old'))
    await opened.file.reopen()
    await opened.append(eventText(2))
    assert.deepEqual([folder.read('old'), folder.read('access.audit.json')], [line(1), line(2)])
  })

  test('that is not kept open is closed after each write', async () => {
    using folder = new Folder()
    await using opened = openFile(folder.path, { keepOpen: false })
    await opened.append(eventText(1))
    await opened.append(eventText(2))
    const open = readdirSync('/proc/self/fd').map((fd) => linkOf(`/proc/self/fd/${fd}`))
    assert.ok(!open.includes(folder.in('access.audit.json')))
    assert.deepEqual(idsIn(folder.path), ['1', '2'])
  })

  test('a link, a pipe or a folder in its place is refused, also under an open file', async () => {
    using folder = new Folder({ target: 'untouched' })
    const path = folder.in('access.audit.json')
    for (const replace of [
      () => symlinkSync(folder.in('target'), path),
      () => symlinkSync(folder.in('missing'), path),
      () => execFileSync('mkfifo', [path]),
      () => mkdirSync(path),
    ]) {
      await using opened = openFile(folder.path)
      await opened.append(eventText(1))
      rmSync(path)
      replace()
      await assert.rejects(opened.append(eventText(2)))
      rmSync(path, { recursive: true })
      await opened.append(eventText(2))
      assert.equal(readFileSync(path, 'utf8'), line(2))
      rmSync(path)
    }
    assert.deepEqual([folder.read('target'), namesIn(folder.path)], ['untouched', ['target']])
  })

  test('a folder that can not be written fails the append, and the next one succeeds when it can', {
    skip: isRoot && 'root may write',
  }, async () => {
    using folder = new Folder()
    chmodSync(folder.path, 0o500)
    await using opened = openFile(folder.path)
    await assert.rejects(opened.append(eventText(1)), { code: 'EACCES' })
    chmodSync(folder.path, 0o700)
    await opened.append(eventText(1))
    assert.equal(folder.read('access.audit.json'), line(1))
  })

  test('a full disk fails the append, no part of a line stays, and the same events are written later', {
    skip: SmallDisk.isMissing,
  }, async () => {
    using disk = new SmallDisk()
    await using opened = openFile(disk.folder('audit'))
    await opened.append(eventText(1))
    disk.fill()
    const large = Array.from({ length: 20 }, (_, n) => eventText(n + 2, 'x'.repeat(10_000)))
    await assert.rejects(opened.append(...large), {
      code: 'ENOSPC',
      message: `ENOSPC: no space left on device, write '${disk.path}/audit/access.audit.json'`,
    })
    assert.equal(readFileSync(`${disk.path}/audit/access.audit.json`, 'utf8'), line(1))
    disk.free()
    await opened.append(...large)
    assert.equal(idsIn(`${disk.path}/audit`).length, 21)
  })

  test('events of one megabyte and hundreds of concurrent calls keep their order', async () => {
    using folder = new Folder()
    await using opened = openFile(folder.path)
    const calls = Array.from({ length: 300 }, (_, n) =>
      opened.append(eventText(n, n % 100 === 0 ? 'y'.repeat(1e6) : '')),
    )
    await Promise.all(calls)
    assert.deepEqual(
      idsIn(folder.path),
      calls.map((_, n) => String(n)),
    )
  })

  test('a header is the first line of each file; a file with another header is rotated first', async () => {
    using folder = new Folder({ 'access.csv': '"old"\r\n"1"\r\n' })
    const plan = { extension: '.csv', lineEnd: '\r\n' as const, headers: { access: '"a","b"' } }
    {
      await using opened = openFile(folder.path, plan)
      await opened.append('"1","2"')
    }
    await using opened = openFile(folder.path, plan)
    await opened.append('"3","4"')
    assert.equal(folder.read('access.csv'), '"a","b"\r\n"1","2"\r\n"3","4"\r\n')
    assert.equal(folder.read('access.csv-2026.01.02-03.04.05'), '"old"\r\n"1"\r\n')
  })

  test('a header that a crash has truncated is written again', async () => {
    using folder = new Folder({ 'access.csv': '"a",' })
    await using opened = openFile(folder.path, { extension: '.csv', headers: { access: '"a","b"' } })
    await opened.append('"1","2"')
    assert.equal(folder.read('access.csv'), '"a","b"\n"1","2"\n')
  })
})

describe('rotation', () => {
  const bySize = (maxFileSize: number) => ({ ...NO_ROTATION, maxFileSize })

  test('by size: a file that would grow over the limit is renamed with its time', async () => {
    using folder = new Folder()
    await using opened = openFile(folder.path, { rotation: bySize(line(10).length * 2) })
    for (let n = 10; n < 15; n++) {
      await opened.append(eventText(n))
      opened.env.advance(1_000)
    }
    assert.deepEqual(namesIn(folder.path), [
      'access.audit.json',
      'access.audit.json-2026.01.02-03.04.07',
      'access.audit.json-2026.01.02-03.04.09',
    ])
    assert.deepEqual(idsIn(folder.path), ['14', '10', '11', '12', '13'])
  })

  for (const [kind, more] of Object.entries({ JSON: {}, CSV: { headers: { access: 'id' } } }))
    test(`by size: a group of events that is larger than the limit is in several files (${kind})`, async () => {
      using folder = new Folder()
      const limit = line(10).length * 3 + 2
      await using opened = openFile(folder.path, { rotation: bySize(limit), ...more })
      await opened.append(eventText(10))
      const counts: number[] = []
      const texts = Array.from({ length: 20 }, (_, n) => eventText(n + 11))
      await opened.file.append(texts, (count) => counts.push(count))
      const names = namesIn(folder.path)
      for (const name of names) assert.ok(statSync(folder.in(name)).size <= limit, name)
      assert.equal(names.length, kind === 'JSON' ? 7 : 11)
      assert.deepEqual([counts.at(-1), counts.length], [20, kind === 'JSON' ? 7 : 11])
    })

  test('several files in one second, and a clock that was set back, overwrite nothing and keep the order', async () => {
    using folder = new Folder()
    await using opened = openFile(folder.path, { rotation: bySize(1) })
    for (let n = 0; n < 12; n++) await opened.append(eventText(n))
    opened.env.set(Date.UTC(2025, 0, 1))
    await opened.append(eventText(12))
    await opened.append(eventText(13))
    const rotated = await opened.file.files.rotated()
    assert.deepEqual(
      rotated.map(({ path }) => JSON.parse(readFileSync(path, 'utf8'))._id),
      Array.from({ length: 13 }, (_, n) => String(n)),
    )
    assert.equal(rotated.at(-1)?.path, folder.in('access.audit.json-2026.01.02-03.04.05_12'))
  })

  test('has the prefix of the plan, and leaves other files alone', async () => {
    using folder = new Folder({ 'access.audit.json.bak': 'x', 'access.audit.json-old': 'y', 'old-x': 'z' })
    const rotation = { ...bySize(1), prefix: 'old-', suffix: '_yyyy-MM-dd' }
    await using opened = openFile(folder.path, { rotation, retention: { ...NO_RETENTION, maxFiles: 1 } })
    for (let n = 0; n < 4; n++) await opened.append(eventText(n))
    assert.deepEqual(namesIn(folder.path), [
      'access.audit.json',
      'access.audit.json-old',
      'access.audit.json.bak',
      'old-access.audit.json_2026-01-02_2',
      'old-x',
    ])
  })

  test('by interval and by time of day in UTC, without an event and after a jump of the clock', async () => {
    using folder = new Folder()
    const rotation = { ...NO_ROTATION, interval: 12 * HOUR, times: [0, 6 * HOUR] }
    await using opened = openFile(folder.path, { rotation })
    const count = async (): Promise<number> => {
      await opened.file.check()
      return (await opened.file.files.rotated()).length
    }
    await opened.append(eventText(1))
    assert.equal(await count(), 0)
    opened.env.set(Date.UTC(2026, 0, 2, 6, 0, 0))
    assert.equal(await count(), 1)
    // An empty file is not rotated.
    opened.env.set(Date.UTC(2026, 0, 3, 0, 0, 1))
    assert.equal(await count(), 1)
    await opened.append(eventText(2))
    // The clock is set back by two days, and reaches 6:00 there.
    opened.env.set(Date.UTC(2026, 0, 1, 5, 0, 0))
    assert.equal(await count(), 1)
    opened.env.set(Date.UTC(2026, 0, 1, 6, 0, 0))
    assert.equal(await count(), 2)
    await opened.append(eventText(3))
    opened.env.advance(12 * HOUR)
    assert.equal(await count(), 3)
  })

  test('a time that passed while no gateway ran rotates before the first event', async () => {
    using folder = new Folder({ 'access.audit.json': line(1) })
    const env = fileEnv(Date.now() + 24 * HOUR)
    await using opened = openFile(folder.path, { rotation: { ...NO_ROTATION, times: [0] } }, env)
    await opened.append(eventText(2))
    await opened.append(eventText(3))
    assert.equal((await opened.file.files.rotated()).length, 1)
    assert.equal(folder.read('access.audit.json'), line(2) + line(3))
  })

  test('is checked once at a time: the timer queues no further checks while the disk does not respond', async () => {
    using folder = new Folder()
    await using opened = openFile(folder.path)
    const waiting = opened.file.check()
    assert.equal(opened.file.check(), waiting)
    await waiting
    assert.notEqual(opened.file.check(), waiting)
  })

  test('that fails is logged once, and events are written to the file as it is', async () => {
    using folder = new Folder()
    const rotation = { ...bySize(1), suffix: `-yyyy'${'x'.repeat(250)}'` }
    await using opened = openFile(folder.path, { rotation })
    for (let n = 0; n < 4; n++) await opened.append(eventText(n))
    assert.equal(folder.read('access.audit.json'), [0, 1, 2, 3].map((n) => line(n)).join(''))
    assert.deepEqual(
      opened.env.log.entries.map(({ code, step }) => [code, step]),
      [['GW_AUDIT_FILE_STEP_FAILED', 'rotation']],
    )
  })
})

describe('retention', () => {
  test('by number and by disk space removes the oldest files', async () => {
    using folder = new Folder()
    const size = line(10, 'x'.repeat(1_000)).length
    for (const retention of [
      { ...NO_RETENTION, maxFiles: 2 },
      { ...NO_RETENTION, maxDiskSpace: size * 3 },
    ]) {
      const directory = folder.in(String(retention.maxFiles))
      await using opened = openFile(directory, { rotation: { ...NO_ROTATION, maxFileSize: 1 }, retention })
      for (let n = 10; n < 20; n++) {
        await opened.append(eventText(n, 'x'.repeat(1_000)))
        opened.env.advance(1_000)
        await opened.file.check()
      }
      assert.deepEqual(idsIn(directory).sort(), ['17', '18', '19'])
    }
  })

  test('removes rotated files until the file system has the free space that is required', {
    skip: SmallDisk.isMissing,
  }, async () => {
    using disk = new SmallDisk()
    const retention = { ...NO_RETENTION, minFreeSpace: 512 * 1024 }
    const rotation = { ...NO_ROTATION, maxFileSize: 1 }
    await using opened = openFile(disk.folder('audit'), { rotation, retention })
    for (let n = 10; n < 30; n++) await opened.append(eventText(n, 'x'.repeat(100_000)))
    await opened.file.check()
    const ids = idsIn(`${disk.path}/audit`).sort()
    assert.ok(ids.length >= 3 && ids.length <= 5, ids.join())
    assert.equal(ids.at(-1), '29')
  })
})

describe('compression', () => {
  const rotation = { ...NO_ROTATION, maxFileSize: 1 }

  test('rotated files become .gz in the background, with the permissions of the plan', async () => {
    using folder = new Folder()
    await using opened = openFile(folder.path, { rotation, compress: true, mode: 0o640 })
    for (let n = 10; n < 13; n++) await opened.append(eventText(n))
    await opened.file.compressed
    const names = namesIn(folder.path)
    assert.deepEqual(names, [
      'access.audit.json',
      'access.audit.json-2026.01.02-03.04.05.gz',
      'access.audit.json-2026.01.02-03.04.05_1.gz',
    ])
    assert.equal(gunzipSync(readFileSync(folder.in(names[1] as string))).toString(), line(10))
    for (const name of names) assert.equal(statSync(folder.in(name)).mode & 0o777, 0o640)
  })

  test('a start completes the work of a killed process: unfinished files, finished ones beside the original', async () => {
    const name = 'access.audit.json-2026.01.01-00.00.0'
    using folder = new Folder({ [`${name}0`]: line(1), [`${name}0.gz.tmp`]: 'half', [`${name}1`]: line(2) })
    writeFileSync(folder.in(`${name}1.gz`), gzipSync(line(2)))
    await using opened = openFile(folder.path, { compress: true })
    await opened.file.start()
    await opened.file.compressed
    assert.deepEqual(namesIn(folder.path), [`${name}0.gz`, `${name}1.gz`])
    assert.deepEqual(idsIn(folder.path), ['1', '2'])
  })

  test('that fails is logged once and leaves the file as it was', { skip: SmallDisk.isMissing }, async () => {
    using disk = new SmallDisk()
    const directory = disk.folder('audit')
    await using opened = openFile(directory, { rotation, compress: true })
    await opened.append(
      eventText(1, Buffer.from(Array.from({ length: 3e5 }, () => Math.random() * 256)).toString('base64')),
    )
    appendFileSync(`${disk.path}/room`, Buffer.alloc(100 * 1024))
    disk.fill()
    rmSync(`${disk.path}/room`)
    await opened.append(eventText(2))
    await opened.file.compressed
    assert.deepEqual(idsIn(directory).sort(), ['1', '2'])
    assert.deepEqual(
      opened.env.log.entries.map(({ step }) => step),
      ['compression'],
    )
  })
})
