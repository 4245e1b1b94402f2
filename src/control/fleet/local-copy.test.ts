// The local copy without faults; those are in local-copy-faults.alone.test.ts.
import assert from 'node:assert/strict'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { createLogger } from '#logging'
import { copiedRelease, type Files, fetchOf, filesIn, unreachable } from '#test/copied-release'
import { Folder } from '#test/folder'
import { LogLines } from '#test/log-lines'
import type { FetchContents } from './content-store.ts'
import { LocalCopy } from './local-copy.ts'

const FIRST: Files = {
  'config/config.json': '{"handler":"first"}',
  'config/routes/a.json': '{"a":1}',
  'config/routes/b.json': '{"b":1}',
  'config/routes/gone.json': '{"gone":1}',
  'scripts/groovy/Lib.groovy': 'first',
  'scripts/was-a-file': 'file',
}
const SECOND: Files = {
  'config/config.json': '{"handler":"second"}',
  'config/routes/a.json': '{"a":2}',
  'config/routes/b.json': '{"b":1}',
  'config/routes/new.json': '{"a":2}',
  'config/routes/deeper/still/c.json': '{"c":2}',
  'scripts/was-a-file/now-a-folder.js': 'second',
}

const silent = createLogger({ level: 'silent' })
const noProblems = { starts: true, problems: [] }

function contentsOf(root: string): string[] {
  return readdirSync(join(root, 'contents'))
}

/** A copy whose units serve a release. */
async function copyOf(root: string, number: number, files: Files): Promise<LocalCopy> {
  const copy = await LocalCopy.open(root, silent)
  await serve(copy, number, files)
  return copy
}

/** Units are replaced for a release. */
async function serve(copy: LocalCopy, number: number, files: Files, fetch = fetchOf(files)): Promise<void> {
  await copy.put(copiedRelease(number, files), fetch)
  const { folders } = await copy.openFolders(copy.newest!)
  await copy.serves(folders)
}

describe('the local copy', () => {
  test('has the files of the release, fetches only what it lacks, and is the same after a restart', async () => {
    using folder = new Folder()
    const root = folder.in('copy')
    const copy = await copyOf(root, 1, FIRST)
    const { folders } = await copy.openFolders(copy.release!)
    assert.deepEqual(filesIn(join(root, 'current')), FIRST)
    const fetched: string[] = []
    const fetch: FetchContents = (entries) => {
      fetched.push(...entries.map(({ hash }) => hash))
      return fetchOf(SECOND)(entries)
    }
    await copy.put(copiedRelease(2, SECOND), fetch)
    assert.deepEqual([copy.newest?.release, copy.release?.release], [2, 1], 'units do not serve it yet')
    assert.deepEqual(filesIn(join(root, 'current')), FIRST)
    assert.equal(fetched.length, 4, 'b is here already, a and new are the same content')
    const opened = await copy.openFolders(copy.newest!)
    assert.deepEqual(filesIn(join(opened.folders.config, '..')), SECOND)
    assert.deepEqual(filesIn(join(folders.config, '..')), FIRST, 'others go on with theirs')
    await copy.serves(opened.folders)
    assert.deepEqual(filesIn(join(root, 'current')), SECOND)

    await copy.close()
    const again = await LocalCopy.open(root, silent)
    assert.deepEqual([again.release?.release, again.release?.write, again.release?.files.size], [2, 'write-2', 6])
    assert.equal(readdirSync(join(root, 'releases')).filter((name) => !name.startsWith('.')).length, 1)
    assert.equal(contentsOf(root).length, 6, 'unused contents are removed, the last good one of a is kept')
    await again.put(copiedRelease(3, SECOND), unreachable)
    assert.equal(again.newest?.release, 3)
  })

  test('has the files as read-only links, and moves the link of units when routes change', async () => {
    using folder = new Folder()
    const root = folder.in('copy')
    const copy = await copyOf(root, 1, { ...FIRST, 'config/routes/same.json': '{"a":1}' })
    const { folders } = await copy.openFolders(copy.release!)
    await copy.serves(folders)
    const route = join(folders.config, 'routes/a.json')
    const { ino, mode, nlink } = statSync(route)
    assert.deepEqual([mode & 0o777, nlink], [0o440, 3])
    assert.equal(statSync(join(folders.config, 'routes/same.json')).ino, ino)
    const changed = { ...FIRST, 'config/routes/a.json': '{"a":3}' }
    await copy.put(copiedRelease(2, changed), fetchOf(changed))
    assert.equal(readFileSync(route, 'utf8'), '{"a":1}')
    await copy.move()
    assert.equal(readFileSync(route, 'utf8'), '{"a":3}')
    assert.equal(readlinkSync(join(root, 'current')), 'releases/2-write-2')
    assert.equal(copy.release?.release, 2)
  })

  test('removes releases, links and contents that nothing refers to any more', async () => {
    using folder = new Folder()
    const root = folder.in('copy')
    const copy = await copyOf(root, 1, FIRST)
    for (let number = 2; number < 12; number++) {
      const files = { ...FIRST, 'config/config.json': `${number}`, 'config/routes/a.json': `a${number}` }
      // Each second one is refused.
      if (number % 2 === 0) await serve(copy, number, files)
      else {
        await copy.put(copiedRelease(number, files), fetchOf(files))
        const { folders } = await copy.openFolders(copy.newest!)
        await copy.closeFolders(folders)
      }
    }
    const named = (pattern: RegExp, path = '.') => readdirSync(join(root, path)).filter((name) => pattern.test(name))
    assert.equal(named(/^units-/).length, 2)
    assert.ok(named(/^\d/, 'releases').length <= 4, `${named(/./, 'releases')}`)
    assert.ok(contentsOf(root).length <= Object.keys(FIRST).length + 8, `${contentsOf(root).length}`)
    await copy.close()
    const again = await LocalCopy.open(root, silent)
    assert.equal(again.release?.release, 10)
    assert.deepEqual(named(/^\d/, 'releases'), ['10-write-10'])
    // Links of a process that has ended.
    symlinkSync('releases/10-write-10', join(root, 'units-999999999-1'))
    await LocalCopy.open(root, silent)
    assert.deepEqual(named(/^units-9/), [])
  })

  test('keeps the last content of a route that was served, until another one was', async () => {
    using folder = new Folder()
    const root = folder.in('copy')
    const copy = await copyOf(root, 1, {
      'config/routes/a.json': 'good',
      'config/routes/b.json': 'b1',
      'scripts/s': '1',
    })
    const put = async (number: number, files: Files, unproven: readonly string[]) => {
      await copy.put(copiedRelease(number, files), fetchOf(files), (path) => unproven.includes(path))
      await copy.move()
    }
    const kept = (from: LocalCopy) =>
      ['config/routes/a.json', 'config/routes/b.json', 'scripts/s'].map((path) => from.lastGood(path)?.toString())
    await put(2, { 'config/routes/a.json': 'bad', 'config/routes/b.json': 'b2', 'scripts/s': '2' }, [])
    assert.deepEqual(kept(copy), ['good', 'b1', undefined])
    await put(3, { 'config/routes/a.json': 'worse', 'config/routes/b.json': 'b3' }, ['config/routes/a.json'])
    assert.deepEqual(kept(copy), ['good', 'b2', undefined])
    assert.deepEqual(kept(await LocalCopy.open(root, silent)), ['good', 'b2', undefined])
    await put(4, { 'config/routes/a.json': 'good', 'config/routes/b.json': 'b3' }, ['config/routes/a.json'])
    assert.deepEqual(kept(copy), [undefined, undefined, undefined])
    await LocalCopy.open(root, silent)
    assert.equal(contentsOf(root).length, 2)
  })

  test('has an age by the clock of this instance alone, also over a restart and while the clock is set', async () => {
    using folder = new Folder()
    const time = { wall: 1_000_000, monotonic: 0 }
    const clock = { now: () => time.wall, monotonic: () => time.monotonic }
    const root = folder.in('copy')
    const copy = await LocalCopy.open(root, silent, clock)
    assert.equal(copy.age, 0)
    // Made by a machine whose clock is hours ahead.
    await copy.put({ ...copiedRelease(1, FIRST), created: '2100-01-01T00:00:00Z' }, fetchOf(FIRST))
    await copy.serves((await copy.openFolders(copy.newest!)).folders)
    Object.assign(time, { wall: 900_000, monotonic: 7_000 })
    assert.equal(copy.age, 7_000, 'the clock was set back')
    Object.assign(time, { wall: 1_060_000, monotonic: 3 })
    assert.equal((await LocalCopy.open(root, silent, clock)).age, 60_000)
    Object.assign(time, { wall: 900_000, monotonic: 3 })
    assert.equal((await LocalCopy.open(root, silent, clock)).age, 0, 'not negative')
  })

  test('of a process that takes over is not written before it owns it, and then is what the other has stored since', async () => {
    using folder = new Folder()
    const root = folder.in('copy')
    const old = await copyOf(root, 1, FIRST)
    writeFileSync(join(root, 'contents', '0123456789abcdef.tmp'), 'being written by the other')
    const next = await LocalCopy.openShared(root, silent)
    assert.equal(existsSync(join(root, 'contents', '0123456789abcdef.tmp')), true)
    const { folders } = await next.openFolders(next.release!)
    const four = { ...FIRST, 'scripts/four': '4' }
    // Waits, and is made with the contents as they are then.
    const putting = next.put(copiedRelease(4, four), fetchOf({ four: '4' }))
    for (const number of [2, 3]) await serve(old, number, SECOND)
    await old.close()
    await assert.rejects(old.put(copiedRelease(5, FIRST), unreachable), /the local copy is closed/)
    assert.deepEqual(filesIn(join(folders.config, '..')), FIRST, 'the release of its units stays')
    await next.own()
    assert.equal(next.release?.release, 3)
    await putting
    assert.deepEqual([next.newest?.release, next.release?.release], [4, 3])
    await next.move()
    assert.deepEqual(filesIn(join(folders.config, '..')), four)
    assert.deepEqual(filesIn(join(root, 'current')), four)
  })

  test('a copy that is handed over is written by changes that have begun, and by others when it is resumed', async () => {
    using folder = new Folder()
    const root = folder.in('copy')
    const copy = await copyOf(root, 1, FIRST)
    const begun = serve(copy, 2, SECOND)
    await copy.handOver()
    assert.equal(copy.newest?.release, 2)
    const next = await LocalCopy.openShared(root, silent)
    assert.deepEqual([next.release?.release, copy.isOwned], [1, false])
    copy.resume()
    await begun
    assert.deepEqual(filesIn(join(root, 'current')), SECOND)
    // A process that ends while another one writes the copy leaves it as it is.
    await copy.handOver()
    const never = copy.put(copiedRelease(4, FIRST), unreachable)
    never.catch(() => {})
    await copy.close()
    await assert.rejects(never, /the local copy is closed/)
    assert.deepEqual(filesIn(join(root, 'current')), SECOND)
  })

  test('a change whose contents can not be read changes nothing', async () => {
    using folder = new Folder()
    const root = folder.in('copy')
    const copy = await copyOf(root, 1, FIRST)
    const count = contentsOf(root).length
    await assert.rejects(copy.put(copiedRelease(2, SECOND), unreachable), /the store is not available/)
    const lying: FetchContents = async function* (entries) {
      for (const { hash } of entries) yield { hash, data: Buffer.from('another content') }
    }
    await assert.rejects(copy.put(copiedRelease(2, SECOND), lying), /has another hash/)
    const some: FetchContents = async function* (entries) {
      yield* fetchOf(SECOND)(entries.slice(0, 2))
    }
    await assert.rejects(copy.put(copiedRelease(2, SECOND), some), /contents were not read/)
    assert.equal(contentsOf(root).length, count, 'nothing is left of them')
    assert.equal(copy.newest?.release, 1)
    assert.equal((await LocalCopy.open(root, silent)).release?.release, 1)
  })

  test('other files can be tried out beside it; contents stay for the release that follows, of the last ones alone', async () => {
    using folder = new Folder()
    const root = folder.in('copy')
    const copy = await copyOf(root, 1, FIRST)
    const count = contentsOf(root).length
    const { files } = copiedRelease(2, SECOND)
    let tried: Files = {}
    const result = await copy.tryOut(files, fetchOf(SECOND), async (candidate) => {
      tried = filesIn(candidate)
      return noProblems
    })
    assert.deepEqual([tried, result.starts], [SECOND, true])
    for (const text of ['x', 'y', 'z']) {
      const other = { 'config/config.json': text }
      const problems = text === 'z' ? [{ file: 'config/config.json', message: 'no' }] : []
      await copy.tryOut(copiedRelease(3, other).files, fetchOf(other), async () => ({ starts: true, problems }))
      assert.equal(contentsOf(root).length, text === 'z' ? count : count + 1)
    }
    await assert.rejects(
      copy.tryOut(files, fetchOf(SECOND), () => Promise.reject(new Error('no'))),
      /^Error: no$/,
    )
    assert.equal(contentsOf(root).length, count)
    await copy.tryOut(files, fetchOf(SECOND), async () => noProblems)
    await copy.put(copiedRelease(2, SECOND), unreachable)
    assert.deepEqual(
      readdirSync(join(root, 'releases')).filter((name) => /trial/.test(name)),
      [],
    )
  })

  test('files that were changed, added, removed or linked by hand are overwritten with a warning, without the store', async () => {
    using folder = new Folder({ 'outside/secret.json': 'secret' })
    const root = folder.in('copy')
    await copyOf(root, 1, FIRST)
    const current = join(root, 'current')
    const harm = () => {
      // As an editor does it: another file of the name.
      rmSync(join(current, 'config/routes/a.json'))
      writeFileSync(join(current, 'config/routes/a.json'), '{"a":"by hand"}')
      writeFileSync(join(current, 'config/routes/added.json'), '{}')
      writeFileSync(join(current, 'added'), '{}')
      rmSync(join(current, 'config/routes/b.json'))
      rmSync(join(current, 'config/config.json'))
      symlinkSync(folder.in('outside/secret.json'), join(current, 'config/config.json'))
      rmSync(join(current, 'scripts/groovy'), { recursive: true })
      symlinkSync(folder.in('outside'), join(current, 'scripts/groovy'))
      rmSync(join(current, 'scripts/was-a-file'))
      mkdirSync(join(current, 'scripts/was-a-file/folder'), { recursive: true })
    }
    harm()
    const log = new LogLines()
    const copy = await LocalCopy.open(root, createLogger({ level: 'info', format: 'json', destination: log }))
    assert.deepEqual(filesIn(current), FIRST)
    assert.deepEqual(folder.read('outside/secret.json'), 'secret')
    assert.deepEqual(readdirSync(folder.in('outside')), ['secret.json'])
    harm()
    rmSync(join(root, 'contents'), { recursive: true })
    await assert.rejects(copy.verify(unreachable), /its content on disk was changed, and can not be restored/)
    await copy.verify(fetchOf(FIRST))
    assert.deepEqual(filesIn(current), FIRST)
    assert.deepEqual(readdirSync(folder.in('outside')), ['secret.json'])
    await copy.verify(unreachable)
    assert.equal(log.lines.filter((line) => JSON.stringify(line).includes('changed by hand')).length, 2)
  })

  test('a content that was changed through one of its links is fetched again, and no release has it', async () => {
    using folder = new Folder()
    const root = folder.in('copy')
    const copy = await copyOf(root, 1, FIRST)
    writeFileSync(join(root, 'current/config/routes/b.json'), '{"b":"by hand"}')
    const next = { ...SECOND, 'config/routes/other.json': FIRST['config/routes/b.json'] as string }
    await assert.rejects(
      copy.put(copiedRelease(2, next), fetchOf({ ...SECOND, 'config/routes/b.json': 'x' })),
      /not av/,
    )
    await serve(copy, 2, next)
    assert.deepEqual(filesIn(join(root, 'current')), next)
    writeFileSync(join(root, 'current/config/routes/b.json'), '{"b":"by hand"}')
    const log = new LogLines()
    const again = await LocalCopy.open(root, createLogger({ level: 'info', format: 'json', destination: log }))
    assert.equal(again.release, null, 'it is not served')
    assert.equal(log.with(/GW_CONTROL_COPY_DAMAGED/).length, 1)
    await assert.rejects(LocalCopy.openShared(root, silent), /config was changed|content on disk was changed/)
    await serve(again, 2, next)
    assert.deepEqual(filesIn(join(root, 'current')), next)
  })

  test('a damaged record is not used, and nothing is written outside of the folder', async () => {
    using folder = new Folder()
    const outside = {
      ...{ format: 1, store: 's', release: 1, write: 'w', parent: null, author: 'a', created: 'c', note: null },
      files: { 'config/routes/../../../x.json': ['0'.repeat(64), 1] },
    }
    for (const record of ['{', '[]', '{"format":2}', JSON.stringify(outside)]) {
      const root = folder.in('copy')
      await copyOf(root, 1, FIRST)
      writeFileSync(join(root, 'current/release.json'), record)
      const copy = await LocalCopy.open(root, silent)
      assert.equal(copy.release, null)
      await serve(copy, 2, SECOND)
      assert.deepEqual(filesIn(join(root, 'current')), SECOND)
      rmSync(root, { recursive: true })
    }
    assert.deepEqual(readdirSync(folder.path), [])
  })

  test('is made again by the next release, or its trial, where its folder was deleted', async () => {
    using folder = new Folder()
    const root = folder.in('copy')
    const copy = await copyOf(root, 1, FIRST)
    rmSync(root, { recursive: true })
    await assert.rejects(copy.put(copiedRelease(2, SECOND), unreachable), /not available/)
    await copy.tryOut(copiedRelease(2, SECOND).files, fetchOf(SECOND), async () => noProblems)
    rmSync(root, { recursive: true })
    await serve(copy, 2, SECOND)
    assert.deepEqual(filesIn(join(root, 'current')), SECOND)
    assert.equal((await LocalCopy.open(root, silent)).release?.release, 2)
    assert.ok(lstatSync(join(root, 'current')).isSymbolicLink())
  })

  test('is empty after the files of the instance are served again', async () => {
    using folder = new Folder()
    const root = folder.in('copy')
    const copy = await copyOf(root, 1, FIRST)
    await copy.clear()
    assert.deepEqual([copy.release, copy.newest], [null, null])
    await copy.close()
    assert.equal((await LocalCopy.open(root, silent)).release, null)
    assert.deepEqual(contentsOf(root), [])
  })
})
