// When an instance knows of a change, and of an outage, with a network that delays or is silent.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import type { EtcdClient } from '#etcd'
import { createLogger } from '#logging'
import { EtcdReleases, type Pointer } from '#releases'
import { systemClock } from '#schema'
import { EtcdMember, etcdClient, etcdMissing } from '#test/etcd'
import { TcpRelay } from '#test/tcp-relay'
import { waitUntil } from '#test/waiting'
import { StoreFollower, type StoreState } from './store-follower.ts'

const by = { author: 'demo', note: null }
const anywhere = { local: null }
const path = 'config/routes/shop.json'
const prefix = '/followed'

describe('a follower of the store', { skip: etcdMissing }, () => {
  let member: EtcdMember
  let relay: TcpRelay
  let near: EtcdClient
  let far: EtcdClient
  let writer: EtcdReleases
  let reader: EtcdReleases
  let follower: StoreFollower
  let pointer: Pointer | null = null

  before(async () => {
    member = await EtcdMember.start()
    relay = await TcpRelay.start(member.port)
    near = etcdClient([member])
    far = etcdClient([relay.url], { callTimeout: 5_000 })
    writer = new EtcdReleases(near, { prefix, clock: systemClock })
    reader = new EtcdReleases(far, { prefix, clock: systemClock })
    await writer.create(new Map([[path, '{}']]), by, anywhere)
    follower = new StoreFollower({
      releases: reader,
      logger: createLogger({ level: 'silent' }),
      clock: systemClock,
      local: () => null,
      changed: (state) => {
        pointer = state.pointer
      },
      connectionChanged: () => {},
    })
    follower.start()
    await waitUntil('the follower is connected', () => follower.connection.state === 'connected')
  })

  after(async () => {
    await far?.[Symbol.asyncDispose]()
    await follower?.close()
    await near?.[Symbol.asyncDispose]()
    await relay?.[Symbol.asyncDispose]()
    await member?.[Symbol.asyncDispose]()
  })

  /** Makes a release of files, and resolves with the milliseconds until the follower has its text. */
  async function untilRead(files: Map<string, string>): Promise<number> {
    const outcome = await writer.create(files, by, anywhere)
    const begin = performance.now()
    assert.equal(outcome.state, 'done', JSON.stringify(outcome))
    const release = (outcome as { release: number }).release
    await waitUntil('the release is known', () => pointer?.release === release)
    const record = await reader.release(release)
    const entry = (await reader.tree(record!)).get(path)!
    const [content] = await Array.fromAsync(reader.contents([entry]))
    assert.equal(String(content!.data), files.get(path))
    return performance.now() - begin
  }

  test('has a small release with the news of it, without another request', async () => {
    // The watch is open when it has delivered one.
    await untilRead(new Map([[path, '{"a":0}']]))
    relay.delay = 400
    try {
      const time = await untilRead(new Map([[path, '{"a":1}']]))
      assert.ok(time < 1_000, `${time} ms for one way of 400 ms`)
      // Contents of a larger one are read.
      const filling = 'x'.repeat(300_000)
      const larger = await untilRead(
        new Map([
          [path, '{"a":2}'],
          ['scripts/large.js', filling],
        ]),
      )
      assert.ok(larger > 1_000, `${larger} ms`)
    } finally {
      relay.delay = 0
    }
  })

  test('reads the release where the advance copy can not be read, or is of another commit', async () => {
    await near.transact({ compare: [], success: [{ put: { key: reader.keys.change, value: 'strange' } }] })
    await untilRead(new Map([[path, '{"a":3}']]))
    const { pointer: current } = await reader.head()
    await near.transact({
      compare: [],
      success: [{ put: { key: reader.keys.current, value: JSON.stringify({ format: 1, ...current }) } }],
    })
    await untilRead(new Map([[path, '{"a":4}']]))
  })

  test('knows within 5 s that the store is silent, and soon that it is back, with what changed meanwhile', async () => {
    relay.mode = 'silent'
    const begin = performance.now()
    await waitUntil('the follower is disconnected', () => follower.connection.state === 'disconnected', 10_000)
    const time = performance.now() - begin
    assert.ok(time < 6_000, `${time} ms`)
    assert.equal((await writer.create(new Map([[path, '{"a":5}']]), by, anywhere)).state, 'done')
    relay.mode = 'pass'
    await waitUntil('it is connected', () => follower.connection.state === 'connected', 5_000)
    const { pointer: current } = await writer.head()
    await waitUntil('it has the change', () => pointer?.release === current?.release, 5_000)
  })

  test('sees that a store restored from a backup has another release of the number of the local copy', async () => {
    const { pointer: restored } = await writer.head()
    const local = { store: restored!.store, release: restored!.last + 1, write: randomUUID() }
    const states: StoreState[] = []
    const other = new StoreFollower({
      releases: new EtcdReleases(near, { prefix, clock: systemClock }),
      logger: createLogger({ level: 'silent' }),
      clock: systemClock,
      local: () => local,
      changed: (state) => states.push(state),
      connectionChanged: () => {},
    })
    other.start()
    try {
      await waitUntil('the store is older', () => states.at(-1)?.divergence?.kind === 'older')
      for (const number of [local.release, local.release + 1]) {
        const outcome = await writer.create(new Map([[path, `{"restored":${number}}`]]), by, anywhere)
        assert.equal((outcome as { release: number }).release, number)
        await waitUntil('the release is known', () => states.at(-1)?.pointer?.release === number)
        assert.equal(states.at(-1)?.divergence?.kind, 'other-write')
      }
    } finally {
      await other.close()
    }
  })
})
