import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { EtcdMember, etcdClient, etcdMissing } from '#test/etcd'
import { ofKind, put, watching, write } from '#test/etcd-requests'
import { waitUntil } from '#test/waiting'
import {
  type Compare,
  EtcdClient,
  type EtcdError,
  type EtcdSettings,
  type EtcdStatus,
  type KeyPage,
  type KeyRange,
  type KeyValue,
  type ListOptions,
  type OperationResult,
  type Transaction,
} from './index.ts'

test('endpoints that are no URLs of a server are refused without quoting them', () => {
  const open = (...endpoints: string[]) => etcdClient(endpoints)
  assert.throws(() => open(), /endpoints: expected 1 to 32 URLs, got 0/)
  assert.throws(() => open('127.0.0.1:2379'), /endpoints\[0\]: expected a URL such as https:/)
  assert.throws(() => open('http://a:2379', 'ftp://b'), /endpoints\[1\]: expected a URL/)
  assert.throws(
    () => open('http://gw:pass-4711@a:2379'),
    ({ message }: Error) => /without user and password/.test(message) && !message.includes('4711'),
  )
  assert.throws(() => open('http://a:2379/v3'), /without path and query/)
})

describe('with a member', { skip: etcdMissing }, () => {
  let member: EtcdMember
  let client: EtcdClient

  before(async () => {
    member = await EtcdMember.start(['--experimental-watch-progress-notify-interval=200ms'])
    client = etcdClient([member])
  })

  after(async () => {
    await client[Symbol.asyncDispose]()
    await member[Symbol.asyncDispose]()
  })

  test('a key has its bytes and revisions', async () => {
    const bytes = Buffer.from([0, 255, 10, 13])
    const { revision } = await write(client, put('bytes/ä', bytes))
    const found = await client.get('bytes/ä')
    const item = found.item as KeyValue
    assert.deepEqual(item.value, bytes)
    assert.deepEqual([item.key, item.modRevision, item.createRevision], ['bytes/ä', revision, revision])
    assert.equal(item.lease, null)
    assert.equal(found.revision, revision)
    assert.equal((await client.get('bytes/none')).item, null)
  })

  test('a transaction compares, executes one branch, and returns the results of its operations', async () => {
    const absent: Compare = { key: 'tx/a', modRevision: 0n }
    const transaction: Transaction = {
      compare: [absent, { key: 'tx/a', createRevision: 0n }],
      success: [put('tx/a', '1'), put('tx/b', '2'), { get: { key: 'tx/a' } }],
      failure: [{ get: { key: 'tx/a' } }, { get: { key: 'tx/none' } }],
    }
    const first = await client.transact(transaction)
    assert.equal(first.succeeded, true)
    assert.deepEqual(
      first.responses.map(({ type }: OperationResult) => type),
      ['put', 'put', 'get'],
    )
    const second = await client.transact(transaction)
    assert.equal(second.succeeded, false)
    const [found, none] = second.responses
    assert.ok(found?.type === 'get' && none?.type === 'get')
    assert.deepEqual([found.item?.value.toString(), found.item?.modRevision, none.item], ['1', first.revision, null])
    const all: KeyRange = { prefix: 'tx/' }
    const swapped = await client.transact({
      compare: [{ key: 'tx/a', modRevision: first.revision }],
      success: [{ delete: all }],
    })
    assert.deepEqual(swapped.responses, [{ type: 'delete', deleted: 2 }])
    assert.deepEqual((await client.transact({ compare: [absent], success: [] })).responses, [])
  })

  test('of concurrent writes that compare the same revision one wins', async () => {
    const { revision } = await write(client, put('swap', '0'))
    const attempts = Array.from({ length: 20 }, (_, index) =>
      client.transact({ compare: [{ key: 'swap', modRevision: revision }], success: [put('swap', `${index}`)] }),
    )
    const results = await Promise.all(attempts)
    assert.equal(results.filter(({ succeeded }) => succeeded).length, 1)
  })

  test('pages of a prefix are complete, ordered and of one state', async () => {
    const names = Array.from({ length: 25 }, (_, index) => `page/${String(index).padStart(2, '0')}`)
    await write(client, ...names.map((key) => put(key, key)), put('page0', 'beyond'))
    await write(client, put('page/03\u0001', 'x'))
    // Not UTF-8: a key of another program.
    const foreign = Buffer.concat([Buffer.from('page/05'), Buffer.from([0xff])]).toString('base64')
    await fetch(`${member.url}/v3/kv/put`, { method: 'POST', body: JSON.stringify({ key: foreign, value: '' }) })
    const listed: string[] = []
    let page: KeyPage | null = null
    for (let pages = 0; page === null || page.more; pages++) {
      assert.ok(pages < 40)
      const options: ListOptions = {
        keysOnly: true,
        limit: 1,
        ...(page !== null && { after: page.items.at(-1)!.key, revision: page.revision }),
      }
      page = await client.list('page/', options)
      listed.push(...page.items.map(({ key }) => key))
      assert.ok(page.items.every(({ value }) => value.length === 0))
      if (pages === 3) await write(client, put('page/99', 'later'))
    }
    assert.deepEqual(listed, [...names.slice(0, 4), 'page/03\u0001', ...names.slice(4)])
    assert.equal((await client.list('page/')).items.at(-1)?.value.toString(), 'later')
    assert.deepEqual((await client.list('nothing/')).items, [])
    assert.deepEqual([await client.count('page/'), await client.count('nothing/')], [28, 0])
  })

  test('a watch delivers changes of its keys only, from its revision on', async () => {
    const { revision } = await write(client, put('watched/a', '1'))
    await write(client, put('watched/a', '2'), put('other', 'x'))
    using one = watching(client, { key: 'watched/a', from: revision })
    using all = watching(client, { prefix: 'watched/', from: revision + 1n })
    await write(client, put('watched/b', '3'), { delete: { key: 'watched/a' } })
    await waitUntil('both watches had all changes', () => one.all.length === 3 && all.all.length === 3)
    assert.deepEqual(one.texts, ['put watched/a 1', 'put watched/a 2', 'delete watched/a '])
    assert.deepEqual(all.texts.toSorted(), ['delete watched/a ', 'put watched/a 2', 'put watched/b 3'])
    assert.equal(one.revision, (await client.get('x')).revision)
    assert.ok(all.all.every(({ item }) => item.modRevision > revision))
  })

  test('a watch of the keys from a first to a last one includes both', async () => {
    const { revision } = await client.get('x')
    using part = watching(client, { first: 'part/b', last: 'part/c', from: revision + 1n })
    for (const name of ['c\0', 'aa', 'a', 'bb', 'd', 'c']) await write(client, put(`part/${name}`, '1'))
    await waitUntil('the watch had the last one', () => part.texts.includes('put part/c 1'))
    assert.deepEqual(part.texts, ['put part/bb 1', 'put part/c 1'])
  })

  test('a watch without changes reports how far the store is', async () => {
    const { revision } = await client.get('x')
    using idle = watching(client, { key: 'idle', from: revision + 1n })
    const { revision: later } = await write(client, put('busy', '1'))
    await waitUntil('progress was reported', () => idle.progressed >= later)
    assert.deepEqual(idle.all, [])
  })

  test('a disposed watch reports nothing', async () => {
    const { revision } = await client.get('x')
    const recorded = watching(client, { key: 'disposed', from: revision + 1n })
    using other = watching(client, { key: 'disposed', from: revision + 1n })
    recorded[Symbol.dispose]()
    await write(client, put('disposed', '1'))
    await waitUntil('the other watch had the change', () => other.all.length === 1)
    assert.deepEqual([recorded.all, recorded.error], [[], null])
  })

  test('a listener that throws ends its watch, and nothing else', async () => {
    const { revision } = await client.get('x')
    const errors: EtcdError[] = []
    using _watch = client.watch(
      { key: 'thrown', from: revision + 1n },
      {
        events: () => {
          throw new Error('of the listener')
        },
        progress: () => {},
        ended: (error) => errors.push(error),
      },
    )
    await write(client, put('thrown', '1'))
    await waitUntil('the watch ended', () => errors.length === 1)
    assert.match(String((errors[0]!.cause as Error).message), /of the listener/)
  })

  test('a watch from a compacted revision ends as compacted', async () => {
    const { revision } = await write(client, put('compacted', '1'))
    const { revision: later } = await write(client, put('compacted', '2'))
    await member.ctl('compact', `${later}`)
    using early = watching(client, { key: 'compacted', from: revision })
    const error = await early.ends()
    assert.ok(ofKind('compacted')(error))
    assert.match(error.message, /from revision \d+ on, got a store that begins at \d+/)
    using late = watching(client, { key: 'compacted', from: later })
    await waitUntil('the watch after it works', () => late.texts.length === 1)
    await assert.rejects(client.list('compacted', { revision }), ofKind('compacted'))
  })

  test('a watch from a revision that the store has not reached ends', async () => {
    const { revision } = await client.get('x')
    using ahead = watching(client, { key: 'ahead', from: revision + 1_000n })
    assert.ok(ofKind('future-revision')(await ahead.ends()))
    await assert.rejects(client.list('a', { revision: revision + 1_000n }), ofKind('future-revision'))
  })

  test('keys of a lease live as long as it', async () => {
    const { lease, seconds } = await client.grantLease(15)
    assert.equal(seconds, 15)
    await write(client, put('leased', '1', lease))
    assert.equal((await client.get('leased')).item?.lease, lease)
    assert.equal(await client.keepAlive(lease), 15)
    await client.revokeLease(lease)
    assert.equal((await client.get('leased')).item, null)
    await client.revokeLease(lease)
    await assert.rejects(client.keepAlive(lease), ofKind('lease-not-found'))
    await assert.rejects(write(client, put('leased', '1', lease)), ofKind('lease-not-found'))
  })

  test('requests beyond the limits of etcd are too large', async () => {
    const many = Array.from({ length: 129 }, (_, index) => put(`many/${index}`, ''))
    await assert.rejects(write(client, ...many), ofKind('too-large'))
    await assert.rejects(write(client, put('big', Buffer.alloc(1_600_000))), ofKind('too-large'))
    await assert.rejects(write(client, put('big', Buffer.alloc(3_000_000))), ofKind('too-large'))
    await assert.rejects(write(client, put('twice', ''), put('twice', '')), ofKind('invalid'))
    await assert.rejects(client.get(''), /key: expected a text that is not empty/)
  })

  test('the status names version, member and cluster', async () => {
    const status: EtcdStatus = await client.status()
    assert.match(status.version, /^3\.\d+\.\d+/)
    assert.match(`${status.memberId} ${status.clusterId}`, /^\d+ \d+$/)
    assert.deepEqual([status.endpoint, status.hasLeader], [member.url, true])
  })

  test('a closed client ends its watches and refuses requests', async () => {
    const settings: Partial<EtcdSettings> = { callTimeout: 20_000 }
    const own = etcdClient([member], settings)
    assert.ok(own instanceof EtcdClient)
    const recorded = watching(own, { key: 'closed', from: 1n })
    const pending = own.get('closed')
    pending.catch(() => {})
    await own[Symbol.asyncDispose]()
    await assert.rejects(own.get('closed'), ofKind('unavailable'))
    assert.equal(recorded.error, null)
  })
})
