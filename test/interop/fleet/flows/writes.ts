import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { waitUntil } from '#test/waiting'
import type { Flow } from '../../flows.ts'
import { violations } from '../linearizability.ts'
import { assertNoFailure, type Peers, PREFIX, servedAt } from '../peers.ts'
import { distribution } from '../percentile.ts'
import { createRegisters, storedReleases, Writers } from '../write-history.ts'

const WRITES = 1_000
const AT_A_TIME = 48
/** While a member is down, and between two of them. */
const DOWN_TIME = 2_000
const UP_TIME = 2_000

export const WRITES_IN_FAULTS: readonly Flow<Peers>[] = [
  {
    name: `${WRITES} concurrent writes with If-Match over three gateways while members are killed: none lost, none doubled`,
    timeout: 300_000,
    run: async (peers) => {
      const { members, gateways, watch } = peers
      await createRegisters(gateways)
      const from = watch.newest
      const writers = new Writers(gateways)
      const begin = performance.now()
      let isOver = false
      const running = writers.run(WRITES, AT_A_TIME).finally(() => {
        isOver = true
      })
      let kills = 0
      while (!isOver) {
        const member = members[kills++ % members.length]!
        await member.kill()
        await Promise.race([pause(DOWN_TIME), running])
        await member.restart()
        await waitUntil('the member is back', () => member.isHealthy())
        await Promise.race([pause(UP_TIME), running])
      }
      await running
      const time = performance.now() - begin
      const releases = await storedReleases(members, PREFIX, from)
      assert.deepEqual(writers.unexpected.slice(0, 3), [], `${writers.unexpected.length} unexpected responses`)
      assert.deepEqual(violations(releases, writers.writes, writers.reads), [])
      const last = releases.at(-1)!
      for (const [register, value] of last.registers)
        for (const gateway of gateways) await servedAt(gateway, `/${register}`, value)
      assertNoFailure(peers)
      const [done, failed, refused, unknown] = (['done', 'failed', 'refused', 'unknown'] as const).map((outcome) =>
        writers.count(outcome),
      )
      const served = gateways.map((each) => `${each.name} ${distribution(servedLags(each, watch.releases, from + 1))}`)
      const lags = gateways.map(({ name }) => `${name} ${distribution(watch.lags(from + 1, name))}`)
      const took = writers.writes.map((write) => write.end - write.begin)
      return [
        `${done} made, ${failed} in conflict (412), ${refused} refused (503), ${unknown} unknown; ${releases.length - 1} releases in ${(time / 1000).toFixed(1)} s, ${kills} kills`,
        `response to a write: ${distribution(took)}`,
        `store to units that serve it: ${served.join('; ')}`,
        `store to record of the instance: ${lags.join('; ')}`,
      ].join('\n  ')
    },
  },
]

const HOUR = 3_600_000

/** For releases from `from` on: milliseconds from the store until a gateway logs that it serves that or a later one. */
function servedLags({ log }: Peers['gateways'][number], stored: ReadonlyMap<number, number>, from: number): number[] {
  const lines = log.filter((line) => line.includes('"release served'))
  const served = lines.map((line) => {
    const { time, release } = JSON.parse(line) as { time: string; release: number }
    return { release, at: Date.parse(time) - performance.timeOrigin }
  })
  return [...stored].flatMap(([release, since]) => {
    const first = release < from ? undefined : served.find((each) => each.release >= release)
    if (first === undefined) return []
    // Its clock may differ by hours.
    const lag = first.at - since
    return [Math.max(0, lag - Math.round(lag / HOUR) * HOUR)]
  })
}
