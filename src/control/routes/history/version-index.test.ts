import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type StoredVersion, VersionIndex } from './version-index.ts'

let sequence = 0

function version(id: string, revision: string, bytes = 1, folder = 'routes'): StoredVersion {
  const replaced = { replacedAt: '', replacedBy: { operation: 'file' } }
  const head = { folder, file: `${id}.json`, id, revision, sourceRevision: null, ...replaced, bytes }
  return { head, name: `${++sequence}`, sequence, text: null }
}

const revisions = (versions: readonly StoredVersion[]) => versions.map(({ head }) => head.revision)

test('the newest versions of each route are retained', () => {
  const index = new VersionIndex({ versions: 3, files: 100, bytes: 100 })
  const gone = ['1', '2', '3', '4', '5'].flatMap((revision) => index.add(version('a', revision)))
  index.add(version('b', '1'))
  assert.deepEqual(revisions(gone), ['1', '2'])
  assert.deepEqual(revisions(index.versions('routes', 'a')), ['5', '4', '3'])
  assert.deepEqual(revisions(index.versions('routes', 'b')), ['1'])
  assert.equal(index.size, 4)
})

test('a repeated revision replaces the older entry', () => {
  const index = new VersionIndex({ versions: 3, files: 100, bytes: 100 })
  for (const revision of ['1', '2', '3']) index.add(version('a', revision))
  assert.deepEqual(revisions(index.add(version('a', '1'))), ['1'])
  assert.deepEqual(revisions(index.versions('routes', 'a')), ['1', '3', '2'])
})

test('over the total number or length, the oldest versions of all routes are evicted', () => {
  const byNumber = new VersionIndex({ versions: 3, files: 2, bytes: 100 })
  for (const id of ['a', 'b']) byNumber.add(version(id, id))
  assert.deepEqual(revisions(byNumber.add(version('c', 'c'))), ['a'])
  assert.deepEqual([...byNumber.ids('routes')], ['b', 'c'])

  const byLength = new VersionIndex({ versions: 3, files: 100, bytes: 100 })
  for (const id of ['a', 'b', 'c']) byLength.add(version(id, id, 33))
  assert.deepEqual(revisions(byLength.add(version('d', 'd', 60))), ['a', 'b'])
  assert.equal(byLength.bytes, 93)
  assert.deepEqual(revisions(byLength.add(version('e', 'e', 200))), ['c', 'd'], 'one stays, however long it is')
})

test('equal ids in other folders, and ids that differ by case, are different routes', () => {
  const index = new VersionIndex({ versions: 1, files: 100, bytes: 100 })
  for (const [folder, id] of [
    ['outer', 'a'],
    ['inner', 'a'],
    ['outer', 'A'],
    ['outer', '__proto__'],
  ] as const) {
    assert.deepEqual(index.add(version(id, '1', 1, folder)), [])
  }
  assert.deepEqual([...index.ids('outer')], ['a', 'A', '__proto__'])
  assert.deepEqual([...index.ids('inner')], ['a'])
  assert.deepEqual([...index.ids('none')], [])
})

test('removal is idempotent', () => {
  const index = new VersionIndex({ versions: 3, files: 100, bytes: 100 })
  const one = version('a', '1', 5)
  index.add(one)
  index.remove(one)
  index.remove(one)
  assert.deepEqual([index.size, index.bytes, index.has(one), [...index.ids('routes')]], [0, 0, false, []])
})
