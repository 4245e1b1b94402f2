// Mutated records, shards, pointers and changes of commits: decoding returns a value that is safe to use, or throws a ReleaseError of one line.
// `npm run fuzz -- releases` runs it with new seeds.
import assert from 'node:assert/strict'
import { posix } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { contentOf, decodePointer, encodePointer, ReleaseError, Tree } from '#releases'
import { decodeChange } from './commit-change.ts'
import { decodeRecord, encodeRecord } from './release-record.ts'
import { decodeShard, shardOf } from './shard.ts'

const MAX = 64 * 1024 * 1024
const UUID = '0b6b2b0e-6b0d-4c39-9b4e-2f1f6a1c7a11'
const RUNS = Number(process.env['FUZZ_RUNS'] ?? 400)

const path = fc.oneof(
  fc.constantFrom(
    'config/config.json',
    'config/routes/a.json',
    'scripts/a',
    'scripts/a/b',
    '../x',
    '/x',
    'scripts/../x',
  ),
  fc
    .array(fc.constantFrom('..', '.', 'a', 'config', 'routes', 'scripts', '\0', '\\', 'a.json', '', 'ä'), {
      maxLength: 6,
    })
    .map((s) => s.join('/')),
  fc.string({ unit: 'binary', maxLength: 40 }).map((name) => `scripts/${name}`),
)

const hash = fc.string({ maxLength: 8 }).map((text) => contentOf(text).hash)
const entry = fc.oneof(
  { weight: 8, arbitrary: fc.tuple(hash, fc.nat(1000)) as fc.Arbitrary<unknown> },
  fc.jsonValue({ maxDepth: 2 }),
)
const entries = fc.dictionary(path, entry, { maxKeys: 8, noNullPrototype: true })

/** A valid value with some members replaced, added or removed. */
function mutated(valid: fc.Arbitrary<Record<string, unknown>>): fc.Arbitrary<Buffer> {
  const changes = fc.oneof(
    { weight: 2, arbitrary: fc.constant({}) },
    fc.dictionary(
      fc.oneof(
        valid.chain((value) => fc.constantFrom(...Object.keys(value))),
        fc.string(),
      ),
      fc.oneof(
        fc.jsonValue({ maxDepth: 3 }),
        fc.constant(undefined),
        fc.maxSafeInteger(),
        fc.constantFrom(1e300, -0, 2),
      ),
      { maxKeys: 2, noNullPrototype: true },
    ),
  )
  const texts = fc.tuple(valid, changes).map(([value, other]) => Buffer.from(JSON.stringify({ ...value, ...other })))
  return fc.oneof(
    { weight: 3, arbitrary: texts },
    texts.chain(damaged),
    fc.uint8Array({ maxLength: 200 }).map((b) => Buffer.from(b)),
  )
}

/** Bytes overwritten, cut off or repeated. */
function damaged(data: Buffer): fc.Arbitrary<Buffer> {
  const at = fc.nat(data.length)
  return fc.oneof(
    fc.tuple(at, fc.uint8Array({ maxLength: 4 })).map(([start, bytes]) => {
      const copy = Buffer.from(data)
      copy.set(bytes.subarray(0, Math.max(0, copy.length - start)), start)
      return copy
    }),
    at.map((end) => data.subarray(0, end)),
    fc.tuple(at, at).map(([a, b]) => Buffer.concat([data.subarray(0, a), data.subarray(Math.min(a, b))])),
  )
}

const records = mutated(
  fc
    .record({
      format: fc.constant(1),
      number: fc.constant(12),
      parent: fc.option(fc.nat(11), { nil: null }),
      write: fc.constant(UUID),
      author: fc.string({ unit: 'binary' }),
      created: fc.constant('2026-01-31T23:59:59Z'),
      note: fc.option(fc.string(), { nil: null }),
      files: fc.constant(0),
      bytes: fc.constant(0),
      tree: fc.oneof(
        fc.record({ entries }),
        fc.record({
          shards: fc.dictionary(fc.stringMatching(/^[0-9a-g]{2}$/), entry, { maxKeys: 4, noNullPrototype: true }),
        }),
      ),
    })
    .map((record) => ({ ...record, ...totalsOf(record.tree) })),
)

/** Counts that fit, so that records of any entries are accepted. */
function totalsOf(tree: { entries: object } | { shards: object }): { files: number; bytes: number } {
  const sizes = 'entries' in tree ? Object.values(tree.entries).map((each) => (Array.isArray(each) ? each[1] : 0)) : []
  return { files: sizes.length, bytes: sizes.reduce((sum, size) => sum + (typeof size === 'number' ? size : 0), 0) }
}

const pointers = mutated(
  fc.record({
    format: fc.constant(1),
    store: fc.constant(UUID),
    release: fc.nat(20),
    last: fc.nat(20),
    staged: fc.oneof(
      fc.constant(null),
      fc.record({ release: fc.nat(20), only: fc.dictionary(fc.string(), fc.string(), { noNullPrototype: true }) }),
    ),
  }),
)

/** The decoded value, or null after a ReleaseError. */
function decoded<T>(decode: () => T): T | null {
  try {
    return decode()
  } catch (error) {
    assert.ok(error instanceof ReleaseError, `${(error as Error).stack}`)
    assert.doesNotMatch(error.message, /[\0-\x1f]/, 'a message is one line')
    assert.ok(error.message.length < 800, error.message)
    return null
  }
}

function assertInside(paths: Iterable<string>): void {
  for (const each of paths) {
    assert.equal(posix.resolve('/r', each), `/r/${each}`)
    assert.match(each, /^(?:config\/config\.json|config\/routes\/.*\.json|scripts\/.+)$/)
    assert.doesNotMatch(each, /[\0\\]|(?:^|\/)\./)
  }
}

test('any record is decoded to what it encodes again, with paths inside of their folders, or rejected', () => {
  let [accepted, filled] = [0, 0]
  fc.assert(
    fc.property(records, (data) => {
      const record = decoded(() => decodeRecord('k', data, 12, MAX))
      if (record === null) return
      accepted++
      if ('entries' in record.tree) {
        if (record.tree.entries.size > 0) filled++
        assertInside(record.tree.entries.keys())
      }
      assert.deepEqual(decodeRecord('k', encodeRecord(record), 12, MAX), record)
    }),
    { numRuns: RUNS },
  )
  assert.ok(accepted > 0 && filled > 0, 'no mutation was accepted: the test would check nothing')
})

test('any pointer is decoded to what it encodes again, or rejected', () => {
  let accepted = 0
  fc.assert(
    fc.property(pointers, (data) => {
      const pointer = decoded(() => decodePointer('k', data))
      if (pointer === null) return
      accepted++
      assert.ok(pointer.last >= pointer.release && pointer.last >= (pointer.staged?.release ?? 1))
      assert.deepEqual(decodePointer('k', encodePointer(pointer)), pointer)
    }),
    { numRuns: RUNS },
  )
  assert.ok(accepted > 0, 'no mutation was accepted: the test would check nothing')
})

const changes = mutated(
  fc.record({
    format: fc.constant(1),
    release: fc.nat(20),
    record: fc.string(),
    contents: fc.oneof(
      fc
        .array(fc.string({ maxLength: 8 }))
        .map((texts) => Object.fromEntries(texts.map((text) => [contentOf(text).hash, text]))),
      fc.dictionary(hash, fc.oneof(fc.string({ maxLength: 8 }), fc.jsonValue({ maxDepth: 1 })), {
        noNullPrototype: true,
      }),
    ),
  }),
)

test('any change of a commit is decoded to contents with their hashes, or rejected', () => {
  let filled = 0
  fc.assert(
    fc.property(changes, (data) => {
      const change = decoded(() => decodeChange('k', data))
      if (change === null) return
      assert.ok(change.release >= 1)
      for (const [key, content] of change.contents) {
        filled++
        assert.equal(contentOf(content).hash, key)
      }
    }),
    { numRuns: RUNS },
  )
  assert.ok(filled > 0, 'no content was accepted: the test would check nothing')
})

test('any shard is decoded to entries of its own paths, or rejected', () => {
  fc.assert(
    fc.property(mutated(fc.record({ entries })), fc.integer({ min: -1, max: 7 }), (data, at) => {
      // The shard of one of the paths, where the value has any.
      const paths = Object.keys(JSON.parse(validEntries(data))?.entries ?? {})
      const id = shardOf(paths[at] ?? 'scripts/a')
      const shard = decoded(() => decodeShard('k', id, data, MAX))
      if (shard === null) return
      assertInside(shard.entries.keys())
      assert.deepEqual([...decodeShard('k', id, shard.content.data, MAX).entries].sort(), [...shard.entries].sort())
    }),
    { numRuns: RUNS },
  )
})

function validEntries(data: Buffer): string {
  try {
    const value = JSON.parse(data.toString())
    return typeof value?.entries === 'object' ? data.toString() : '{}'
  } catch {
    return '{}'
  }
}

test('a tree of any paths has no file that is a folder of another, or is rejected', () => {
  fc.assert(
    fc.property(fc.array(path, { maxLength: 12 }), (paths) => {
      const tree = decoded(() =>
        Tree.of(
          'k',
          paths.map((each) => [each, { hash: contentOf('').hash, bytes: 0 }] as const),
        ),
      )
      if (tree === null) return
      const all = [...tree].map(([each]) => each)
      assertInside(all)
      for (const a of all) for (const b of all) assert.ok(!b.startsWith(`${a}/`), `${a} and ${b}`)
    }),
    { numRuns: RUNS },
  )
})
