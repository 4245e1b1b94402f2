// npm run interop -- fleet: three members of etcd, three gateways of two units, HAProxy and Redis, under load, with every fault of
// the store and of gateways. Needs etcd-server, etcd-client, haproxy, redis-server and faketime of Debian.
import { etcdMissing } from '#test/etcd'
import { redisMissing } from '#test/redis'
import { useEtcd } from '../etcd-release.ts'
import { type Flow, runFlows } from '../flows.ts'
import { withOwned } from '../owned.ts'
import { KILLS } from './flows/kills.ts'
import { OUTAGES } from './flows/outages.ts'
import { STORES } from './flows/stores.ts'
import { WRITES_IN_FAULTS } from './flows/writes.ts'
import { haproxyMissing } from './haproxy.ts'
import { type Peers, startPeers } from './peers.ts'
import { distribution } from './percentile.ts'
import { faketimeMissing } from './shifted-clock.ts'

/** Flows with a deviating store are last: they begin other numbers. */
const FLOWS: readonly Flow<Peers>[] = [...KILLS, ...OUTAGES, ...WRITES_IN_FAULTS, ...STORES]

/** Words choose flows by their name; `--etcd VERSION` before them builds and uses that version. */
export async function run(args: readonly string[]): Promise<boolean> {
  const [option, version = ''] = args
  const words = option === '--etcd' ? args.slice(2) : args
  if (option === '--etcd') useEtcd(version)
  const missing = [etcdMissing, redisMissing, haproxyMissing].filter((each) => each !== false)
  if (missing.length > 0) {
    console.log(`nothing was run: ${missing.join('; ')}`)
    return false
  }
  if (faketimeMissing !== false) console.log(`NOTICE: ${faketimeMissing}`)
  return withOwned(async (owned) => {
    const flows = FLOWS.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)))
    const begin = performance.now()
    const peers = await startPeers(owned)
    console.log(`the fleet was ready after ${((performance.now() - begin) / 1000).toFixed(1)} s`)
    const passed = await runFlows(flows, peers, logOf(peers))
    await peers.load.stop()
    const failures = peers.load.unexplained()
    for (const failure of failures.slice(0, 5)) console.log(`  failed at the end: ${failure}`)
    console.log(`load: ${peers.load.summary}`)
    console.log('from the store to the responses of every gateway:')
    for (const [state, times] of peers.times) console.log(`  ${state}: ${distribution(times)}`)
    for (const each of peers.late) console.log(`  late: ${each}`)
    return passed && failures.length === 0
  })
}

/** Lines of all gateways, in the order in which they are looked at. */
function logOf({ gateways }: Peers): { readonly lines: readonly string[] } {
  const lines: string[] = []
  const read = new Map<string, number>()
  return {
    get lines() {
      for (const { name, log } of gateways) {
        lines.push(...log.slice(read.get(name) ?? 0).map((line) => `${name} ${line}`))
        read.set(name, log.length)
      }
      return lines
    },
  }
}
