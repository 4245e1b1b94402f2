import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { createLogger, memoryLog } from '#logging'
import { manualClock } from '#test/build'
import { Folder } from '#test/folder'
import { parseRouteFile, revisionOf } from '../route-files.ts'
import { type ReplacedVersion, RouteHistory } from './route-history.ts'
import type { HistoryLimits } from './version-index.ts'

const BY = { operation: 'update', client: '127.0.0.1', transactionId: 't1' }
const ROUTES = 'config/routes'

function open(instance: string, limits?: HistoryLimits) {
  const log = memoryLog()
  const clock = manualClock()
  const logger = createLogger({ level: 'info', format: 'json', destination: log, now: () => clock.now() })
  const directory = join(instance, 'history')
  const history = new RouteHistory({ instance, directory, logger, clock, ...(limits !== undefined && { limits }) })
  return { history, log, clock, directory }
}

function route(id: string, content: string): ReplacedVersion {
  const text = `{ "_id": "${id}", "handler": "${content}" }`
  return { id, file: `${id}.json`, revision: parseRouteFile(`${id}.json`, text, '').route?.revision ?? '', text }
}

async function textsOf(history: RouteHistory, id: string): Promise<(string | null)[]> {
  await history.load()
  return Promise.all(history.versions(ROUTES, id).map((version) => history.read(version)))
}

test('versions are restored by the next process, in order, with their time and replacement', async () => {
  using folder = new Folder()
  const { history, clock } = open(folder.path)
  const [one, two] = [route('hello', 'one'), route('hello', 'two')]
  await history.storeNow(ROUTES, [one], BY)
  clock.advance(-3_600_000)
  await history.storeNow(ROUTES, [two], { operation: 'file' })

  const { history: again, log } = open(folder.path)
  assert.deepEqual(await textsOf(again, 'hello'), [two.text, one.text])
  assert.deepEqual(
    again.versions(ROUTES, 'hello').map(({ head }) => [head.revision, head.replacedAt, head.replacedBy, head.file]),
    [
      [two.revision, '2023-11-14T21:13:20.000Z', { operation: 'file' }, 'hello.json'],
      [one.revision, '2023-11-14T22:13:20.000Z', BY, 'hello.json'],
    ],
  )
  assert.deepEqual([again.size, again.bytes], [2, one.text.length + two.text.length])
  await again.storeNow(ROUTES, [route('hello', 'three')], BY)
  assert.equal((await textsOf(open(folder.path).history, 'hello'))[0], route('hello', 'three').text)
  assert.deepEqual(log.lines, [])
})

test('B86: other users can not read the folder and its files', async () => {
  using folder = new Folder()
  const { history, directory } = open(folder.path)
  await history.storeNow(ROUTES, [route('hello', 'one')], BY)
  assert.equal(statSync(directory).mode & 0o777, 0o700)
  for (const name of readdirSync(directory)) assert.equal(statSync(join(directory, name)).mode & 0o777, 0o600)
})

test('no folder is created in an instance whose routes do not change', async () => {
  using folder = new Folder()
  const { history } = open(folder.path)
  await history.settled()
  assert.deepEqual(readdirSync(folder.path), [])
})

test('the history of a moved instance is found', async () => {
  using folder = new Folder()
  const { history } = open(folder.in('here'))
  const name = history.folderName(folder.in('here/config/routes'))
  await history.storeNow(name, [route('hello', 'one')], BY)
  renameSync(folder.in('here'), folder.in('there'))
  const moved = open(folder.in('there')).history
  await moved.load()
  assert.equal(moved.versions(moved.folderName(folder.in('there/config/routes')), 'hello').length, 1)
  assert.equal(moved.folderName('/elsewhere/routes'), '/elsewhere/routes')
})

test('versions over the limits are removed from the disk too, also by a process with other limits', async () => {
  using folder = new Folder()
  const { history, directory } = open(folder.path, { versions: 3, files: 100, bytes: 10_000 })
  for (let n = 1; n <= 6; n++) await history.storeNow(ROUTES, [route('hello', `${n}`)], BY)
  await history.storeNow(ROUTES, [route('other', 'x')], BY)
  await history.settled()
  assert.equal(readdirSync(directory).length, 4)

  const smaller = open(folder.path, { versions: 2, files: 3, bytes: 10_000 }).history
  await smaller.settled()
  assert.deepEqual(await textsOf(smaller, 'hello'), [route('hello', '6').text, route('hello', '5').text])
  assert.equal(readdirSync(directory).length, 3)

  const tiny = open(folder.path, { versions: 2, files: 3, bytes: 50 }).history
  await tiny.settled()
  assert.deepEqual([tiny.size, readdirSync(directory).length], [1, 1])
  assert.equal((await textsOf(tiny, 'other')).length, 1)
})

test('background writes are queued, and an urgent write does not wait for them', async () => {
  using folder = new Folder()
  const { history, directory } = open(folder.path)
  const many = Array.from({ length: 60 }, (_, n) => route(`r${n}`, 'x'))
  await history.storeInBackground(ROUTES, many, { operation: 'file' })
  assert.equal(history.size, 60)
  assert.deepEqual(await textsOf(history, 'r59'), [many[59]?.text])
  await history.finish(ROUTES, 'r59')
  const written = readdirSync(directory).filter((name) => !name.startsWith('.'))
  assert.ok(written.some((name) => name.includes('-r59-')))
  assert.ok(written.length < 60)
  await history.settled()
  assert.equal(readdirSync(directory).length, 60)
})

test('a version evicted before or during its write leaves no file', async () => {
  using folder = new Folder()
  const { history, directory } = open(folder.path, { versions: 2, files: 100, bytes: 10_000 })
  const writes = Array.from({ length: 10 }, (_, n) => history.storeNow(ROUTES, [route('now', `${n}`)], BY))
  await history.storeInBackground(
    ROUTES,
    Array.from({ length: 10 }, (_, n) => route('soon', `${n}`)),
    BY,
  )
  await Promise.all(writes)
  await history.settled()
  assert.equal(readdirSync(directory).length, 4)
  assert.deepEqual(await textsOf(history, 'now'), [route('now', '9').text, route('now', '8').text])
})

test('no file is written after close', async () => {
  using folder = new Folder()
  const { history, directory } = open(folder.path)
  await history.storeInBackground(
    ROUTES,
    Array.from({ length: 50 }, (_, n) => route(`r${n}`, 'x')),
    BY,
  )
  await history.close()
  rmSync(directory, { recursive: true, force: true })
  await history.storeInBackground(ROUTES, [route('late', 'x')], BY)
  await history.storeNow(ROUTES, [route('late', 'y')], BY)
  await history.settled()
  assert.deepEqual(readdirSync(folder.path), [])
})

describe('F16: a version that can not be written', () => {
  test('stays in memory until the process ends, is counted, and logged once', async () => {
    using folder = new Folder({ history: 'a file, where a folder should be' })
    const { history, log, clock } = open(folder.path)
    const one = route('hello', 'one')
    await history.storeNow(ROUTES, [one], BY)
    await history.storeNow(ROUTES, [route('hello', 'two')], BY)
    assert.deepEqual(await textsOf(history, 'hello'), [route('hello', 'two').text, one.text])
    assert.equal(history.failures, 2)
    const warnings = () => log.entries.filter(({ message }) => /can not be written/.test(String(message)))
    assert.equal(warnings().length, 1)
    assert.equal(warnings()[0]?.['errno'], 'EEXIST')
    clock.advance(60_000)
    await history.storeNow(ROUTES, [route('hello', 'three')], BY)
    assert.deepEqual(warnings()[1]?.['suppressed'], 1)
  })

  test('does not affect stored versions', async () => {
    using folder = new Folder()
    const { history, directory } = open(folder.path)
    await history.storeNow(ROUTES, [route('hello', 'one')], BY)
    renameSync(directory, folder.in('aside'))
    writeFileSync(directory, '')
    await history.storeNow(ROUTES, [route('hello', 'two')], BY)
    rmSync(directory)
    renameSync(folder.in('aside'), directory)
    assert.equal((await textsOf(open(folder.path).history, 'hello')).length, 1)
  })
})

describe('F18: the gateway starts with any content of the folder', () => {
  test('foreign and invalid files are named in one warning, and not removed', async () => {
    using folder = new Folder()
    const { history, directory } = open(folder.path)
    await history.storeNow(ROUTES, [route('hello', 'one'), route('hello', 'two')], BY)
    const [first] = readdirSync(directory).sort() as [string]
    writeFileSync(join(directory, first), readFileSync(join(directory, first)).subarray(0, 50))
    writeFileSync(join(directory, 'notes.txt'), 'mine')
    mkdirSync(join(directory, '0000000009-folder-00000000.route'))

    const { history: again, log } = open(folder.path)
    assert.deepEqual(await textsOf(again, 'hello'), [route('hello', 'two').text])
    assert.equal(log.entries.length, 1)
    assert.deepEqual([log.entries[0]?.level, log.entries[0]?.['files']], ['warn', 3])
    assert.equal(readdirSync(directory).length, 4)
    await again.storeNow(ROUTES, [route('hello', 'three')], BY)
    assert.equal((await textsOf(open(folder.path).history, 'hello')).length, 2)
  })

  test('partial writes of a crash are removed', async () => {
    using folder = new Folder({ 'history/.0000000001-a-00000000.route.0123456789abcdef.tmp': '{' })
    const { history, log, directory } = open(folder.path)
    await history.load()
    assert.deepEqual([readdirSync(directory), log.lines], [[], []])
  })

  test('a folder that can not be read is an empty history', async () => {
    using folder = new Folder({ history: '' })
    const { history, log } = open(folder.path)
    await history.load()
    assert.equal(history.size, 0)
    assert.match(log.lines.join(), /ENOTDIR/)
  })

  test('a text that does not match its revision is not returned', async () => {
    using folder = new Folder()
    const { history, directory } = open(folder.path)
    await history.storeNow(ROUTES, [route('hello', 'one')], BY)
    const file = join(directory, readdirSync(directory)[0] as string)
    writeFileSync(file, readFileSync(file, 'utf8').replace('"one"', '"two"'))
    const { history: again, log } = open(folder.path)
    assert.deepEqual(await textsOf(again, 'hello'), [null])
    assert.deepEqual([again.size, log.entries[0]?.['reason']], [0, 'its text does not match its revision'])
  })

  test('a version whose file is missing is removed from the list', async () => {
    using folder = new Folder()
    const { history, directory } = open(folder.path)
    await history.storeNow(ROUTES, [route('hello', 'one')], BY)
    rmSync(directory, { recursive: true })
    assert.deepEqual(await textsOf(history, 'hello'), [null])
    assert.deepEqual(await textsOf(history, 'hello'), [])
  })
})

test('a text that is not JSON is stored unchanged', async () => {
  using folder = new Folder()
  const text = '{ "half": '
  const { history } = open(folder.path)
  await history.storeNow(ROUTES, [{ id: 'x', file: 'x.json', revision: revisionOf({ text }), text }], BY)
  assert.deepEqual(await textsOf(open(folder.path).history, 'x'), [text])
})
