// Releases in a cluster of three members that are killed in turn while writers write, and in one that is restored from a snapshot.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { EtcdClient } from '#etcd'
import { contentOf, EtcdReleases } from '#releases'
import { EtcdMember, etcdClient, etcdMissing } from '#test/etcd'
import { Folder } from '#test/folder'
import { waitUntil } from '#test/waiting'

const clock = { now: () => Date.now(), monotonic: () => performance.now() }
const by = { author: 'demo', note: null }
const anywhere = { local: null }
const path = 'config/routes/counter.json'
const prefix = '/cluster'

/** Outcomes of one writer. */
interface Tally {
  done: number
  conflict: number
  unavailable: number
  unknown: number
}

describe('releases in a cluster', { skip: etcdMissing }, () => {
  test('members killed in turn lose no release of concurrent writers, and make none twice', async (t) => {
    const members = await EtcdMember.startAll(['a', 'b', 'c'])
    const clients: EtcdClient[] = []
    const open = (at: number): EtcdReleases => {
      const endpoints = [...members.slice(at), ...members.slice(0, at)]
      const client = etcdClient(endpoints, { callTimeout: 2_000 })
      clients.push(client)
      return new EtcdReleases(client, { prefix, clock, settleTime: 20_000, writeTime: 30_000 })
    }
    try {
      const first = open(0)
      assert.equal((await first.create(new Map([[path, '0']]), by, anywhere)).state, 'done')
      const ending = new AbortController()
      const tallies = members.map((_, at) => increments(open(at), ending.signal))
      for (const member of members) {
        const { pointer } = await first.head()
        await member.kill()
        await waitUntil('writes went on without a member', async () => {
          const now = await first.head().catch(() => null)
          return now !== null && now.pointer!.release > pointer!.release + 20
        })
        await member.restart()
      }
      ending.abort()
      const found = await Promise.all(tallies)
      const done = found.reduce((sum, each) => sum + each.done, 0)
      const unknown = found.reduce((sum, each) => sum + each.unknown, 0)
      const { releases } = await first.list({ limit: 100_000 })
      const made = releases.length - 1
      assert.ok(made >= done && made <= done + unknown, `${made} made, ${done} done, ${unknown} unknown`)
      assert.equal(new Set(releases.map(({ record }) => record?.write)).size, releases.length)
      for (const [at, { number, record }] of releases.toReversed().entries()) {
        assert.deepEqual([number, record?.parent], [at + 1, at === 0 ? null : at])
        const entry = (await first.tree(record!)).get(path)
        assert.equal(entry?.hash, contentOf(String(at)).hash, 'each release builds on the one before')
      }
      t.diagnostic(`${made} releases; ${JSON.stringify(found)}`)
    } finally {
      for (const client of clients) await client[Symbol.asyncDispose]()
      for (const member of members) await member[Symbol.asyncDispose]()
    }
  })

  async function increments(releases: EtcdReleases, signal: AbortSignal): Promise<Tally> {
    const tally: Tally = { done: 0, conflict: 0, unavailable: 0, unknown: 0 }
    while (!signal.aborted) {
      try {
        const { pointer } = await releases.head()
        const tree = await releases.tree((await releases.release(pointer!.release))!)
        const [content] = await Array.fromAsync(releases.contents([tree.get(path)!]))
        const text = String(content?.data)
        const change = { path, before: contentOf(text).hash, after: String(Number(text) + 1) }
        const { state } = await releases.write([change], by, anywhere)
        assert.ok(state in tally, state)
        tally[state as keyof Tally]++
      } catch (error) {
        if ((error as Error).name !== 'EtcdError') throw error
        tally.unavailable++
      }
    }
    return tally
  }

  test('a store restored from an older snapshot is recognized, and replaced by a push', async () => {
    await using member = await EtcdMember.start()
    await using client = etcdClient([member])
    using folder = new Folder()
    const snapshot = folder.in('snapshot.db')
    const releases = new EtcdReleases(client, { prefix, clock })
    for (const text of ['0', '1']) await releases.create(new Map([[path, text]]), by, anywhere)
    await member.ctl('snapshot', 'save', snapshot)
    await releases.create(new Map([[path, '2']]), by, anywhere)
    const { pointer, revision } = await releases.head()
    const record = await releases.release(3)
    const local = { store: pointer!.store, release: 3, write: record!.write }
    await member.restoreFrom(snapshot)
    await waitUntil('the store responded', () =>
      releases.head().then(
        () => true,
        () => false,
      ),
    )
    const { head, divergence } = await releases.check(local)
    assert.equal(divergence?.kind, 'older')
    assert.ok(head.revision < revision)
    const change = { path, before: contentOf('1').hash, after: '9' }
    assert.equal((await releases.write([change], by, { local })).state, 'blocked')
    const files = new Map([[path, '2']])
    assert.deepEqual(await releases.create(files, by, { local, overrules: true }), { state: 'done', release: 4 })
    assert.equal((await releases.check(local)).divergence, null)
  })
})
