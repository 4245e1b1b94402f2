// Records, trees and pointers: what is written is read again, and every bad value has an error that says what is wrong.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  contentOf,
  type Divergence,
  decodePointer,
  divergenceOf,
  encodePointer,
  includesLabels,
  type Labels,
  type LocalState,
  labelsProblem,
  type Pointer,
  pathProblem,
  ReleaseError,
  type ReleaseErrorKind,
  type ReleaseRecord,
  StoreKeys,
  Tree,
  wantedRelease,
} from '#releases'
import { checkTotals, decodeRecord, encodeRecord, fittingAuthor, fittingNote } from './release-record.ts'
import { decodeShard, Shard, shardOf } from './shard.ts'

const MAX = 64 * 1024 * 1024
const WRITE = '0b6b2b0e-6b0d-4c39-9b4e-2f1f6a1c7a11'
const STORE = '7f1f2a52-95e0-4a39-8a39-0a1f2f8f1b22'
const KEY = '/identity-gateway/releases/0000000012'
const HASH = contentOf('{}').hash

function record(tree: Tree): ReleaseRecord {
  return {
    number: 12,
    parent: 11,
    write: WRITE,
    author: 'demo',
    created: '2026-01-31T23:59:59.000Z',
    note: 'a note\nof two lines',
    files: tree.files,
    bytes: tree.bytes,
    tree: tree.reference().reference,
  }
}

function routes(count: number): Tree {
  const entries = Array.from(
    { length: count },
    (_, at) => [`config/routes/r${at}.json`, contentOf(`{"a":${at}}`)] as const,
  )
  return Tree.of('test', entries)
}

function fails(kind: ReleaseErrorKind, message: RegExp, action: () => unknown): void {
  assert.throws(action, (error) => {
    assert.ok(error instanceof ReleaseError, String(error))
    assert.equal(error.kind, kind, error.message)
    assert.match(error.message, message)
    return true
  })
}

/** A record of one file as JSON, with changed members; `undefined` removes one. */
function recordWith(changes: object): Buffer {
  const good = JSON.parse(String(encodeRecord(record(routes(1)))))
  return Buffer.from(JSON.stringify({ ...good, ...changes }))
}

function pointerWith(changes: object): Buffer {
  return Buffer.from(
    JSON.stringify({
      ...JSON.parse(String(encodePointer({ store: STORE, release: 12, last: 14, staged: null }))),
      ...changes,
    }),
  )
}

test('records of few files have the entries, and of many the shards; both are read as written', () => {
  for (const count of [0, 1, 200, 201]) {
    const written = record(routes(count))
    assert.equal('entries' in written.tree, count <= 200)
    assert.deepEqual(decodeRecord(KEY, encodeRecord(written), 12, MAX), written)
  }
})

test('author and note fit into a record, and its counts have to be those of its tree', () => {
  const author = fittingAuthor(`${'x'.repeat(255)}\u{1f600}`)
  const written = { ...record(routes(201)), author, note: fittingNote('n'.repeat(5000)) }
  const found = decodeRecord(KEY, encodeRecord(written), 12, MAX)
  assert.equal(found.author, `${'x'.repeat(255)}\ufffd`)
  assert.equal(found.note?.length, 4096)
  assert.equal(fittingNote(''), null)
  fails('not-a-manifest', /0 files of 0 bytes, the record says 201/, () =>
    checkTotals(KEY, found, { files: 0, bytes: 0 }),
  )
})

test('a shard has the same content for the same entries in any order, and is read as written', () => {
  const paths = ['scripts/a.js', 'scripts/b.js']
  const of = (order: string[]) => new Shard(new Map(order.map((path) => [path, contentOf(path)]))).content
  assert.deepEqual(of(paths), of(paths.toReversed()))
  const { data } = new Shard(new Map([['scripts/a.js', { hash: HASH, bytes: 2 }]])).content
  assert.deepEqual(
    [...decodeShard('k', shardOf('scripts/a.js'), data, MAX).entries],
    [['scripts/a.js', { hash: HASH, bytes: 2 }]],
  )
  fails('not-a-manifest', /path "scripts\/a.js" is of shard/, () => decodeShard('k', '00', data, MAX))
})

test('a value that is not the record of a release is rejected with what was expected', () => {
  const decode = (data: Buffer) => () => decodeRecord(KEY, data, 12, MAX)
  fails('not-a-manifest', /0000000012: expected the record of a release as JSON: line 1/, decode(Buffer.from('hello')))
  fails('not-a-manifest', /as JSON:.*not valid/, decode(Buffer.from([0x22, 0xff, 0x22])))
  fails('not-a-manifest', /as a JSON object, found \["x"\]/, decode(Buffer.from('["x"]')))
  fails('not-a-manifest', /given twice/, decode(Buffer.from('{"format":1,"format":1}')))
  fails('not-a-manifest', /expected 1 as "format".*found nothing/, decode(recordWith({ format: undefined })))
  fails('not-a-manifest', /unknown member "more"/, decode(recordWith({ more: 1 })))
  fails('not-a-manifest', /expected 12 as "number".*found 13/, decode(recordWith({ number: 13 })))
  fails('not-a-manifest', /"parent"/, decode(recordWith({ parent: 0 })))
  fails('not-a-manifest', /a UUID.*"write"/, decode(recordWith({ write: 'x' })))
  fails('not-a-manifest', /"author"/, decode(recordWith({ author: 'x'.repeat(257) })))
  fails('not-a-manifest', /"created"/, decode(recordWith({ created: 'yesterday' })))
  fails('not-a-manifest', /"note"/, decode(recordWith({ note: 5 })))
  fails('not-a-manifest', /1 files of 7 bytes, the record says 2 of 7/, decode(recordWith({ files: 2 })))
  fails(
    'not-a-manifest',
    /the tree of a release as a JSON object, found nothing/,
    decode(recordWith({ tree: undefined })),
  )
  fails('not-a-manifest', /unknown member "shards"/, decode(recordWith({ tree: { entries: {}, shards: {} } })))
  fails('not-a-manifest', /only ids from 00 to ff/, decode(recordWith({ tree: { shards: { '0g': [HASH, 1] } } })))
  fails('not-a-manifest', /\[SHA-256 in hex, number of bytes\]/, decode(treeOf({ 'scripts/a': ['abc', 1] })))
  fails('not-a-manifest', /\[SHA-256 in hex, number of bytes\]/, decode(treeOf({ 'scripts/a': [HASH, -1] })))
  fails('not-a-manifest', /\[SHA-256 in hex, number of bytes\]/, decode(treeOf({ 'scripts/a': [HASH, 1, 1] })))
  fails('not-a-manifest', /at most 200 entries/, decode(treeOf(manyEntries())))
})

function treeOf(entries: object): Buffer {
  return recordWith({ tree: { entries } })
}

function manyEntries(): object {
  return Object.fromEntries(Array.from({ length: 201 }, (_, at) => [`scripts/${at}`, [HASH, 2]]))
}

test('a newer format says to upgrade, whatever else the value has', () => {
  const upgrade = /has format 2, this gateway reads format 1; upgrade this gateway/
  fails('newer-format', upgrade, () => decodeRecord(KEY, Buffer.from('{"format":2,"packs":[]}'), 12, MAX))
  fails('newer-format', upgrade, () => decodePointer('/p/current', pointerWith({ format: 2, more: [] })))
})

test('sizes beyond their limits are rejected', () => {
  const text = Buffer.alloc(513 * 1024, ' ')
  fails('too-large', /has 525312 bytes, more than 524288/, () => decodeRecord(KEY, text, 12, MAX))
  fails('too-large', /100000000 bytes, more than maxReleaseSize/, () =>
    decodeRecord(KEY, recordWith({ bytes: 100_000_000 }), 12, MAX),
  )
  fails('too-large', /"scripts\/a" has 100000000 bytes/, () =>
    decodeRecord(KEY, treeOf({ 'scripts/a': [HASH, 100_000_000] }), 12, MAX),
  )
  const shard = recordWith({ tree: { shards: { '00': [HASH, 2 ** 21] } } })
  fails('too-large', /"00" has 2097152 bytes, more than 1048576/, () => decodeRecord(KEY, shard, 12, MAX))
})

test('paths that lead out of the folder, are hidden or belong to a machine are rejected', () => {
  const rejected: Record<string, RegExp> = {
    '../etc/passwd': /"\.\."/,
    'config/routes/../../admin.json': /"\.\."/,
    'scripts/./a.js': /"\."/,
    '/etc/passwd': /absolute/,
    'scripts//a.js': /empty segment/,
    'scripts/': /empty segment/,
    'scripts\\a.js': /backslash/,
    'scripts/a\0.js': /control character/,
    'scripts/a\n.js': /control character/,
    'scripts/.hidden': /starts with a dot/,
    'scripts/\ud800': /well-formed/,
    [`scripts/${'x'.repeat(256)}`]: /longer than 255/,
    [`scripts/${'x/'.repeat(600)}y`]: /longer than 1024/,
    'config/admin.json': /expected config\/config.json/,
    'secrets/key': /expected config\/config.json/,
    'config/routes': /expected config\/config.json/,
    scripts: /expected config\/config.json/,
    'config/routes/a.txt': /end in \.json/,
    'config/routes/a.json/b.json': /as only files may/,
    '': /empty segment/,
  }
  for (const [path, problem] of Object.entries(rejected)) {
    assert.match(pathProblem(path) ?? 'allowed', problem, path)
    fails('path', /path "/, () => decodeRecord(KEY, treeOf({ [path]: [HASH, 2] }), 12, MAX))
  }
  for (const path of [
    'config/config.json',
    'config/routes/a.json',
    'config/routes/x/y/ä b.json',
    'scripts/groovy/A.groovy',
  ]) {
    assert.equal(pathProblem(path), null, path)
  }
})

test('a path that is a folder of another is rejected', () => {
  const entry = { hash: HASH, bytes: 2 }
  const entries = [['scripts/a/b', entry] as const, ['scripts/a', entry] as const]
  fails('path', /"scripts\/a": is also a folder, of "scripts\/a\/b"/, () => Tree.of('release 3', entries))
})

test('a pointer is read as written, and rejected with what was expected', () => {
  const only = { stage: 'canary' }
  for (const staged of [null, { release: 13, only }]) {
    const pointer = { store: STORE, release: 12, last: 14, staged }
    assert.deepEqual(decodePointer('k', encodePointer(pointer)), pointer)
  }
  const decode = (changes: object) => () => decodePointer('/p/current', pointerWith(changes))
  fails(
    'not-a-manifest',
    /\/p\/current: expected an integer from 1 to 14 as "release".*found 15/,
    decode({ release: 15 }),
  )
  fails('not-a-manifest', /"release"/, decode({ release: 1.5 }))
  fails('not-a-manifest', /a UUID/, decode({ store: 'x' }))
  fails('not-a-manifest', /from 13 to 14 as "release" of the staged release/, decode({ staged: { release: 12, only } }))
  fails('not-a-manifest', /1 to 64 labels/, decode({ staged: { release: 13, only: {} } }))
  fails('not-a-manifest', /"stage" of labels, found 1/, decode({ staged: { release: 13, only: { stage: 1 } } }))
  fails('not-a-manifest', /found nothing/, decode({ staged: undefined }))
})

test('a staged release is wanted by instances that have all of its labels', () => {
  const staged: Pointer = { store: STORE, release: 12, last: 13, staged: { release: 13, only: { stage: 'canary' } } }
  const canary: Labels = { stage: 'canary', zone: 'a' }
  assert.equal(wantedRelease(staged, canary), 13)
  assert.equal(wantedRelease(staged, { zone: 'a' }), 12)
  assert.equal(wantedRelease({ ...staged, staged: null }, canary), 12)
  assert.equal(includesLabels({}, JSON.parse('{"constructor":"x"}')), false)
  assert.match(labelsProblem({}) ?? '', /labels/)
  assert.equal(labelsProblem(canary), null)
})

test('a store that contradicts the local state is recognized', () => {
  const local: LocalState = { store: STORE, release: 12, write: WRITE }
  const pointer = { store: STORE, release: 12, last: 12, staged: null }
  const kindOf = (found: Pointer | null, write: string | null): Divergence['kind'] | null =>
    divergenceOf(local, found, write)?.kind ?? null
  assert.equal(kindOf(pointer, WRITE), null)
  assert.equal(kindOf({ ...pointer, release: 14, last: 14 }, null), null)
  assert.equal(kindOf(null, null), 'empty')
  assert.equal(kindOf({ ...pointer, store: WRITE }, WRITE), 'other-store')
  assert.equal(kindOf({ ...pointer, release: 10, last: 11 }, null), 'older')
  assert.equal(kindOf(pointer, STORE), 'other-write')
  assert.equal(kindOf({ ...pointer, release: 20, last: 20 }, STORE), 'other-write')
  // The staged release that this instance serves was dropped.
  assert.equal(kindOf({ ...pointer, release: 11, last: 12 }, WRITE), null)
  assert.match(divergenceOf(local, null, null)?.reason ?? '', /decide by "gateway push" or "gateway release adopt"/)
})

test('keys sort as their numbers, and large contents have parts', () => {
  const keys = new StoreKeys('/identity-gateway/')
  assert.equal(keys.current, '/identity-gateway/current')
  assert.equal(keys.release(12), '/identity-gateway/releases/0000000012')
  assert.equal(keys.numberOf(keys.release(12)), 12)
  assert.equal(keys.numberOf(`${keys.releases}latest`), null)
  assert.equal(keys.instance('a'), '/identity-gateway/instances/a')
  assert.deepEqual(keys.parts({ hash: HASH, bytes: 2 ** 20 }), [{ key: `${keys.contents}${HASH}`, bytes: 2 ** 20 }])
  const parts = keys.parts({ hash: HASH, bytes: 2 ** 20 + 1 })
  assert.deepEqual(
    parts.map(({ key, bytes }) => [key.slice(-2), bytes]),
    [
      ['.0', 2 ** 20],
      ['.1', 1],
    ],
  )
  assert.equal(keys.hashOf(parts[1]!.key), HASH)
  assert.equal(keys.hashOf(`${keys.contents}x`), null)
})
