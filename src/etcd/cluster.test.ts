import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { EtcdMember, etcdClient, etcdMissing } from '#test/etcd'
import { ofKind, put, watching, write } from '#test/etcd-requests'
import { waitUntil } from '#test/waiting'
import { EtcdError } from './index.ts'

describe('a cluster of three members', { skip: etcdMissing }, () => {
  let members: EtcdMember[]

  before(async () => {
    members = await EtcdMember.startAll(['one', 'two', 'three'])
  })

  after(async () => {
    for (const member of members) await member[Symbol.asyncDispose]()
  })

  /** Writes until a write succeeds; one whose outcome is unknown is looked up before it is repeated. */
  async function written(client: ReturnType<typeof etcdClient>, key: string): Promise<void> {
    await waitUntil(`${key} was written`, async () => {
      try {
        await client.transact({ compare: [{ key, modRevision: 0n }], success: [put(key, key)] })
      } catch (error) {
        assert.ok(error instanceof EtcdError && ['unavailable', 'unknown-outcome'].includes(error.kind), String(error))
      }
      return client.get(key).then(
        ({ item }) => item !== null,
        () => false,
      )
    })
  }

  test('each member can be killed: reads, writes and watches go on with the others', async () => {
    await using client = etcdClient(members, { callTimeout: 2_000 })
    const { revision } = await write(client, put('began', '1'))
    for (const [index, member] of members.entries()) {
      const { endpoint } = await client.status()
      const used = members.find(({ url }) => url === endpoint)!
      using watch = watching(client, { prefix: 'killed/', from: revision })
      await waitUntil('the watch had the changes before', () => watch.all.length === index)
      await used.kill()
      assert.ok(ofKind('unavailable')(await watch.ends()))
      await written(client, `killed/${index}`)
      using resumed = watching(client, { prefix: 'killed/', from: revision })
      await waitUntil('the next watch had all changes', () => resumed.all.length === index + 1)
      assert.notEqual((await client.status()).endpoint, used.url)
      await used.restart()
      await waitUntil('the member was back', () => used.isHealthy())
      assert.ok(member)
    }
    const { items } = await client.list('killed/')
    assert.deepEqual(
      items.map(({ key }) => key),
      ['killed/0', 'killed/1', 'killed/2'],
    )
  })

  test('without a majority reads and writes fail, watches end, and all work again with it', async () => {
    const [one, two, three] = members as [EtcdMember, EtcdMember, EtcdMember]
    await using client = etcdClient([one], { callTimeout: 3_000 })
    const { revision } = await write(client, put('majority', '1'))
    using watch = watching(client, { key: 'majority', from: revision + 1n })
    await Promise.all([two.kill(), three.kill()])
    assert.ok(ofKind('unavailable', /no leader|closed the watch/)(await watch.ends()))
    await assert.rejects(client.get('majority'), ofKind('unavailable', /no leader/))
    await assert.rejects(write(client, put('majority', '2')), ofKind('unavailable', /no leader/))
    assert.equal((await client.status()).hasLeader, false)
    await Promise.all([two.restart(), three.restart()])
    await written(client, 'majority/again')
  })

  test('a followed key is watched at two members: one that is frozen or killed delays no change, and none comes twice', async () => {
    // Not the leader: the others would elect another one first, and the watch would fail meanwhile.
    const leads = await Promise.all(members.map((member) => member.isLeader()))
    const [one, two, three] = members.toSorted(
      (a, b) => Number(leads[members.indexOf(a)]) - Number(leads[members.indexOf(b)]),
    ) as [EtcdMember, EtcdMember, EtcdMember]
    await using client = etcdClient([one, two, three], { callTimeout: 5_000 })
    await using writer = etcdClient([two, three], { callTimeout: 5_000 })
    const seen: string[] = []
    let times = 0
    const { revision } = await client.get('followed')
    using _ = client.follow(
      { key: 'followed', from: revision + 1n },
      {
        events: (events) => seen.push(...events.map(({ item }) => String(item.value))),
        progress: () => {},
        ended: () => seen.push('ended'),
      },
    )
    const next = async (within: number) => {
      const value = `${++times}`
      await waitUntil('it is written', async () =>
        write(writer, put('followed', value)).then(
          () => true,
          () => false,
        ),
      )
      await waitUntil(`${value} is known`, () => seen.includes(value), within)
    }
    await next(10_000)
    // The member that the client uses, and that has one of the watches.
    one.freeze()
    try {
      // Less than the time-out of a call.
      await next(4_000)
      await next(4_000)
    } finally {
      one.thaw()
    }
    await two.kill()
    await next(10_000)
    await two.restart()
    await waitUntil('the member was back', () => two.isHealthy())
    await next(10_000)
    assert.deepEqual(new Set(seen).size, seen.length, seen.join())
    assert.ok(!seen.includes('ended'))
  })

  test('a member that does not answer counts as failed, also for a watch without changes', async () => {
    const [one, two] = members as [EtcdMember, EtcdMember]
    await using client = etcdClient([one, two], { callTimeout: 500, watchCheckInterval: 100 })
    const { revision } = await client.get('frozen')
    assert.equal((await client.status()).endpoint, one.url)
    using watch = watching(client, { key: 'frozen', from: revision + 1n })
    await waitUntil('the watch was open', async () => {
      await write(client, put('frozen', '1')).catch(() => {})
      return watch.all.length > 0
    })
    one.freeze()
    try {
      assert.ok(ofKind('unavailable', /within 500 ms/)(await watch.ends()))
      await written(client, 'frozen/written')
      assert.equal((await client.status()).endpoint, two.url)
    } finally {
      one.thaw()
    }
  })
})

test('a full database refuses writes as no-space, and serves reads', { skip: etcdMissing }, async () => {
  await using member = await EtcdMember.start(['--quota-backend-bytes=2000000'])
  await using client = etcdClient([member])
  const fill = async () => {
    for (let index = 0; index < 20; index++) await write(client, put(`fill/${index}`, Buffer.alloc(500_000)))
  }
  await assert.rejects(fill(), (error: EtcdError) => ofKind('no-space')(error) && error.uncertain)
  assert.ok((await client.get('fill/0')).item)
  await assert.rejects(write(client, put('small', '1')), ofKind('no-space'))
})
