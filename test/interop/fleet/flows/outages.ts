import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import type { RelayMode } from '#test/tcp-relay'
import { waitUntil } from '#test/waiting'
import type { Flow } from '../../flows.ts'
import { assertNoFailure, mark, type Peers, release, releaseSoon, serves } from '../peers.ts'
import { distribution } from '../percentile.ts'

/** Milliseconds until a gateway that is cut off says so; with a reserve for a busy machine. */
const DEGRADED_WITHIN = 8_000

export const OUTAGES: readonly Flow<Peers>[] = [
  {
    name: 'the majority of etcd is lost and found: writes get 503, a gateway restarted meanwhile serves its copy',
    timeout: 240_000,
    run: async (peers) => {
      const { members, gateways, load } = peers
      const [one, two] = gateways as [Gateway, Gateway]
      const before = (await one.ask('/marker')).text
      await Promise.all([members[0]!.kill(), members[1]!.kill()])
      const { response } = await mark(one)
      assert.equal(response.status, 503, response.text)
      assert.equal(response.headers['retry-after'], '5')
      await two.untilStore(/degraded: .*can not be read/)
      load.killed(two.name)
      await two.kill()
      await two.start()
      const check = await two.untilStore(/degraded: .*can not be read.*release \d+ is served/)
      assert.equal(check.status, 200)
      assert.equal((await two.ask('/marker')).text, before)
      assert.equal((await two.manage('GET', '/api/system/objects/_router/routes/marker')).status, 200)
      await Promise.all([members[0]!.restart(), members[1]!.restart()])
      const found = performance.now()
      const times: number[] = []
      for (const gateway of gateways) {
        await gateway.untilStore(/^up/)
        times.push(performance.now() - found)
      }
      await releaseSoon(peers, two, gateways, 'after an outage')
      assertNoFailure(peers)
      return `connected ${seconds(Math.max(...times))} after the members were started; ${check.detail}`
    },
  },
  {
    name: 'history is compacted and members are defragmented: nothing is built again, releases go on',
    run: async (peers) => {
      const { members, gateways } = peers
      const built = await Promise.all(gateways.map((each) => each.metric('gw_route_deployments_total')))
      const state = 'compaction and defragmentation'
      const count = 4
      for (let round = 0; round < count; round++) {
        const revision = /"revision":(\d+)/.exec(await members[0]!.ctl('get', 'x', '-w', 'json'))?.[1] as string
        await members[0]!.ctl('compact', revision, '--physical')
        const [all] = await Promise.all([
          releaseSoon(peers, gateways[round % 3]!, gateways, state),
          ...members.map((member) => member.ctl('defrag', '--command-timeout=20s')),
        ])
        assert.ok(all > 0)
      }
      const after = await Promise.all(gateways.map((each) => each.metric('gw_route_deployments_total')))
      // One route for each release.
      assert.deepEqual(
        after,
        built.map((each) => each + count),
      )
      assertNoFailure(peers)
      return distribution(peers.times.get(state) ?? [])
    },
  },
  ...(['refuse', 'silent', 'requests-only', 'responses-only'] as const).map(partition),
  {
    name: 'etcd is slow for one gateway: 100 ms, then 1 s for each direction',
    timeout: 120_000,
    run: async (peers) => {
      const { relays, gateways } = peers
      const times: string[] = []
      for (const delay of [100, 1_000]) {
        for (const relay of relays) relay.delay = delay
        // Over another one: its own write waits for the store in any case.
        const lag = await release(peers, gateways[0]!, gateways, { state: `etcd ${delay} ms away for one` })
        const begin = performance.now()
        await release(peers, gateways[2]!, gateways, { state: `etcd ${delay} ms away for one` })
        times.push(`${delay} ms: served after ${seconds(lag)}, own release in ${seconds(performance.now() - begin)}`)
      }
      for (const relay of relays) relay.delay = 0
      await gateways[2]!.untilStore(/^up/)
      await release(peers, gateways[1]!, gateways, { state: 'steady' })
      assertNoFailure(peers)
      return times.join('; ')
    },
  },
  {
    name: 'a member stops responding with its connections open, and goes on',
    timeout: 120_000,
    run: async (peers) => {
      const { members, gateways } = peers
      const longest: number[] = []
      for (const member of members) {
        member.freeze()
        await pause(200)
        longest.push(await releaseSoon(peers, gateways[0]!, gateways, 'a member frozen'))
        member.thaw()
        await waitUntil('the member is back', () => member.isHealthy())
      }
      for (const gateway of gateways) await gateway.untilStore(/^up/)
      assertNoFailure(peers)
      return `served everywhere after ${longest.map(seconds).join(', ')}`
    },
  },
]

/** The last gateway is cut off from all members, while the others make releases. */
function partition(mode: Exclude<RelayMode, 'pass'>): Flow<Peers> {
  return {
    name: `one gateway is cut off from etcd (${mode}) and comes back`,
    timeout: 180_000,
    run: async (peers) => {
      const { relays, gateways } = peers
      const [one, two, cut] = gateways as [Gateway, Gateway, Gateway]
      const before = (await cut.ask('/marker')).text
      for (const relay of relays) relay.mode = mode
      const begin = performance.now()
      // Beside its own write, which waits for the store.
      const degraded = cut.untilStore(/degraded/).then(() => performance.now() - begin)
      await release(peers, one, [one, two], { state: 'another cut off' })
      const { response } = await mark(cut)
      assert.equal(response.status, 503, response.text)
      const answered = performance.now() - begin
      const noticed = await degraded
      assert.ok(noticed < DEGRADED_WITHIN, `degraded after ${seconds(noticed)}`)
      await release(peers, two, [one, two], { state: 'another cut off' })
      // Where only its requests are lost, small releases arrive with the news of them.
      if (mode !== 'responses-only') assert.equal((await cut.ask('/marker')).text, before)
      const { text } = await mark(one)
      for (const relay of relays) relay.mode = 'pass'
      const healed = performance.now()
      await serves(cut, '/marker', text)
      const current = performance.now() - healed
      await cut.untilStore(/^up/)
      await release(peers, cut, gateways, { state: 'steady' })
      assertNoFailure(peers)
      return `own write refused after ${seconds(answered)}, degraded after ${seconds(noticed)}, current ${seconds(current)} after it was connected again`
    },
  }
}

type Gateway = Peers['gateways'][number]

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`
}
