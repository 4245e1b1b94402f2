import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { waitUntil } from '#test/waiting'
import type { Flow } from '../../flows.ts'
import { assertNoFailure, mark, type Peers, release, releaseSoon, serves } from '../peers.ts'
import { distribution } from '../percentile.ts'

/** A group of requests for each run. */
const GROUP = `group-${process.pid}`

export const KILLS: readonly Flow<Peers>[] = [
  {
    name: 'releases over each gateway in turn are served by all',
    run: async (peers) => {
      const { gateways, times } = peers
      for (let count = 0; count < 12; count++) await release(peers, gateways[count % 3]!, gateways, { state: 'steady' })
      assertNoFailure(peers)
      return distribution(times.get('steady') ?? [])
    },
  },
  {
    name: 'a limit is that of all gateways together',
    run: async (peers) => {
      const { gateways } = peers
      const statuses: number[] = []
      for (let count = 0; count < 90; count++) {
        const { status } = await gateways[count % 3]!.ask('/limited', { 'x-group': GROUP })
        statuses.push(status)
      }
      assert.equal(statuses.filter((status) => status === 200).length, 50)
      assert.equal(statuses.filter((status) => status === 429).length, 40)
    },
  },
  {
    name: 'each member of etcd is killed and restarted: releases are made and served meanwhile',
    timeout: 180_000,
    run: async (peers) => {
      const { members, gateways } = peers
      const state = 'a member killed'
      for (const member of members) {
        await member.kill()
        for (const gateway of gateways) await releaseSoon(peers, gateway, gateways, state)
        await member.restart()
        await waitUntil('the member is back', () => member.isHealthy())
        await releaseSoon(peers, gateways[0]!, gateways, state)
      }
      assertNoFailure(peers)
      return distribution(peers.times.get(state) ?? [])
    },
  },
  {
    name: 'each gateway is killed and restarted: the others serve, and it serves the current release when it is ready',
    timeout: 240_000,
    run: async (peers) => {
      const { gateways, load } = peers
      const state = 'a gateway killed'
      const starts: string[] = []
      for (const gateway of gateways) {
        const others = gateways.filter((each) => each !== gateway)
        load.killed(gateway.name)
        await gateway.kill()
        for (const other of others) await release(peers, other, others, { state })
        const { text, response } = await mark(others[0]!)
        assert.equal(response.status, 200)
        const begin = performance.now()
        await gateway.start()
        const ready = performance.now()
        await serves(gateway, '/marker', text)
        starts.push(
          `${gateway.name} ready after ${seconds(ready - begin)}, current ${seconds(performance.now() - ready)} later`,
        )
        // The load balancer sees it by its next check.
        await pause(1_500)
      }
      assertNoFailure(peers)
      return `${distribution(peers.times.get(state) ?? [])}; ${starts.join('; ')}`
    },
  },
  {
    name: 'a gateway that sleeps for 30 s is gone from the list, and current again when it wakes',
    timeout: 120_000,
    run: async (peers) => {
      const [one, two, three] = peers.gateways as [Gateway, Gateway, Gateway]
      two.freeze()
      const end = performance.now() + 30_000
      await release(peers, one, [one, three], { state: 'a gateway asleep' })
      await waitUntil('its record is gone', async () => !(await instances(one)).has(two.name), 29_000)
      await release(peers, three, [one, three], { state: 'a gateway asleep' })
      await pause(Math.max(0, end - performance.now()))
      const { text, response } = await mark(one)
      assert.equal(response.status, 200)
      const woken = performance.now()
      two.thaw()
      await serves(two, '/marker', text)
      const current = performance.now() - woken
      await waitUntil('its record is back', async () => (await instances(one)).has(two.name))
      const listed = performance.now() - woken
      await release(peers, two, peers.gateways, { state: 'after a sleep' })
      // Requests that waited in it since the load balancer noticed.
      await pause(1_000)
      assertNoFailure(peers)
      return `current ${seconds(current)} and listed ${seconds(listed)} after it woke`
    },
  },
]

type Gateway = Peers['gateways'][number]

async function instances(gateway: Gateway): Promise<Set<string>> {
  const { json } = await gateway.manage('GET', '/api/system/instances?_queryFilter=true')
  return new Set(((json['results'] ?? []) as { _id: string }[]).map(({ _id }) => _id))
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`
}
