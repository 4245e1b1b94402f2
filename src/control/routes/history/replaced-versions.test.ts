import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { createLogger } from '#logging'
import { manualClock } from '#test/build'
import { Folder } from '#test/folder'
import { parseRouteFile, type RouteFile } from '../route-files.ts'
import type { ServedRoute } from '../route-plan.ts'
import { ReplacedVersions } from './replaced-versions.ts'
import { RouteHistory } from './route-history.ts'

class FolderWithHistory extends Folder {
  readonly all = new RouteHistory({
    instance: this.path,
    directory: join(this.path, 'history'),
    logger: createLogger({ level: 'silent' }),
    clock: manualClock(),
  })
  readonly versions = new ReplacedVersions(this.all, join(this.path, 'config/routes'))

  /** Handlers of the versions of a route, the newest first, with the operation that replaced each. */
  async of(id: string): Promise<string[]> {
    await this.all.settled()
    const kept = this.versions.versions(id)
    const texts = await Promise.all(kept.map((version) => this.versions.read(version)))
    return texts.map((text, at) => {
      const handler = /"handler":"(\w+)"/.exec(text ?? '')?.[1] ?? text
      return `${handler} ${kept[at]?.head.replacedBy.operation}`
    })
  }
}

function file(name: string, handler: string, fields: object = {}): RouteFile {
  return parseRouteFile(`${name}.json`, JSON.stringify({ handler, ...fields }), '')
}

const filesOf = (...files: RouteFile[]) => new Map(files.map((one) => [one.file, one]))

function serving(...files: RouteFile[]): Map<string, ServedRoute> {
  return new Map(
    files.map(({ file: name, text, route }) => {
      if (route === null) throw new Error('expected a readable route')
      const { id, name: routeName, revision } = route
      return [id, { source: { file: name, id, name: routeName, revision, text }, file: name }]
    }),
  )
}

const UPDATE = { operation: 'update' }

test('a version replaced or removed outside the API is stored once', async () => {
  using past = new FolderWithHistory()
  const served = serving(file('a', 'one'), file('b', 'one'), file('c', 'one'))
  const files = filesOf(file('a', 'two'), file('c', 'one'))
  past.versions.storeReplaced(files, served)
  past.versions.storeReplaced(files, served)
  assert.deepEqual(await past.of('a'), ['one file'])
  assert.deepEqual(await past.of('b'), ['one file'])
  assert.deepEqual(await past.of('c'), [])
  assert.equal(past.all.size, 2)
})

test('the served version is stored as soon as its file is invalid, since a restart would lose it', async () => {
  using past = new FolderWithHistory()
  const served = serving(file('a', 'one'))
  past.versions.storeReplaced(filesOf(parseRouteFile('a.json', '{ broken', '')), served)
  assert.deepEqual(await past.of('a'), ['one file'])
  past.versions.storeReplaced(filesOf(parseRouteFile('a.json', '{ still broken', '')), served)
  assert.deepEqual(await past.of('a'), ['one file'])
})

test('a version that was never served is not stored when its file is changed outside the API', async () => {
  using past = new FolderWithHistory()
  const served = serving(file('a', 'one'))
  past.versions.storeReplaced(filesOf(file('a', 'two')), served)
  past.versions.storeReplaced(filesOf(file('a', 'three')), served)
  assert.deepEqual(await past.of('a'), ['one file'])
})

test('a renamed or reformatted file is the same version', async () => {
  using past = new FolderWithHistory()
  const served = serving(file('a', 'one', { _id: 'x' }), file('b', 'one'))
  const reordered = parseRouteFile('b.json', '{\n"handler":   "one"\n}', '')
  past.versions.storeReplaced(filesOf(file('renamed', 'one', { _id: 'x' }), reordered), served)
  assert.equal(past.all.size, 0)
})

test('a changed id in a file stores the version of the route with the old id', async () => {
  using past = new FolderWithHistory()
  past.versions.storeReplaced(filesOf(file('a', 'one', { _id: 'new' })), serving(file('a', 'one', { _id: 'old' })))
  assert.deepEqual(await past.of('old'), ['one file'])
  assert.deepEqual(await past.of('new'), [])
})

test('before an edit is written, the replaced version is on disk', async () => {
  using past = new FolderWithHistory()
  const old = file('a', 'one')
  await past.versions.storeBeforeEdit(
    { file: 'a.json', next: file('a', 'two'), by: UPDATE },
    filesOf(old),
    serving(old),
  )
  assert.equal(past.versions.versions('a')[0]?.text, null)
  assert.deepEqual(await past.of('a'), ['one update'])
})

test('an edit without a change, and one of a new file, store no version', async () => {
  using past = new FolderWithHistory()
  const old = file('a', 'one')
  await past.versions.storeBeforeEdit(
    { file: 'a.json', next: file('a', 'one'), by: UPDATE },
    filesOf(old),
    serving(old),
  )
  await past.versions.storeBeforeEdit(
    { file: 'b.json', next: file('b', 'one'), by: UPDATE },
    filesOf(old),
    serving(old),
  )
  assert.equal(past.all.size, 0)
})

test('an edit of a file that was just changed outside the API stores that content too, also if it is not JSON', async () => {
  using past = new FolderWithHistory()
  const served = serving(file('a', 'one'), file('b', 'one'))
  const files = filesOf(file('a', 'byHand'), parseRouteFile('b.json', '{ half', ''))
  await past.versions.storeBeforeEdit({ file: 'a.json', next: file('a', 'two'), by: UPDATE }, files, served)
  await past.versions.storeBeforeEdit({ file: 'b.json', next: null, by: { operation: 'delete' } }, files, served)
  assert.deepEqual(await past.of('a'), ['byHand update', 'one update'])
  assert.deepEqual(await past.of('b'), ['{ half delete', 'one delete'])
})

test('the content of a file with the id of another route is a version of the route that it is served as', async () => {
  using past = new FolderWithHistory()
  const foreign = file('b', 'one', { _id: 'a' })
  const next = file('b', 'two', { _id: 'b' })
  await past.versions.storeBeforeEdit(
    { file: 'b.json', next, id: 'b', by: UPDATE },
    filesOf(foreign),
    serving(file('a', 'x')),
  )
  assert.deepEqual(await past.of('b'), ['one update'])
  assert.deepEqual(await past.of('a'), [])
})

test('a version already stored by a scan is not stored again by an edit, and is on disk before the edit', async () => {
  using past = new FolderWithHistory()
  const served = serving(file('a', 'one'))
  const files = filesOf(file('a', 'failing'))
  past.versions.storeReplaced(files, served)
  await past.versions.storeBeforeEdit({ file: 'a.json', next: file('a', 'two'), by: UPDATE }, files, served)
  assert.deepEqual(
    past.versions.versions('a').map(({ text }) => text),
    [null, null],
  )
  assert.deepEqual(await past.of('a'), ['failing update', 'one file'])
})

test('a version that is restored and replaced again is stored with the later time', async () => {
  using past = new FolderWithHistory()
  const one = file('a', 'one')
  const served = serving(one)
  past.versions.storeReplaced(filesOf(file('a', 'two')), served)
  past.versions.storeReplaced(filesOf(one), served)
  await past.versions.storeBeforeEdit({ file: 'a.json', next: file('a', 'three'), by: UPDATE }, filesOf(one), served)
  assert.deepEqual(await past.of('a'), ['one update'])
})
