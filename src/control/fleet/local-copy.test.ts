// Crashes are states of the folder, composed of the files of finished copies: each is one that the steps of a change leave.
import assert from 'node:assert/strict'
import {
  cpSync,
  existsSync,
  globSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, test } from 'node:test'
import { createLogger } from '#logging'
import { contentOf } from '#releases'
import { copiedRelease, type Files } from '#test/copied-release'
import { Folder } from '#test/folder'
import { LogLines } from '#test/log-lines'
import type { FetchContents } from './copied-contents.ts'
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

/** Fetches contents of some files; counts them. */
function fetcher(files: Files) {
  const byHash = new Map(Object.values(files).map((text) => [contentOf(text).hash, Buffer.from(text)]))
  const fetched: string[] = []
  const fetch: FetchContents = async function* (entries) {
    for (const { hash } of entries) {
      fetched.push(hash)
      const data = byHash.get(hash)
      if (data === undefined) throw new Error('the store is not available')
      yield { hash, data }
    }
  }
  return { fetch, fetched }
}

const silent = createLogger({ level: 'silent' })
const { fetch: unreachable } = fetcher({})

function placed(root: string): Files {
  const paths = globSync('{config,scripts}/**', { cwd: root }).filter((path) => lstatSync(join(root, path)).isFile())
  return Object.fromEntries(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')]))
}

async function copyOf(root: string, number: number, files: Files): Promise<LocalCopy> {
  const copy = await LocalCopy.open(root, silent)
  await copy.put(copiedRelease(number, files), fetcher(files).fetch)
  return copy
}

/** The states of a change from FIRST to SECOND after each of its steps, and the release that is expected after each. */
async function* crashes(
  folder: Folder,
): AsyncGenerator<{ readonly name: string; readonly root: string; readonly expected: 1 | 2 }> {
  const [one, two] = [folder.in('one'), folder.in('two')]
  await copyOf(one, 1, FIRST)
  await copyOf(two, 2, SECOND)
  let states = 0
  const root = (): string => {
    const path = folder.in(`state-${states++}`)
    cpSync(one, path, { recursive: true })
    return path
  }
  const contents = readdirSync(join(two, '.contents'))
  const stage = (into: string, count = contents.length) => {
    for (const hash of contents.slice(0, count)) cpSync(join(two, '.contents', hash), join(into, '.contents', hash))
  }
  for (let count = 0; count <= contents.length; count++) {
    const into = root()
    stage(into, count)
    writeFileSync(join(into, '.contents', '0123456789abcdef.tmp'), '{"ha')
    yield { name: `${count} contents written, the next one in part`, root: into, expected: 1 }
  }
  const written = root()
  stage(written)
  writeFileSync(join(written, '.next.json.0123456789abcdef.tmp'), '{"format":1,"st')
  yield { name: 'next.json written in part', root: written, expected: 1 }
  const steps: ((into: string) => void)[] = [
    ...Object.keys(FIRST)
      .filter((path) => !Object.hasOwn(SECOND, path))
      .map((path) => (into: string) => rmSync(join(into, path))),
    ...Object.keys(SECOND).map((path) => (into: string) => {
      mkdirSync(dirname(join(into, path)), { recursive: true })
      cpSync(join(two, path), join(into, path))
    }),
  ]
  for (let done = 0; done <= steps.length; done++) {
    const into = root()
    stage(into)
    cpSync(join(two, 'release.json'), join(into, 'next.json'))
    for (const step of steps.slice(0, done)) step(into)
    yield { name: `next.json written, ${done} files placed or removed`, root: into, expected: 2 }
  }
  const renamed = root()
  stage(renamed)
  for (const step of steps) step(renamed)
  cpSync(join(two, 'release.json'), join(renamed, 'release.json'))
  yield { name: 'release.json replaced, unused contents still there', root: renamed, expected: 2 }
}

describe('the local copy', () => {
  test('has the files of the release, fetches only what it lacks, and is the same after a restart', async () => {
    using folder = new Folder()
    const root = folder.in('copy')
    const copy = await copyOf(root, 1, FIRST)
    assert.deepEqual(placed(root), FIRST)
    const { fetch, fetched } = fetcher(SECOND)
    const { written, removed } = await copy.put(copiedRelease(2, SECOND), fetch)
    assert.deepEqual(placed(root), SECOND)
    assert.equal(fetched.length, 4, 'b is here already, a and new are the same content')
    assert.deepEqual(removed.toSorted(), ['config/routes/gone.json', 'scripts/groovy/Lib.groovy', 'scripts/was-a-file'])
    assert.equal(written.includes('config/routes/b.json'), false)
    assert.equal(
      readdirSync(join(root, '.contents')).length,
      6,
      'unused contents are removed, the last good one of a is kept',
    )
    assert.equal(existsSync(join(root, 'scripts/groovy')), false, 'no empty folder remains')

    const again = await LocalCopy.open(root, silent)
    assert.deepEqual([again.release?.release, again.release?.write, again.release?.files.size], [2, 'write-2', 6])
    assert.equal((await again.put(copiedRelease(3, SECOND), unreachable)).written.length, 0)
    assert.equal((await LocalCopy.open(root, silent)).release?.release, 3)
  })

  test('is that of the old or the new release after a crash at every step, and can go on from there', async () => {
    using folder = new Folder()
    let states = 0
    for await (const { name, root, expected } of crashes(folder)) {
      states++
      const copy = await LocalCopy.open(root, silent)
      assert.equal(copy.release?.release, expected, name)
      assert.deepEqual(placed(root), expected === 1 ? FIRST : SECOND, name)
      assert.equal(existsSync(join(root, 'next.json')), false, name)
      const used = new Set(Object.values(expected === 1 ? FIRST : SECOND))
      assert.equal(readdirSync(join(root, '.contents')).length, used.size, name)
      await copy.put(copiedRelease(4, FIRST), fetcher(FIRST).fetch)
      assert.deepEqual(placed(root), FIRST, name)
    }
    assert.ok(states >= 18, `${states}`)
  })

  test('keeps the last content of a route that was served, also over a crash, until another one was', async () => {
    using folder = new Folder()
    const root = folder.in('copy')
    const copy = await copyOf(root, 1, {
      'config/routes/a.json': 'good',
      'config/routes/b.json': 'b1',
      'scripts/s': '1',
    })
    const put = async (number: number, files: Files, unproven: readonly string[]) =>
      copy.put(copiedRelease(number, files), fetcher(files).fetch, (path) => unproven.includes(path))
    const kept = (from: LocalCopy) =>
      ['config/routes/a.json', 'config/routes/b.json', 'scripts/s'].map((path) => from.lastGood(path)?.toString())
    await put(2, { 'config/routes/a.json': 'bad', 'config/routes/b.json': 'b2', 'scripts/s': '2' }, [])
    assert.deepEqual(kept(copy), ['good', 'b1', undefined])
    const before = readFileSync(join(root, 'release.json'))
    await put(3, { 'config/routes/a.json': 'worse', 'config/routes/b.json': 'b3' }, ['config/routes/a.json'])
    assert.deepEqual(kept(copy), ['good', 'b2', undefined])
    assert.deepEqual(kept(await LocalCopy.open(root, silent)), ['good', 'b2', undefined])
    // A crash before the last step.
    writeFileSync(join(root, 'next.json'), readFileSync(join(root, 'release.json')))
    writeFileSync(join(root, 'release.json'), before)
    assert.deepEqual(kept(await LocalCopy.open(root, silent)), ['good', 'b2', undefined])
    await put(4, { 'config/routes/a.json': 'good', 'config/routes/b.json': 'b3' }, ['config/routes/a.json'])
    assert.deepEqual(kept(copy), [undefined, undefined, undefined])
    assert.equal(readdirSync(join(root, '.contents')).length, 2)
  })

  test('has an age by the clock of this instance alone, also over a restart and while the clock is set', async () => {
    using folder = new Folder()
    const time = { wall: 1_000_000, monotonic: 0 }
    const clock = { now: () => time.wall, monotonic: () => time.monotonic }
    const root = folder.in('copy')
    const copy = await LocalCopy.open(root, silent, clock)
    assert.equal(copy.age, 0)
    // Made by a machine whose clock is hours ahead.
    await copy.put({ ...copiedRelease(1, FIRST), created: '2100-01-01T00:00:00Z' }, fetcher(FIRST).fetch)
    Object.assign(time, { wall: 900_000, monotonic: 7_000 })
    assert.equal(copy.age, 7_000, 'the clock was set back')
    Object.assign(time, { wall: 1_060_000, monotonic: 3 })
    assert.equal((await LocalCopy.open(root, silent, clock)).age, 60_000)
    Object.assign(time, { wall: 900_000, monotonic: 3 })
    assert.equal((await LocalCopy.open(root, silent, clock)).age, 0, 'not negative')
  })

  test('of a process that takes over is not written before it owns it, and then has what the other has copied since', async () => {
    using folder = new Folder()
    const root = folder.in('copy')
    const old = await copyOf(root, 1, FIRST)
    writeFileSync(join(root, '.contents', '0123456789abcdef.tmp'), 'being written by the other')
    const next = await LocalCopy.openShared(root, silent)
    assert.equal(existsSync(join(root, '.contents', '0123456789abcdef.tmp')), true)
    assert.equal(next.release?.release, 1)
    // Waits, and is made with the files as they are then.
    const putting = next.put(copiedRelease(4, { ...FIRST, 'scripts/four': '4' }), fetcher({ four: '4' }).fetch)
    await old.put(copiedRelease(2, SECOND), fetcher(SECOND).fetch)
    const reverted = { ...SECOND, 'config/routes/a.json': FIRST['config/routes/a.json'] as string }
    await old.put(copiedRelease(3, reverted), fetcher(reverted).fetch)
    await old.close()
    await assert.rejects(old.put(copiedRelease(5, FIRST), unreachable), /the local copy is closed/)
    const { written, removed } = await next.own()
    assert.deepEqual([written.includes('config/routes/a.json'), written.length, removed.length], [false, 4, 3])
    assert.equal(next.release?.release, 3)
    await assert.rejects(putting, /the store is not available/)
    assert.deepEqual(placed(root), reverted)
    assert.deepEqual(readdirSync(root).toSorted(), ['.contents', 'config', 'release.json', 'scripts'])
  })

  test('a copy that is handed over is written by changes that have begun, and by others when it is resumed', async () => {
    using folder = new Folder()
    const root = folder.in('copy')
    const copy = await copyOf(root, 1, FIRST)
    const begun = copy.put(copiedRelease(2, SECOND), fetcher(SECOND).fetch)
    await copy.handOver()
    assert.deepEqual([(await begun).written.length > 0, placed(root)], [true, SECOND])
    const later = copy.put(copiedRelease(3, FIRST), fetcher(FIRST).fetch)
    const next = await LocalCopy.openShared(root, silent)
    assert.deepEqual([next.release?.release, copy.isOwned, placed(root)], [2, false, SECOND])
    copy.resume()
    await later
    assert.deepEqual(placed(root), FIRST)
    // A process that ends while another one writes the copy leaves it as it is.
    await copy.handOver()
    const never = copy.put(copiedRelease(4, SECOND), unreachable)
    never.catch(() => {})
    await copy.close()
    await assert.rejects(never, /the local copy is closed/)
    assert.deepEqual(placed(root), FIRST)
  })

  test('a change whose contents can not be read changes nothing', async () => {
    using folder = new Folder()
    const root = folder.in('copy')
    const copy = await copyOf(root, 1, FIRST)
    await assert.rejects(copy.put(copiedRelease(2, SECOND), unreachable), /the store is not available/)
    const lying: FetchContents = async function* (entries) {
      for (const { hash } of entries) yield { hash, data: Buffer.from('another content') }
    }
    await assert.rejects(copy.put(copiedRelease(2, SECOND), lying), /has another hash/)
    assert.deepEqual(placed(root), FIRST)
    assert.equal((await LocalCopy.open(root, silent)).release?.release, 1)
  })

  test('another release can be tried out beside it', async () => {
    using folder = new Folder()
    const root = folder.in('copy')
    const copy = await copyOf(root, 1, FIRST)
    const { fetch, fetched } = fetcher(SECOND)
    const tried = await copy.tryOut(copiedRelease(2, SECOND), fetch, async (candidate) => placed(candidate))
    assert.deepEqual(tried, SECOND)
    assert.deepEqual(placed(root), FIRST)
    await assert.rejects(
      copy.tryOut(copiedRelease(2, SECOND), unreachable, () => Promise.reject(new Error('no'))),
      /^Error: no$/,
    )
    // Of many that are not taken, the contents of the last one alone stay.
    for (const text of ['x', 'y', 'z']) {
      const refused = { 'config/config.json': text }
      await copy.tryOut(copiedRelease(3, refused), fetcher(refused).fetch, async () => {})
    }
    assert.equal(readdirSync(join(root, '.contents')).length, Object.keys(FIRST).length + 1)
    await copy.tryOut(copiedRelease(2, SECOND), fetch, async () => {})
    const count = fetched.length
    await copy.put(copiedRelease(2, SECOND), fetch)
    assert.equal(fetched.length, count, 'contents are not read twice')
    assert.deepEqual(placed(root), SECOND)
    assert.deepEqual(readdirSync(root).toSorted(), ['.contents', 'config', 'release.json', 'scripts'])
  })

  test('files that were changed, added, removed or linked by hand are overwritten with a warning, without the store', async () => {
    using folder = new Folder({ 'outside/secret.json': 'secret' })
    const root = folder.in('copy')
    await copyOf(root, 1, FIRST)
    const harm = () => {
      writeFileSync(join(root, 'config/routes/a.json'), '{"a":"by hand"}')
      writeFileSync(join(root, 'config/routes/added.json'), '{}')
      rmSync(join(root, 'config/routes/b.json'))
      rmSync(join(root, 'config/config.json'))
      symlinkSync(folder.in('outside/secret.json'), join(root, 'config/config.json'))
      rmSync(join(root, 'scripts/groovy'), { recursive: true })
      symlinkSync(folder.in('outside'), join(root, 'scripts/groovy'))
      rmSync(join(root, 'scripts/was-a-file'))
      mkdirSync(join(root, 'scripts/was-a-file/folder'), { recursive: true })
    }
    harm()
    const log = new LogLines()
    const copy = await LocalCopy.open(root, createLogger({ level: 'info', format: 'json', destination: log }))
    assert.deepEqual(placed(root), FIRST)
    assert.deepEqual(folder.read('outside/secret.json'), 'secret')
    assert.deepEqual(readdirSync(folder.in('outside')), ['secret.json'])
    harm()
    assert.equal((await copy.repair()).length, 7)
    assert.deepEqual(placed(root), FIRST)
    assert.deepEqual(readdirSync(folder.in('outside')), ['secret.json'])
    assert.deepEqual(await copy.repair(), [])
    assert.equal(log.lines.filter((line) => JSON.stringify(line).includes('changed by hand')).length, 2)
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
      writeFileSync(join(root, 'release.json'), record)
      const copy = await LocalCopy.open(root, silent)
      assert.equal(copy.release, null)
      await copy.put(copiedRelease(2, SECOND), fetcher(SECOND).fetch)
      assert.deepEqual(placed(root), SECOND)
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
    const trial = await copy.tryOut(copiedRelease(2, SECOND), fetcher(SECOND).fetch, async (candidate) =>
      placed(candidate),
    )
    assert.deepEqual(trial, SECOND)
    rmSync(root, { recursive: true })
    const { written } = await copy.put(copiedRelease(2, SECOND), fetcher(SECOND).fetch)
    assert.equal(written.includes('config/routes/b.json'), false, 'units serve that already')
    assert.deepEqual(placed(root), SECOND)
    assert.equal((await LocalCopy.open(root, silent)).release?.release, 2)
  })

  test('a damaged content on disk is fetched again', async () => {
    using folder = new Folder()
    const root = folder.in('copy')
    await copyOf(root, 1, FIRST)
    for (const name of readdirSync(join(root, '.contents'))) writeFileSync(join(root, '.contents', name), 'damaged')
    rmSync(join(root, 'config/routes/a.json'))
    const copy = await LocalCopy.open(root, silent)
    assert.equal(copy.release, null, 'a file of the release is not available')
    await copy.put(copiedRelease(1, FIRST), fetcher(FIRST).fetch).catch(() => {})
    await copy.put(copiedRelease(1, FIRST), fetcher(FIRST).fetch)
    assert.deepEqual(placed(root), FIRST)
  })
})
