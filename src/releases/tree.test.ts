// Differences and edits of trees, compared with the same on plain maps.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  type Content,
  type ContentEntry,
  contentOf,
  differencesOf,
  type PathDifference,
  ReleaseError,
  type ReleaseRecord,
  Tree,
} from '#releases'
import { type Shard, shardOf } from './shard.ts'
import { editTree, entryIn, shardsToRead } from './tree-edit.ts'

type Entries = ReadonlyMap<string, ContentEntry>

const entry = fc.nat(3).map((at): ContentEntry => {
  const { hash, bytes }: Content = contentOf('x'.repeat(at))
  return { hash, bytes }
})
const path = fc.oneof(
  fc.nat(300).map((at) => `config/routes/r${at}.json`),
  fc.nat(5).map((at) => `scripts/s${at}`),
  fc.nat(5).map((at) => `scripts/s${at}/a`),
  fc.constant('config/config.json'),
)
const changes = fc.array(fc.tuple(path, fc.option(entry)), { maxLength: 6 }).map((list) => new Map(list))

function recordOf(tree: Tree): ReleaseRecord {
  const { reference } = tree.reference()
  const { files, bytes } = tree
  return { number: 1, parent: null, write: '', author: '', created: '', note: null, files, bytes, tree: reference }
}

function edited(before: Entries, edits: ReadonlyMap<string, ContentEntry | null>): Map<string, ContentEntry> {
  const after = new Map(before)
  for (const [each, value] of edits) {
    if (value === null) after.delete(each)
    else after.set(each, value)
  }
  return after
}

/** Entries of `count` routes. */
function routes(count: number): Map<string, ContentEntry> {
  return new Map(
    Array.from({ length: count }, (_, at) => [`config/routes/r${at}.json`, { hash: contentOf('').hash, bytes: 0 }]),
  )
}

function outcome<T>(action: () => T): T | string {
  try {
    return action()
  } catch (error) {
    if (error instanceof ReleaseError) return error.kind
    throw error
  }
}

test('an edit of some paths makes the tree that all entries would make, and reads only what it needs', () => {
  fc.assert(
    fc.property(fc.constantFrom(0, 3, 199, 200, 260), changes, (count, edits) => {
      const before = routes(count)
      const tree = Tree.of('k', before)
      const record = recordOf(tree)
      const toRead = shardsToRead(record, edits.keys())
      const isScript = [...edits.keys()].some((each) => each.startsWith('scripts/'))
      if (!isScript) assert.ok(toRead.size <= edits.size)
      const shards = new Map([...toRead.keys()].map((id) => [id, tree.shards.get(id) as Shard]))
      for (const each of edits.keys()) assert.deepEqual(entryIn(record, shards, each), tree.get(each) ?? null)
      const expected = outcome(() => Tree.of('k', edited(before, edits)))
      const found = outcome(() => editTree('k', record, shards, edits))
      if (typeof expected === 'string' || typeof found === 'string') return assert.equal(found, expected)
      assert.deepEqual([found.files, found.bytes], [expected.files, expected.bytes])
      if ('entries' in found.tree)
        return assert.deepEqual(new Map([...found.tree.entries].sort()), new Map([...expected].sort()))
      const ids = [...expected.shards].map(([id, { content }]) => [id, content.hash])
      assert.deepEqual([...found.tree.shards].map(([id, { hash }]) => [id, hash]).sort(), ids.sort())
      // Every shard that the tree before did not have is among the contents.
      const known = new Set([...tree.shards.values()].map(({ content }) => content.hash))
      const added = new Set(found.contents.map(({ hash }) => hash))
      if (count > 200) for (const { hash } of found.tree.shards.values()) assert.ok(known.has(hash) || added.has(hash))
    }),
    { numRuns: 100 },
  )
})

test('differences are the paths whose hashes differ, sorted', () => {
  fc.assert(
    fc.property(fc.constantFrom(0, 250), changes, changes, (count, first, second) => {
      const routesOnly = (all: typeof first) => new Map([...all].filter(([each]) => each.endsWith('.json')))
      const a = edited(routes(count), routesOnly(first))
      const b = edited(a, routesOnly(second))
      const expected: PathDifference[] = [...new Set([...a.keys(), ...b.keys()])]
        .sort()
        .map((each) => ({ path: each, before: a.get(each) ?? null, after: b.get(each) ?? null }))
        .filter(({ before, after }) => before?.hash !== after?.hash)
      assert.deepEqual(differencesOf(Tree.of('k', a), Tree.of('k', b)), expected)
    }),
    { numRuns: 60 },
  )
})

test('one changed file of 10,000 changes one shard', () => {
  const before = routes(10_000)
  const tree = Tree.of('k', before)
  const changed = 'config/routes/r77.json'
  const after = Tree.of('k', edited(before, new Map([[changed, contentOf('x')]])))
  assert.equal(tree.shards.size, 256)
  const differing = [...after.shards].filter(([id, { content }]) => tree.shards.get(id)?.content.hash !== content.hash)
  assert.deepEqual(
    differing.map(([id]) => id),
    [shardOf(changed)],
  )
  const largest = Math.max(...[...tree.shards.values()].map(({ content }) => content.bytes))
  assert.ok(largest < 16 * 1024, `${largest} bytes`)
  assert.equal(differencesOf(tree, Tree.EMPTY).length, 10_000)
})
