// Writes to an etcd that fails in between: the writer learns whether its release was made; none is lost or made twice.
import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import type { EtcdClient } from '#etcd'
import { contentOf, EtcdReleases, type ReleaseOptions, type WriteOutcome } from '#releases'
import { EtcdMember, etcdClient, etcdMissing } from '#test/etcd'
import { EtcdRelay, type Fate, type RelayedRequest } from '#test/etcd-relay'
import { waitUntil, within } from '#test/waiting'

const clock = { now: () => Date.now(), monotonic: () => performance.now() }
const by = { author: 'demo', note: null }
const anywhere = { local: null }
const path = 'config/routes/counter.json'
const hashOf = (text: string) => contentOf(text).hash

describe('releases in an etcd that fails', { skip: etcdMissing }, () => {
  let member: EtcdMember
  let relay: EtcdRelay
  let etcd: EtcdClient
  let prefixes = 0

  before(async () => {
    member = await EtcdMember.start()
    relay = await EtcdRelay.start(member)
    etcd = etcdClient([relay.url], { callTimeout: 2_000 })
  })
  afterEach(() => {
    relay.fateOf = () => 'pass'
  })
  after(async () => {
    await etcd?.[Symbol.asyncDispose]()
    await relay?.[Symbol.asyncDispose]()
    await member?.[Symbol.asyncDispose]()
  })

  async function started(options: Partial<ReleaseOptions> = {}): Promise<EtcdReleases> {
    const releases = new EtcdReleases(etcd, { prefix: `/test-${prefixes++}`, clock, ...options })
    assert.deepEqual(await releases.create(new Map([[path, '0']]), by, anywhere), { state: 'done', release: 1 })
    return releases
  }

  const change = (from: string, to: string) => [{ path, before: hashOf(from), after: to }]

  /** Loses the commits of a store; `fates` are those of the first ones. */
  function commitsOf(releases: EtcdReleases, ...fates: Fate[]): void {
    relay.fateOf = ({ puts }) => (puts.includes(releases.keys.current) ? (fates.shift() ?? 'pass') : 'pass')
  }

  /** All releases with the texts of some files, smallest number first. */
  async function history(
    releases: EtcdReleases,
    paths = [path],
  ): Promise<{ write: string; parent: number | null; texts: string[] }[]> {
    const { releases: listed } = await releases.list({ limit: 1_000 })
    const trees = await Promise.all(listed.toReversed().map(({ record }) => releases.tree(record!)))
    const entries = trees.flatMap((tree) => [...tree].map(([, entry]) => entry))
    const contents = await Array.fromAsync(releases.contents(entries))
    const texts = new Map(contents.map(({ hash, data }) => [hash, String(data)]))
    return listed.toReversed().map(({ record }, at) => ({
      write: record!.write,
      parent: record!.parent,
      texts: paths.map((each) => texts.get(trees[at]?.get(each)?.hash ?? '') ?? ''),
    }))
  }

  test('the outcome of a commit without a response is known, whether it happened or not', async () => {
    const releases = await started()
    commitsOf(releases, 'lose-response')
    assert.deepEqual(await releases.write(change('0', '1'), by, anywhere), { state: 'done', release: 2 })
    commitsOf(releases, 'lose-request')
    assert.deepEqual(await releases.write(change('1', '2'), by, anywhere), { state: 'done', release: 3 })
    commitsOf(releases, 'lose-response')
    const staged = await releases.create(new Map([[path, '3']]), by, { local: null, only: { stage: 'canary' } })
    assert.deepEqual(staged, { state: 'done', release: 4 })
    commitsOf(releases, 'lose-response')
    assert.deepEqual(await releases.promote(4, anywhere), { state: 'done', release: 4 })
    const rows = await history(releases)
    assert.deepEqual(
      rows.map(({ texts, parent }) => [texts[0], parent]),
      [
        ['0', null],
        ['1', 1],
        ['2', 2],
        ['3', 3],
      ],
    )
  })

  test('a commit that arrives late is not applied after its outcome was decided', async () => {
    const releases = await started()
    const late = Promise.withResolvers<Fate>()
    let held: RelayedRequest | null = null
    let settled = false
    relay.fateOf = (request) => {
      if (held === null && request.puts.includes(releases.keys.current)) {
        held = request
        return late.promise
      }
      // The question about the commit is the last thing that reaches the store.
      if (settled) return 'lose-request'
      settled = held !== null
      return 'pass'
    }
    await using impatient = etcdClient([relay.url], { callTimeout: 1_000 })
    const writer = new EtcdReleases(impatient, { prefix: releases.keys.prefix, clock })
    assert.equal((await writer.write(change('0', '1'), by, anywhere)).state, 'unavailable')
    relay.fateOf = () => 'pass'
    late.resolve('pass')
    await waitUntil('etcd had the late commit', () => held !== null && relay.answered.has(held))
    assert.equal((await releases.head()).pointer?.release, 1)
    assert.equal((await history(releases)).length, 1)
    assert.deepEqual(await writer.write(change('0', '1'), by, anywhere), { state: 'done', release: 2 })
  })

  test('the outcome is unknown where the store responds no more, and settled before the next write', async () => {
    const releases = await started({ settleTime: 300 })
    relay.fateOf = ({ puts }) => (puts.length > 0 ? 'lose-response' : 'pass')
    const outcome = await releases.write(change('0', '1'), by, anywhere)
    assert.equal(outcome.state, 'unknown')
    assert.match((outcome as { reason: string }).reason, /did not respond to the commit of release 2/)
    relay.fateOf = () => 'pass'
    assert.deepEqual(await releases.write(change('1', '2'), by, anywhere), { state: 'done', release: 3 })
    relay.fateOf = () => 'lose-request'
    assert.equal((await releases.write(change('2', '3'), by, anywhere)).state, 'unavailable')
  })

  test('80 concurrent writes of four writers make 80 releases, none lost and none twice', async () => {
    const first = await started()
    const paths = [path, 'config/routes/other.json']
    await first.create(new Map(paths.map((each) => [each, '0'])), by, anywhere)
    const clients = Array.from({ length: 4 }, () => etcdClient([relay.url]))
    const writers = clients.map((client) => new EtcdReleases(client, { prefix: first.keys.prefix, clock }))
    let commits = 0
    relay.fateOf = ({ puts }) => {
      if (!puts.includes(first.keys.current)) return 'pass'
      return ({ 3: 'lose-response', 7: 'lose-request' } as const)[commits++ % 20] ?? 'pass'
    }
    const conflicts = await Promise.all(writers.map((writer, at) => increments(writer, paths[at % 2] as string, 20)))
    relay.fateOf = () => 'pass'
    const rows = await history(first, paths)
    assert.equal(new Set(rows.map(({ write }) => write)).size, 82)
    for (const [at, { texts, parent }] of rows.entries()) {
      assert.equal(parent, at === 0 ? null : at)
      // Each release adds 1 to one of the files of the release before.
      if (at > 0) assert.equal(Number(texts[0]) + Number(texts[1]), at - 1)
    }
    assert.ok(
      conflicts.some((count) => count > 0),
      'writers met',
    )
    for (const client of clients) await client[Symbol.asyncDispose]()
  })

  /** Adds 1 to a file so many times, reading again after each conflict; resolves with the number of conflicts. */
  async function increments(releases: EtcdReleases, file: string, times: number): Promise<number> {
    let conflicts = 0
    for (let done = 0; done < times; ) {
      const { pointer } = await releases.head()
      const tree = await releases.tree((await releases.release(pointer!.release))!)
      const [content] = await Array.fromAsync(releases.contents([tree.get(file)!]))
      const text = String(content?.data)
      const next = { path: file, before: hashOf(text), after: String(Number(text) + 1) }
      const outcome = await releases.write([next], by, anywhere)
      if (outcome.state === 'done') done++
      else if (outcome.state === 'conflict') conflicts++
      else assert.fail(JSON.stringify(outcome))
    }
    return conflicts
  }

  test('writes while etcd is killed and restarted have known outcomes', async () => {
    const releases = await started({ settleTime: 20_000 })
    const outcomes: WriteOutcome[] = []
    let text = '0'
    for (let round = 1; round <= 3; round++) {
      // The member gets the commit, and is killed at once.
      let commits = 0
      relay.fateOf = ({ puts }) => {
        if (!puts.includes(releases.keys.current) || commits++ > 0) return 'pass'
        setImmediate(() => void member.kill())
        return 'pass'
      }
      const writing = releases.write(change(text, String(round)), by, anywhere)
      await waitUntil('the commit was sent', () => commits > 0)
      await member.kill()
      await member.restart()
      const outcome = await within('the write had an outcome', writing)
      outcomes.push(outcome)
      relay.fateOf = () => 'pass'
      if (outcome.state === 'done') text = String(round)
      else assert.equal(outcome.state, 'unavailable', JSON.stringify(outcome))
      const rows = await history(releases)
      assert.equal(rows.at(-1)?.texts[0], text, JSON.stringify(outcome))
    }
    assert.equal((await history(releases)).length, 1 + outcomes.filter(({ state }) => state === 'done').length)
  })

  test('compaction and defragmentation do not matter', async () => {
    const releases = await started()
    await releases.write(change('0', '1'), by, anywhere)
    const { revision } = await releases.head()
    await member.ctl('compact', String(revision))
    await member.ctl('defrag')
    assert.deepEqual(await releases.write(change('1', '2'), by, anywhere), { state: 'done', release: 3 })
    assert.deepEqual(
      (await history(releases)).map(({ texts }) => texts[0]),
      ['0', '1', '2'],
    )
  })

  test('a full etcd refuses writes with the reason, and serves reads', async () => {
    await using small = await EtcdMember.start(['--quota-backend-bytes=4194304'])
    await using client = etcdClient([small])
    const releases = new EtcdReleases(client, { prefix: '/full', clock })
    assert.equal((await releases.create(new Map([[path, '0']]), by, anywhere)).state, 'done')
    const fill = (at: number) =>
      new Map<string, string | Buffer>([
        [path, '0'],
        ['scripts/large', Buffer.alloc(900_000, at)],
      ])
    let [made, outcome] = [1, await releases.create(fill(0), by, anywhere)]
    for (; outcome.state === 'done' && made < 10; made++) outcome = await releases.create(fill(made), by, anywhere)
    assert.equal(outcome.state, 'unavailable', JSON.stringify(outcome))
    assert.match((outcome as { reason: string }).reason, /space/)
    assert.equal((await releases.write(change('0', '1'), by, anywhere)).state, 'unavailable')
    const { pointer } = await releases.head()
    assert.equal(pointer?.release, made)
    assert.equal((await releases.list()).releases.length, made)
    assert.equal((await releases.tree((await releases.release(made))!)).files, made === 1 ? 1 : 2)
  })
})
