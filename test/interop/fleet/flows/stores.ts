import assert from 'node:assert/strict'
import { Folder } from '#test/folder'
import { SpawnedCommand } from '#test/spawned-command'
import { waitUntil } from '#test/waiting'
import type { Flow } from '../../flows.ts'
import { assertNoFailure, mark, type Peers, PREFIX, release, releaseSoon, serves } from '../peers.ts'

const MEBIBYTE = 1024 * 1024

export const STORES: readonly Flow<Peers>[] = [
  {
    name: 'etcd is out of space: writes get 503, traffic goes on, and writes go on when there is space',
    timeout: 180_000,
    run: async (peers) => {
      const { members, gateways } = peers
      const [one] = gateways as [Gateway]
      const member = members[0]!
      const filled = await fill(member.url)
      const { response } = await mark(one)
      assert.equal(response.status, 503, response.text)
      assert.match(response.text, /space/)
      for (const gateway of gateways) assert.equal((await gateway.storeCheck()).status, 200)
      await member.ctl('del', '--prefix', 'filling/')
      const revision = /"revision":(\d+)/.exec(await member.ctl('get', 'x', '-w', 'json'))?.[1] as string
      await member.ctl('compact', revision, '--physical', '--command-timeout=30s')
      for (const each of members) await each.ctl('defrag', '--command-timeout=30s')
      await member.ctl('alarm', 'disarm')
      await releaseSoon(peers, one, gateways, 'after NOSPACE')
      for (const gateway of gateways) await gateway.untilStore(/^up/)
      await instancesAre(one, 3)
      assertNoFailure(peers)
      return `${filled} MiB until the alarm`
    },
  },
  {
    name: 'the store is emptied: served on, writes get 409, and a push decides',
    timeout: 180_000,
    run: async (peers) => {
      await peers.members[0]!.ctl('del', '--prefix', `${PREFIX}/`)
      peers.watch.reset()
      return decidedByPush(peers, /no release/)
    },
  },
  {
    name: 'the store is restored from an older snapshot: served on, writes get 409, and a push decides',
    timeout: 240_000,
    run: async (peers) => {
      using folder = new Folder()
      const { members, gateways, watch } = peers
      const snapshot = `${folder.path}/snapshot.db`
      await members[0]!.ctl('snapshot', 'save', snapshot)
      for (const gateway of gateways) await release(peers, gateway, gateways, { state: 'steady' })
      await Promise.all(members.map((member) => member.kill()))
      await Promise.all(members.map((member) => member.restoreFrom(snapshot)))
      await waitUntil('etcd has a leader', () => members[0]!.isHealthy())
      watch.reset()
      return decidedByPush(peers, /older backup/)
    },
  },
  {
    name: 'the store is restored from an older snapshot, and adopted',
    timeout: 240_000,
    run: async (peers) => {
      using folder = new Folder()
      const { members, gateways, watch } = peers
      const { text: before } = await mark(gateways[0]!)
      const snapshot = `${folder.path}/snapshot.db`
      await members[0]!.ctl('snapshot', 'save', snapshot)
      const { text: later } = await mark(gateways[1]!)
      for (const gateway of gateways) await serves(gateway, '/marker', later)
      await Promise.all(members.map((member) => member.kill()))
      await Promise.all(members.map((member) => member.restoreFrom(snapshot)))
      await waitUntil('etcd has a leader', () => members[0]!.isHealthy())
      watch.reset()
      for (const gateway of gateways) {
        await gateway.untilStore(/contradicts/)
        assert.equal((await gateway.ask('/marker')).text, later)
      }
      for (const gateway of gateways) {
        await command('release', 'adopt', '--gateway', urlOf(gateway))
        await serves(gateway, '/marker', before)
      }
      for (const gateway of gateways) await releaseSoon(peers, gateway, gateways, 'after adopting')
      assertNoFailure(peers)
    },
  },
  {
    name: 'a gateway with another prefix serves its copy and writes nothing',
    timeout: 180_000,
    run: async (peers) => {
      const { gateways, load, members } = peers
      const [one, two] = gateways as [Gateway, Gateway]
      const before = (await two.ask('/marker')).text
      load.killed(two.name)
      await two.kill()
      await two.start('/other-prefix')
      const check = await two.untilStore(/contradicts/)
      assert.equal((await two.ask('/marker')).text, before)
      const { response } = await mark(two)
      assert.equal(response.status, 409, response.text)
      assert.equal(await members[0]!.ctl('get', '--keys-only', '/other-prefix/current'), '')
      load.killed(two.name)
      await two.kill()
      await two.start(PREFIX)
      await two.untilStore(/^up/)
      await release(peers, one, gateways, { state: 'steady' })
      assertNoFailure(peers)
      return check.detail
    },
  },
]

type Gateway = Peers['gateways'][number]

/** All gateways serve what they served, refuse writes, and serve what one of them is pushed. */
async function decidedByPush(peers: Peers, reason: RegExp): Promise<string> {
  using folder = new Folder()
  const { gateways } = peers
  const [one, two] = gateways as [Gateway, Gateway]
  const { text: before } = await one.ask('/marker')
  for (const gateway of gateways) {
    await gateway.untilStore(/degraded: .*contradicts/)
    assert.equal((await gateway.ask('/marker')).text, before)
    const { response } = await mark(gateway)
    assert.equal(response.status, 409, response.text)
    assert.match(response.text, reason)
  }
  await command('pull', folder.path, '--gateway', urlOf(one))
  await command('push', folder.path, '--gateway', urlOf(two), '--wait', '30s')
  for (const gateway of gateways) {
    await gateway.untilStore(/^up/)
    assert.equal((await gateway.ask('/marker')).text, before)
  }
  for (const gateway of gateways) await release(peers, gateway, gateways, { state: 'after a push that decided' })
  assertNoFailure(peers)
  return ''
}

async function command(...words: readonly string[]): Promise<string> {
  await using running = new SpawnedCommand(words)
  const { code } = await running.exit
  assert.equal(code, 0, `gateway ${words.join(' ')}: ${running.stderr}`)
  return running.stdout
}

function urlOf({ adminPort }: Gateway): string {
  return `http://127.0.0.1:${adminPort}`
}

async function instancesAre(gateway: Gateway, count: number): Promise<void> {
  await waitUntil(`${count} instances are listed`, async () => {
    const { json } = await gateway.manage('GET', '/api/system/instances?_queryFilter=true')
    return (json['results'] as unknown[] | undefined)?.length === count
  })
}

/** Puts values until etcd has no space; their number. */
async function fill(url: string): Promise<number> {
  const value = Buffer.alloc(MEBIBYTE).toString('base64')
  for (let count = 0; count < 1_000; count++) {
    const key = Buffer.from(`filling/${count}`).toString('base64')
    const response = await fetch(`${url}/v3/kv/put`, { method: 'POST', body: JSON.stringify({ key, value }) })
    const text = await response.text()
    if (/space exceeded/.test(text)) return count
    if (!response.ok) throw new Error(text)
  }
  throw new Error('etcd has no quota')
}
