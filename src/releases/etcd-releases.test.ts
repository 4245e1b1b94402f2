// Releases in a real etcd: making, reading, rolling back, staging, conflicts, divergence and removal.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { EtcdClient } from '#etcd'
import {
  contentOf,
  EtcdReleases,
  type LocalState,
  ReleaseError,
  type ReleaseOptions,
  type ReleaseOutcome,
  type ReleaseRecord,
  wantedRelease,
} from '#releases'
import { EtcdMember, etcdClient, etcdMissing } from '#test/etcd'
import { EtcdRelay, type Fate } from '#test/etcd-relay'
import { put, watching, write } from '#test/etcd-requests'
import { waitUntil, within } from '#test/waiting'

const clock = { now: () => Date.now(), monotonic: () => performance.now() }
const by = { author: 'demo', note: 'a test' }
const anywhere = { local: null }

const route = (at: number) => `config/routes/r${at}.json`
const routes = (count: number) => new Map(Array.from({ length: count }, (_, at) => [route(at), `{"route":${at}}`]))
const hashOf = (text: string) => contentOf(text).hash

describe('releases in etcd', { skip: etcdMissing }, () => {
  let member: EtcdMember
  let relay: EtcdRelay
  let etcd: EtcdClient
  let prefixes = 0

  before(async () => {
    member = await EtcdMember.start()
    relay = await EtcdRelay.start(member)
    etcd = etcdClient([relay.url])
  })
  after(async () => {
    await etcd?.[Symbol.asyncDispose]()
    await relay?.[Symbol.asyncDispose]()
    await member?.[Symbol.asyncDispose]()
  })

  /** Releases under a prefix of their own, or the one of another. */
  function releasesIn(options: Partial<ReleaseOptions> = {}): EtcdReleases {
    return new EtcdReleases(etcd, { prefix: `/test-${prefixes++}`, clock, ...options })
  }

  async function made(outcome: Promise<ReleaseOutcome>): Promise<number> {
    const found = await outcome
    assert.equal(found.state, 'done', JSON.stringify(found))
    return (found as { release: number }).release
  }

  async function recordOf(releases: EtcdReleases, number: number): Promise<ReleaseRecord> {
    const record = await releases.release(number)
    assert.ok(record, `release ${number}`)
    return record
  }

  async function filesOf(releases: EtcdReleases, number: number): Promise<Record<string, string>> {
    const tree = await releases.tree(await recordOf(releases, number))
    const texts = new Map<string, string>()
    for await (const { hash, data } of releases.contents([...tree].map(([, entry]) => entry)))
      texts.set(hash, `${data}`)
    return Object.fromEntries([...tree].map(([path, { hash }]) => [path, texts.get(hash) as string]).sort())
  }

  async function localOf(releases: EtcdReleases): Promise<LocalState> {
    const { pointer } = await releases.head()
    assert.ok(pointer)
    const { write } = await recordOf(releases, pointer.release)
    return { store: pointer.store, release: pointer.release, write }
  }

  test('the first release, a change, a removal and a roll back are numbered releases with their parents', async () => {
    const releases = releasesIn()
    assert.equal((await releases.head()).pointer, null)
    const unread = await releases.write([{ path: route(0), before: null, after: '{}' }], by, anywhere)
    assert.equal(unread.state, 'blocked')
    const files = new Map<string, string | Buffer>([
      ['config/config.json', '{}'],
      [route(0), '{"a":1}'],
      ['scripts/empty.js', ''],
      ['scripts/image.bin', Buffer.from([0xff, 0, 1])],
    ])
    assert.equal(await made(releases.create(files, by, anywhere)), 1)
    const second = await releases.write([{ path: route(0), before: hashOf('{"a":1}'), after: '{"a":2}' }], by, anywhere)
    assert.deepEqual(second, { state: 'done', release: 2 })
    const removal = [{ path: 'scripts/empty.js', before: hashOf(''), after: null }]
    assert.deepEqual(await releases.write(removal, by, anywhere), { state: 'done', release: 3 })
    assert.equal(await made(releases.deployAgain(1, { author: 'x', note: null }, anywhere)), 4)
    assert.deepEqual(await filesOf(releases, 4), await filesOf(releases, 1))
    assert.equal((await filesOf(releases, 3))['scripts/empty.js'], undefined)
    const { releases: listed, more } = await releases.list({ limit: 3 })
    assert.equal(more, true)
    assert.deepEqual(
      listed.map(({ number, record, isCurrent, stage }) => [number, record?.parent, isCurrent, stage]),
      [
        [4, 3, true, null],
        [3, 2, false, null],
        [2, 1, false, null],
      ],
    )
    assert.deepEqual(
      (await releases.list({ before: 2 })).releases.map(({ record }) => record?.note),
      ['a test'],
    )
    const [change] = await releases.differences(await recordOf(releases, 3), await recordOf(releases, 4))
    assert.deepEqual(change?.path, route(0))
    assert.deepEqual(await releases.deployAgain(4, by, anywhere), { state: 'unchanged', release: 4 })
    assert.deepEqual(await releases.deployAgain(9, by, anywhere), { state: 'missing', release: 9 })
    assert.deepEqual(await releases.create(files, by, anywhere), { state: 'unchanged', release: 4 })
    const conflict = { state: 'conflict', path: releases.keys.current }
    for (const expected of [null, 3])
      assert.deepEqual(await releases.create(routes(1), by, { local: null, expected }), conflict)
    assert.equal(await made(releases.create(routes(1), by, { local: null, expected: 4 })), 5)
  })

  test('a change of another file is kept, and of the same file it is a conflict', async () => {
    const releases = releasesIn()
    await made(releases.create(routes(3), by, anywhere))
    const change = (at: number, text: string) => ({ path: route(at), before: hashOf(`{"route":${at}}`), after: text })
    assert.equal((await releases.write([change(0, 'zero')], by, anywhere)).state, 'done')
    assert.equal((await releases.write([change(1, 'one')], by, anywhere)).state, 'done')
    assert.deepEqual(await releases.write([change(2, 'two'), change(0, 'again')], by, anywhere), {
      state: 'conflict',
      path: route(0),
    })
    const added = { path: route(0), before: null, after: 'new' }
    assert.equal((await releases.write([added], by, anywhere)).state, 'conflict')
    const files = await filesOf(releases, 3)
    assert.deepEqual([files[route(0)], files[route(1)], files[route(2)]], ['zero', 'one', '{"route":2}'])
    const same = { path: route(1), before: hashOf('one'), after: 'one' }
    assert.deepEqual(await releases.write([same], by, anywhere), { state: 'done', release: 3 })
    await assert.rejects(releases.write([{ path: '../x', before: null, after: '' }], by, anywhere), ReleaseError)
    await assert.rejects(releases.create(new Map([['/etc/x', '']]), by, anywhere), /the path is absolute/)
  })

  test('one changed file of 10,000 costs a few requests and kilobytes, for writer and reader', async () => {
    const prefix = `/test-${prefixes++}`
    const releases = releasesIn({ prefix })
    relay.reset()
    await made(releases.create(routes(10_000), by, anywhere))
    const pushRequests = relay.requests.length
    assert.ok(pushRequests < 230, `${pushRequests} requests`)
    const first = await recordOf(releases, 1)
    const known = await releases.tree(first)
    assert.equal(known.files, 10_000)

    relay.reset()
    const change = { path: route(77), before: hashOf('{"route":77}'), after: '{"route":"new"}' }
    assert.deepEqual(await releases.write([change], by, anywhere), { state: 'done', release: 2 })
    assert.equal(relay.requests.length, 4)
    assert.ok(relay.sent + relay.received < 110_000, `${relay.sent} bytes sent, ${relay.received} received`)

    relay.reset()
    const reader = releasesIn({ prefix })
    const second = await recordOf(reader, (await reader.head()).pointer?.release ?? 0)
    const tree = await reader.tree(second, known)
    const [only, ...others] = await reader.differences(first, second)
    assert.deepEqual([only?.path, others.length], [route(77), 0])
    const contents = await Array.fromAsync(reader.contents([{ ...only!.after!, path: only!.path }]))
    assert.deepEqual(
      contents.map(({ data }) => `${data}`),
      ['{"route":"new"}'],
    )
    assert.equal(tree.files, 10_000)
    assert.ok(
      relay.requests.length <= 7 && relay.received < 70_000,
      `${relay.requests.length}, ${relay.received} bytes`,
    )

    // A push of all files sends only what differs.
    relay.reset()
    const files = new Map([...routes(10_000), [route(77), '{"route":"new"}'], [route(78), '{}']])
    assert.equal(await made(releases.create(files, by, anywhere)), 3)
    assert.ok(relay.requests.length <= 5 && relay.sent < 90_000, `${relay.requests.length}, ${relay.sent} bytes sent`)
    relay.reset()
    assert.equal(await made(releases.deployAgain(1, by, anywhere)), 4)
    assert.ok(relay.requests.length <= 4 && relay.sent < 90_000, `${relay.requests.length}, ${relay.sent} bytes sent`)
  })

  test('contents of several mebibytes are stored in parts, and a release beyond the limit is not made', async () => {
    const releases = releasesIn({ maxReleaseBytes: 4 * 1024 * 1024 })
    const large = Buffer.alloc(2.5 * 1024 * 1024, 'abc')
    await made(releases.create(new Map([['scripts/large', large]]), by, anywhere))
    const tree = await releases.tree(await recordOf(releases, 1))
    const [content] = await Array.fromAsync(releases.contents([tree.get('scripts/large')!]))
    assert.ok(content?.data.equals(large))
    const more = { path: 'scripts/more', before: null, after: Buffer.alloc(2 * 1024 * 1024) }
    const tooLarge = { state: 'too-large', bytes: 4_718_592, limit: 4_194_304 }
    assert.deepEqual(await releases.write([more], by, anywhere), tooLarge)
    assert.equal((await releases.create(new Map([['scripts/x', Buffer.alloc(5e6)]]), by, anywhere)).state, 'too-large')
    assert.equal((await releases.head()).pointer?.release, 1)
    // What the store has is neither sent nor read again.
    await made(releases.create(new Map([[route(0), '{}']]), by, anywhere))
    relay.reset()
    await made(releases.create(new Map([['scripts/large', large]]), by, anywhere))
    assert.ok(relay.sent + relay.received < 20_000, `${relay.sent} bytes sent, ${relay.received} received`)
  })

  test('a staged release blocks other changes until it is promoted or dropped, and its number is not used again', async () => {
    const releases = releasesIn()
    const only = { stage: 'canary' }
    assert.equal((await releases.create(routes(1), by, { local: null, only })).state, 'blocked')
    await made(releases.create(routes(1), by, anywhere))
    assert.equal(await made(releases.create(routes(2), by, { local: null, only })), 2)
    const { pointer } = await releases.head()
    assert.deepEqual([wantedRelease(pointer!, only), wantedRelease(pointer!, {})], [2, 1])
    const blocked = await releases.write([{ path: route(9), before: null, after: '{}' }], by, anywhere)
    assert.match(
      (blocked as { reason: string }).reason,
      /release 2 is staged for stage=canary; promote it or roll it back/,
    )
    assert.equal((await releases.create(routes(3), by, anywhere)).state, 'blocked')
    assert.equal((await releases.deployAgain(1, by, anywhere)).state, 'blocked')
    assert.deepEqual(
      (await releases.list()).releases.map(({ stage }) => stage),
      [only, null],
    )
    assert.deepEqual(await releases.promote(1, anywhere), { state: 'unchanged', release: 1 })
    assert.deepEqual(await releases.promote(7, anywhere), { state: 'missing', release: 7 })
    assert.equal(await made(releases.drop(2, anywhere)), 1)
    assert.deepEqual(await releases.drop(2, anywhere), { state: 'unchanged', release: 1 })
    assert.equal(await made(releases.create(routes(3), by, { local: null, only })), 3)
    assert.equal(await made(releases.promote(3, anywhere)), 3)
    assert.deepEqual((await releases.head()).pointer?.staged, null)
    await assert.rejects(releases.create(routes(1), by, { local: null, only: {} }), /1 to 64 labels/)
  })

  test('nothing is written to a store that contradicts the instance, but by a push that overrules it', async () => {
    const source = releasesIn()
    await made(source.create(routes(1), by, anywhere))
    await made(source.create(routes(2), by, anywhere))
    const local = await localOf(source)
    assert.equal((await source.check(local)).divergence, null)

    const empty = releasesIn()
    assert.equal((await empty.check(local)).divergence?.kind, 'empty')
    const refused = await empty.create(routes(1), by, { local })
    assert.match((refused as { reason: string }).reason, /the store has no release, expected at least 2/)
    assert.equal(await made(empty.create(routes(1), by, { local, overrules: true })), 3)
    assert.deepEqual((await empty.head()).pointer, { store: local.store, release: 3, last: 3, staged: null })
    assert.equal((await empty.check(local)).divergence, null)

    const other = releasesIn()
    await made(other.create(routes(5), by, anywhere))
    await made(other.create(routes(6), by, { local: null, only: { stage: 'canary' } }))
    assert.equal((await other.check(local)).divergence?.kind, 'other-store')
    assert.equal((await other.promote(2, { local })).state, 'blocked')
    assert.equal(await made(other.create(routes(2), by, { local, overrules: true })), 3)
    assert.deepEqual((await other.head()).pointer, { store: local.store, release: 3, last: 3, staged: null })
  })

  test('a store that is restored from an older backup is recognized', async () => {
    const prefix = `/test-${prefixes++}`
    const releases = releasesIn({ prefix })
    await made(releases.create(routes(1), by, anywhere))
    const backup = await etcd.list(`${prefix}/`)
    await made(releases.create(routes(2), by, anywhere))
    const local = await localOf(releases)
    await etcd.transact({
      compare: [],
      success: [{ delete: { prefix: `${prefix}/` } }],
    })
    await etcd.transact({ compare: [], success: backup.items.map(({ key, value }) => ({ put: { key, value } })) })
    assert.equal((await releases.check(local)).divergence?.kind, 'older')
    const change = { path: route(0), before: hashOf('{"route":0}'), after: '{}' }
    assert.match(
      ((await releases.write([change], by, { local })) as { reason: string }).reason,
      /restored from an older backup/,
    )
    // Another instance, without a state of its own, makes a release with the same number.
    assert.deepEqual(await releases.write([change], by, anywhere), { state: 'done', release: 2 })
    assert.equal((await releases.check(local)).divergence?.kind, 'other-write')
    assert.equal(await made(releases.create(routes(4), by, anywhere)), 3)
    assert.equal((await releases.check(local)).divergence?.kind, 'other-write')
    assert.equal(await made(releases.create(routes(2), by, { local, overrules: true })), 4)
  })

  test('damaged values have errors that name the key, and a push repairs them', async () => {
    const releases = releasesIn()
    const { keys } = releases
    await made(releases.create(routes(300), by, anywhere))
    const record = await recordOf(releases, 1)
    const tree = await releases.tree(record)
    const entry = tree.get(route(5))!
    const reading = (path: string) => Array.fromAsync(releases.contents([{ ...tree.get(path)!, path }]))
    const failing = (kind: string, message: RegExp) => (error: unknown) => {
      assert.ok(error instanceof ReleaseError && error.kind === kind, String(error))
      assert.match(error.message, message)
      return true
    }
    await write(etcd, put(`${keys.contents}${entry.hash}`, '{"route":6}'))
    await assert.rejects(
      reading(route(5)),
      failing('wrong-hash', /another hash than its key of config\/routes\/r5\.json/),
    )
    await write(etcd, put(`${keys.contents}${entry.hash}`, 'x'.repeat(1_400_000)))
    await assert.rejects(reading(route(5)), failing('wrong-hash', /expected 11 bytes, found 1400000/))
    await etcd.transact({ compare: [], success: [{ delete: { key: `${keys.contents}${tree.get(route(6))!.hash}` } }] })
    await assert.rejects(reading(route(6)), failing('missing', /does not exist of config\/routes\/r6\.json/))
    assert.equal(await made(releases.create(routes(300), by, anywhere)), 2)
    assert.equal((await reading(route(5))).length + (await reading(route(6))).length, 2)

    assert.ok('shards' in record.tree)
    const shard = [...record.tree.shards.values()][0]!
    await write(etcd, put(`${keys.contents}${shard.hash}`, '{}'))
    await assert.rejects(releases.tree(record), failing('wrong-hash', new RegExp(shard.hash)))
    assert.equal(await made(releases.create(routes(300), by, anywhere)), 3)
    assert.equal((await releases.tree(record)).files, 300)

    await write(etcd, put(keys.release(3), 'hello'))
    await assert.rejects(releases.release(3), failing('not-a-manifest', /0000000003: expected the record of a release/))
    const change = { path: route(0), before: hashOf('{"route":0}'), after: '{}' }
    assert.equal((await releases.write([change], by, anywhere)).state, 'blocked')
    assert.match((await releases.list()).releases[0]?.problem ?? '', /expected the record/)
    await write(etcd, put(`${keys.releases}zzz`, 'not ours'))
    assert.equal(await made(releases.create(routes(300), by, anywhere)), 4)
    assert.equal(Object.keys(await filesOf(releases, 4)).length, 300)

    await write(etcd, put(keys.release(4), '{"format":2}'))
    assert.match(
      ((await releases.create(routes(1), by, anywhere)) as { reason: string }).reason,
      /upgrade this gateway/,
    )
    await write(etcd, put(keys.current, 'hello'))
    await assert.rejects(releases.head(), failing('not-a-manifest', /current: expected the pointer/))
    assert.equal((await releases.create(routes(1), by, anywhere)).state, 'blocked')
  })

  test('a follower reads the record of a release whose last change is damaged', async () => {
    // The relay has no watches.
    await using direct = etcdClient([member.url])
    const releases = new EtcdReleases(direct, { prefix: `/test-${prefixes++}`, clock })
    const { keys } = releases
    await made(releases.create(routes(2), by, anywhere))
    const { pointer, revision } = await releases.head()
    const moved = Promise.withResolvers<void>()
    using _watch = releases.follow(revision + 1n, { moved: () => moved.resolve(), ended: moved.reject })
    const change = { format: 1, release: 1, record: '{"format":1}', contents: {} }
    const { responses } = await etcd.transact({ compare: [], success: [{ get: { key: keys.current } }] })
    const [read] = responses
    assert.ok(read?.type === 'get' && read.item !== null && pointer?.release === 1)
    const puts = [
      { put: { key: keys.change, value: JSON.stringify(change) } },
      { put: { key: keys.current, value: read.item.value } },
    ]
    await etcd.transact({ compare: [], success: puts })
    await within('the pointer was moved', moved.promise)
    assert.equal((await recordOf(releases, 1)).number, 1)
  })

  test('followers watch the pointer and the last change, and no keys with similar names', async () => {
    const prefix = `/test-${prefixes++}`
    const releases = releasesIn({ prefix })
    const { current, change, followed } = releases.keys
    await made(releases.create(routes(1), by, anywhere))
    const { revision } = await releases.head()
    await using direct = etcdClient([member.url])
    using watch = watching(direct, { ...followed, from: revision + 1n })
    const neighbours = ['-old', '.change', '.backup', '/x', '0', ' ', '\u0001', '\0a', '\0\0', '\u{10ffff}', '.change~']
    for (const end of neighbours) await write(etcd, put(`${current}${end}`, 'x'))
    await made(releases.create(routes(2), by, anywhere))
    await waitUntil('the change was delivered', () => watch.all.length >= 2)
    assert.deepEqual(watch.all.map(({ item }) => item.key).toSorted(), [current, change])
  })

  test('a sweep removes old releases, and contents that have had no release for an hour', async () => {
    let now = 0
    const prefix = `/test-${prefixes++}`
    const releases = releasesIn({ prefix, keepReleases: 2, clock: { ...clock, monotonic: () => now } })
    assert.deepEqual(await releases.sweep(), { releases: 0, contents: 0, waiting: 0 })
    for (let at = 0; at < 4; at++) await made(releases.create(new Map([[route(0), `${at}`]]), by, anywhere))
    await made(releases.create(routes(250), by, anywhere))
    assert.deepEqual(await releases.sweep(), { releases: 3, contents: 0, waiting: 3 })
    assert.deepEqual(await releases.deployAgain(1, by, anywhere), { state: 'missing', release: 1 })
    now += 3_599_999
    // A content that a new release names again is not removed.
    await made(releases.create(new Map([[route(0), '1']]), by, anywhere))
    assert.equal((await releases.sweep()).contents, 0)
    now += 1
    assert.deepEqual(await releases.sweep(), { releases: 0, contents: 2, waiting: 1 })
    relay.reset()
    assert.deepEqual(await releases.sweep(), { releases: 0, contents: 0, waiting: 1 })
    assert.equal(relay.requests.length, 1, 'nothing is due')
    for (const number of [5, 6]) assert.ok(Object.keys(await filesOf(releases, number)).length > 0)
    // A release that can not be read keeps all contents.
    await etcd.transact({ compare: [], success: [{ put: { key: releases.keys.release(5), value: '{}' } }] })
    now += 3_600_000
    await assert.rejects(releases.sweep(), ReleaseError)
  })

  test('a write that names contents which a sweep removes meanwhile sends them again', async () => {
    let now = 0
    const prefix = `/test-${prefixes++}`
    const releases = releasesIn({ prefix })
    const sweeper = releasesIn({ prefix, keepReleases: 1, clock: { ...clock, monotonic: () => now } })
    await made(releases.create(routes(300), by, anywhere))
    await made(releases.create(new Map([[route(0), 'x']]), by, anywhere))
    await sweeper.sweep()
    now += 3_600_000
    // The sweep happens after the writer has seen the contents, and before its commit.
    let swept = 0
    relay.fateOf = async ({ puts }): Promise<Fate> => {
      if (!puts.includes(releases.keys.current) || swept > 0) return 'pass'
      swept = -1
      swept = (await sweeper.sweep()).contents
      return 'pass'
    }
    try {
      assert.equal(await made(releases.create(routes(300), by, anywhere)), 3)
    } finally {
      relay.fateOf = () => 'pass'
    }
    assert.ok(swept > 300, `${swept} contents`)
    assert.equal(Object.keys(await filesOf(releases, 3)).length, 300)
  })

  test('a sweep removes no content that a release names which is made meanwhile', async () => {
    let now = 0
    const prefix = `/test-${prefixes++}`
    const releases = releasesIn({ prefix })
    const sweeper = releasesIn({ prefix, keepReleases: 1, clock: { ...clock, monotonic: () => now } })
    await made(releases.create(routes(300), by, anywhere))
    await made(releases.create(new Map([[route(0), 'x']]), by, anywhere))
    const { waiting } = await sweeper.sweep()
    now += 3_600_000
    // The release is made after the sweep has read which contents are named, and before it removes any.
    let isMade = false
    relay.fateOf = async ({ puts }): Promise<Fate> => {
      if (isMade || puts.join() !== releases.keys.sweep) return 'pass'
      isMade = true
      await made(releases.create(routes(200), by, anywhere))
      return 'pass'
    }
    try {
      assert.ok((await sweeper.sweep()).contents < waiting - 199)
    } finally {
      relay.fateOf = () => 'pass'
    }
    assert.ok(isMade)
    assert.equal(Object.keys(await filesOf(releases, 3)).length, 200)
  })
})
