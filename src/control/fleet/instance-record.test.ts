import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type EtcdClient, EtcdError, type EtcdErrorKind } from '#etcd'
import { StoreKeys } from '#releases'
import { systemClock } from '#schema'
import { EtcdMember, etcdClient, etcdMissing } from '#test/etcd'
import { EtcdRelay, type Fate } from '#test/etcd-relay'
import { Folder } from '#test/folder'
import { waitUntil } from '#test/waiting'
import { defaultInstanceId } from './instance-id.ts'
import { InstanceRecord, readInstances } from './instance-record.ts'
import { decodeStatus, encodeStatus, type InstanceStatus } from './instance-status.ts'

const STATUS: InstanceStatus = {
  id: 'one',
  version: '1.0.0',
  address: 'host:8080',
  labels: { stage: 'canary' },
  wanted: 3,
  served: 2,
  state: 'failing',
  problems: [{ file: 'config/routes/a.json', pointer: '/handler', message: 'expected a handler' }],
  since: '2026-01-01T00:00:00.000Z',
}

describe('the record of an instance', () => {
  test('is there as long as the instance, follows its state, comes back after a lost lease, and goes with it', {
    skip: etcdMissing,
  }, async () => {
    await using etcd = await EtcdMember.start()
    await using client = etcdClient([etcd])
    const keys = new StoreKeys('/fleet')
    let status = STATUS
    const rivalChanged = () => assert.fail('there is no other process')
    const record = new InstanceRecord({
      ...{ client, keys, clock: systemClock, renewal: 50 },
      status: () => status,
      rivalChanged,
      refusalChanged: () => assert.fail('it is written'),
    })
    record.start()
    const found = async () => (await readInstances(client, keys))[0]
    await waitUntil('the record exists', async () => (await found()) !== undefined)
    assert.deepEqual(await found(), STATUS)
    status = { ...STATUS, served: 3, state: 'current', problems: [] }
    record.changed()
    await waitUntil('the record has changed', async () => (await found())?.served === 3)
    const { item } = await client.get(keys.instance('one'))
    // As after an hour of sleep.
    await client.revokeLease(item!.lease!)
    await waitUntil('it is written again', async () => {
      const next = (await client.get(keys.instance('one'))).item
      return next !== null && next.lease !== item!.lease
    })
    // A count between the two records finds none.
    await waitUntil('it is counted', async () => record.instances === 1)
    await etcd.ctl('put', keys.instance('strange'), 'not a record')
    assert.deepEqual(
      (await readInstances(client, keys)).map(({ id }) => id),
      ['one'],
    )
    await record.close()
    assert.deepEqual(await readInstances(client, keys), [])
  })

  test('tells of another living process with its id, and not of one that was killed', {
    skip: etcdMissing,
  }, async () => {
    await using etcd = await EtcdMember.start()
    await using client = etcdClient([etcd])
    const keys = new StoreKeys('/fleet')
    let now = 0
    const started = (address: string) => {
      const rivals: (string | null)[] = []
      const record = new InstanceRecord({
        ...{ client, keys, renewal: 20, clock: { monotonic: () => now } },
        status: () => ({ ...STATUS, address, problems: rivals.map((rival) => ({ file: '', message: `${rival}` })) }),
        rivalChanged: (rival) => void rivals.push(rival),
        refusalChanged: () => assert.fail('it is written'),
      })
      record.start()
      return { record, rivals }
    }
    const addressIs = (address: string) =>
      waitUntil(`the record is that of ${address}`, async () =>
        (await readInstances(client, keys)).some((each) => each.address === address),
      )
    // Left by a process that was killed: its lease has not ended.
    const { lease } = await client.grantLease(60)
    const left = encodeStatus({ ...STATUS, address: 'killed' }, 'another process')
    await client.transact({ compare: [], success: [{ put: { key: keys.instance('one'), value: left, lease } }] })
    const one = started('host:1')
    await addressIs('host:1')
    // A second look, as at each renewal.
    await waitUntil('it is counted', () => one.record.instances === 1)
    assert.deepEqual(one.rivals, [])

    const two = started('host:2')
    await waitUntil('both know of the other', () => one.rivals.length + two.rivals.length === 2)
    assert.deepEqual([one.rivals, two.rivals], [['host:2'], ['host:1']])
    await waitUntil('the record tells it', async () => (await readInstances(client, keys))[0]?.problems.length === 1)
    await two.record.close()
    await addressIs('host:1')
    now += 19_000
    // A count between the two records finds none.
    await waitUntil('it is counted again', () => one.record.instances === 1)
    assert.deepEqual(one.rivals, ['host:2'])
    now += 2_000
    await waitUntil('the other one is gone', () => one.rivals.length === 2)
    assert.deepEqual(one.rivals, ['host:2', null])
    await one.record.close()
  })

  test('tells once that the store refuses it, and when it takes it again', async () => {
    let kind: EtcdErrorKind | null = 'no-space'
    let writes = 0
    const client = {
      get: async () => ({ item: null }),
      count: async () => 0,
      grantLease: async () => ({ lease: '1' }),
      keepAlive: async () => {},
      revokeLease: async () => {},
      transact: async () => {
        writes++
        if (kind !== null) throw new EtcdError(kind, `refused: ${kind}`)
        return { succeeded: true, revision: 2n, responses: [] }
      },
    } as unknown as EtcdClient
    const refusals: (string | null)[] = []
    const record = new InstanceRecord({
      ...{ client, keys: new StoreKeys('/fleet'), renewal: 10, clock: systemClock },
      status: () => STATUS,
      rivalChanged: () => {},
      refusalChanged: (refusal) => refusals.push(refusal?.message ?? null),
    })
    record.start()
    await waitUntil('it is tried again', () => writes > 2)
    assert.deepEqual(refusals, ['refused: no-space'])
    // What the follower sees too is left to it.
    kind = 'unavailable'
    const before = writes
    await waitUntil('it is tried again', () => writes > before + 1)
    assert.equal(refusals.length, 1)
    kind = null
    await waitUntil('it is written', () => refusals.length === 2)
    assert.deepEqual(refusals, ['refused: no-space', null])
    await record.close()
  })

  test('is written again where a write gets no response, and by no write that comes late', {
    skip: etcdMissing,
  }, async () => {
    await using etcd = await EtcdMember.start()
    await using relay = await EtcdRelay.start(etcd)
    await using client = etcdClient([relay.url])
    const keys = new StoreKeys('/fleet')
    let status = STATUS
    const record = new InstanceRecord({
      ...{ client, keys, renewal: 3_600_000, clock: systemClock },
      status: () => status,
      rivalChanged: () => {},
      refusalChanged: () => assert.fail('it is written'),
    })
    record.start()
    const found = async () => (await readInstances(client, keys))[0]?.served
    await waitUntil('the record exists', async () => (await found()) === 2)
    // As a member that has forwarded a write to a leader that died.
    const late = Promise.withResolvers<Fate>()
    let puts = 0
    relay.fateOf = (request) => (request.puts.length > 0 && puts++ === 0 ? late.promise : 'pass')
    status = { ...STATUS, served: 3 }
    record.changed()
    await waitUntil('the write is on its way', () => puts > 0)
    status = { ...STATUS, served: 4 }
    record.changed()
    await waitUntil('a later write came first', async () => (await found()) === 4, 5_000)
    const before = relay.answered.size
    late.resolve('pass')
    await waitUntil('the first one came late', () => relay.answered.size > before)
    assert.equal(await found(), 4)
    await record.close()
  })

  test('of others is read with bounds, or not at all', () => {
    assert.deepEqual(decodeStatus('one', Buffer.from(encodeStatus(STATUS, ''))), STATUS)
    const others = [
      '',
      '[]',
      '{}',
      '{"state":"current","wanted":"3","served":null}',
      '{"state":"x","wanted":1,"served":1}',
    ]
    for (const value of others) assert.equal(decodeStatus('one', Buffer.from(value)), null, value)
    const problem = { file: 'a', message: 'x'.repeat(10_000) }
    const many = { ...STATUS, version: 'v'.repeat(5_000), problems: Array.from({ length: 1_000 }, () => problem) }
    const bounded = decodeStatus('one', Buffer.from(encodeStatus(many, '')))!
    assert.deepEqual([bounded.version.length, bounded.problems.length], [1_024, 51])
    assert.match(bounded.problems.at(-1)!.message, /^and 950 more/)
  })
})

test('the default id has the name of the host and a number that is kept', async () => {
  using state = new Folder()
  const id = await defaultInstanceId(state.path, 'gateway-7.example.com')
  assert.match(id, /^gateway-7\.example\.com-\d{1,9}$/)
  assert.equal(await defaultInstanceId(state.path, 'gateway-7.example.com'), id)
  assert.match(await defaultInstanceId(state.path, '_host name!'), /^host-name--\d{1,9}$/)
  state.write('instance-number', 'not a number')
  assert.notEqual(await defaultInstanceId(state.path, 'gateway-7.example.com'), id)
})
