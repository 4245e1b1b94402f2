import { join } from 'node:path'
import { startEtcd } from './etcd-server.ts'
import { type FollowersResult, measureFollowers } from './fleet-followers.ts'
import { FleetGateway } from './fleet-gateway.ts'
import { BusyPrefix, idleCpu, quiet } from './fleet-idle.ts'
import { startGateway } from './gateway-server.ts'
import { median, type Rounds } from './measure.ts'
import { Workspace } from './workspace.ts'

const FOLLOWERS = 200
const WAIT = '300s'

/** Changes of one route for each round, and idle seconds for each second of a round. */
const CHANGES_IN_ROUND = 4
const IDLE_IN_SECOND = 20

const SETTLING = 10

/**
 * Targets: seconds until every instance has a change after the store has it, bytes that an instance reads for one changed route,
 * and how much CPU time a busy prefix of others costs it (ratio to the same instance while etcd is quiet).
 */
export const fleetTargets = { seconds: 1, bytes: 65_536, busyRatio: 2 } as const

/** One row of the result. Null: does not apply. */
export interface FleetRow {
  readonly name: string
  /** Until the command or the start has ended, or the other gateway serves the change. */
  readonly seconds: number | null
  /** CPU seconds of the gateway that took the change, also after it, until it is idle again (history of routes, audit). */
  readonly takerCpu: number | null
  /** CPU seconds of the other gateway, or of the one that starts. */
  readonly cpu: number | null
  readonly etcdCpu: number | null
  /** From etcd to the other gateway, or to the one that starts. */
  readonly bytes: number | null
}

/** CPU seconds in an hour without requests and changes. */
export interface FleetIdle {
  readonly seconds: number
  /** Of a gateway with one route and no store, at the same times: how much of a difference is the machine's. */
  readonly withoutStore: number
  readonly withoutStoreBusy: number
  readonly quiet: number
  readonly busy: number
  /** Of others in a second. */
  readonly writesPerSecond: number
}

export interface FleetResult {
  readonly routes: number
  readonly rows: readonly FleetRow[]
  readonly followers: FollowersResult
  readonly idle: FleetIdle
}

/** Measures releases of many routes with two gateways, one etcd, and 200 followers. */
export async function fleetBenchmark(
  { rounds, seconds }: Rounds,
  routes: number,
  progress: (text: string) => void,
): Promise<FleetResult> {
  using workspace = new Workspace()
  await using servers = new AsyncDisposableStack()
  const etcd = await startEtcd(workspace)
  servers.use(etcd.server)
  const one = servers.use(await FleetGateway.start('one', workspace, etcd.port))
  const two = servers.use(await FleetGateway.start('two', workspace, etcd.port))
  const rows: FleetRow[] = []
  const measured = async (name: string, run: () => Promise<unknown>): Promise<void> => {
    const before = [one.server, two.server, etcd.server].map((server) => server.cpuSeconds())
    const [received, begin] = [two.received, performance.now()]
    await run()
    const took = (performance.now() - begin) / 1_000
    await quiet([one.server, two.server])
    const [takerCpu, cpu, etcdCpu] = [one.server, two.server, etcd.server].map(
      (server, at) => server.cpuSeconds() - before[at]!,
    ) as [number, number, number]
    add({ name, seconds: took, takerCpu, cpu, etcdCpu, bytes: two.received - received })
  }
  const add = (row: FleetRow): void => {
    rows.push(row)
    progress(rowText(row))
  }
  const pushed = (name: string, folder: string) => measured(name, () => one.run('push', folder, '--wait', WAIT))

  const first = writeFolder(workspace, 'first', routes, 'a')
  await pushed(`push of ${count(routes)} new routes`, first)
  await pushed(`push of ${count(routes)} changed routes`, writeFolder(workspace, 'second', routes, 'b'))
  await measured(`roll back of ${count(routes)} routes`, () => one.run('release', 'rollback', '--wait', WAIT))
  workspace.write(`first/config/routes/${idOf(1)}.json`, JSON.stringify(route(idOf(1), 'c')))
  await pushed(`push of a folder with one changed route`, first)
  add(await changedRoutes(one, two, etcd.server, rounds * CHANGES_IN_ROUND))

  const started = async (name: string): Promise<void> => {
    const [received, etcdCpu] = [two.received, etcd.server.cpuSeconds()]
    await two.start()
    const cpu = two.server.cpuSeconds()
    const bytes = two.received - received
    await two.servedAfter(performance.now(), `/${idOf(0)}/x`, 'a')
    add({
      name,
      seconds: two.server.readyAfter / 1_000,
      takerCpu: null,
      cpu,
      etcdCpu: etcd.server.cpuSeconds() - etcdCpu,
      bytes,
    })
  }
  await two.stop()
  await started('start from disk')
  await two.stop()
  two.forgetCopy()
  await started('start from the store')

  await one.stop()
  const idle = await measureIdle(two, etcd.url, workspace, seconds * IDLE_IN_SECOND)
  progress(idleText(idle))
  await two.stop()
  const path = `config/routes/${idOf(2)}.json`
  const measuring = {
    followers: FOLLOWERS,
    changes: rounds * CHANGES_IN_ROUND,
    path,
    idleSeconds: seconds * IDLE_IN_SECOND,
  }
  const followers = await measureFollowers(etcd, measuring)
  return { routes, rows, followers, idle }
}

/** One route is changed on a gateway, again and again; figures of one change. */
async function changedRoutes(
  one: FleetGateway,
  two: FleetGateway,
  etcd: FleetGateway['server'],
  changes: number,
): Promise<FleetRow> {
  const id = idOf(3)
  const times: number[] = []
  const servers = [one.server, two.server, etcd]
  const before = servers.map((server) => server.cpuSeconds())
  const received = two.received
  for (let change = 0; change < changes; change++) {
    const [text, begin] = [`change ${change}`, performance.now()]
    const [time] = await Promise.all([two.servedAfter(begin, `/${id}/x`, text), one.putRoute(id, route(id, text))])
    times.push(time / 1_000)
  }
  await quiet([one.server, two.server])
  const [takerCpu, cpu, etcdCpu] = servers.map((server, at) => (server.cpuSeconds() - before[at]!) / changes)
  const bytes = (two.received - received) / changes
  return {
    name: 'one route changed over the management API',
    seconds: median(times),
    takerCpu: takerCpu!,
    cpu: cpu!,
    etcdCpu: etcdCpu!,
    bytes,
  }
}

async function measureIdle(
  gateway: FleetGateway,
  etcd: string,
  workspace: Workspace,
  seconds: number,
): Promise<FleetIdle> {
  const alone = await startGateway(workspace, 'alone', new Map([[idOf(0), route(idOf(0), 'a')]]))
  await using _ = alone.server
  const servers = [gateway.server, alone.server]
  // What a start leaves to do: garbage, and the first reports of metrics.
  await idleCpu(servers, SETTLING)
  const [quiet = 0, withoutStore = 0] = await idleCpu(servers, seconds)
  await using busyPrefix = new BusyPrefix(etcd)
  const [busy = 0, withoutStoreBusy = 0] = await idleCpu(servers, seconds)
  return { seconds, withoutStore, withoutStoreBusy, quiet, busy, writesPerSecond: busyPrefix.writes / seconds }
}

/** Messages for the missed targets. */
export function missedFleetTargets({ rows, followers, idle }: FleetResult): string[] {
  const { seconds, bytes, busyRatio } = fleetTargets
  const missed: string[] = []
  const one = rows.find(({ name }) => name.startsWith('one route'))
  // NaN is a miss.
  if (!((one?.seconds ?? Number.NaN) <= seconds))
    missed.push(`one changed route is served after ${one?.seconds} s; at most ${seconds} s`)
  if (!((one?.bytes ?? Number.NaN) <= bytes))
    missed.push(`one changed route takes ${one?.bytes} bytes from etcd; at most ${bytes}`)
  if (!(followers.seen.max <= seconds))
    missed.push(
      `the last of ${followers.followers} followers has a change after ${followers.seen.max} s; at most ${seconds} s`,
    )
  if (!(idle.busy <= idle.quiet * busyRatio + 1))
    missed.push(
      `an idle gateway takes ${idle.busy} CPU s in an hour while another prefix is busy, and ${idle.quiet} without; at most ${busyRatio} times`,
    )
  return missed
}

export function rowText({ name, seconds, cpu, takerCpu, bytes }: FleetRow): string {
  return `${name}: ${seconds?.toFixed(2)} s, CPU ${takerCpu?.toFixed(2) ?? '-'} and ${cpu?.toFixed(2)} s, ${bytes} bytes from etcd`
}

export function idleText({ seconds, writesPerSecond, ...idle }: FleetIdle): string {
  const hours = [idle.quiet, idle.withoutStore, idle.busy, idle.withoutStoreBusy].map(
    (value) => `${value.toFixed(0)} s`,
  )
  const [quiet, alone, busy, aloneBusy] = hours
  const busyPrefix = `while another prefix gets ${writesPerSecond.toFixed(0)} writes/s`
  return `CPU time in an hour without changes, from ${seconds} s: ${quiet}, ${busyPrefix} ${busy} (without a store, with one route: ${alone} and ${aloneBusy})`
}

export function followersText({ followers, seen, read, ...cpu }: FollowersResult): string {
  const time = ({ median: middle, max }: { median: number; max: number }): string =>
    `${(middle * 1_000).toFixed(0)} ms (at most ${(max * 1_000).toFixed(0)})`
  const idle = `etcd uses ${(cpu.etcdIdle * 100).toFixed(1)} % of a core for ${followers} instances without changes; their records are read in ${(cpu.listSeconds * 1_000).toFixed(0)} ms`
  return `the last of ${followers} followers knows a change after ${time(seen)}, has read it after ${time(read)}; CPU of one change: etcd ${cpu.etcdCpuSeconds.toFixed(2)} s, all followers ${cpu.followersCpuSeconds.toFixed(2)} s\n${idle}`
}

function count(value: number): string {
  return value.toLocaleString('en')
}

function idOf(at: number): string {
  return `r${String(at).padStart(5, '0')}`
}

/** A folder with all routes; returns its path. */
function writeFolder(workspace: Workspace, name: string, routes: number, text: string): string {
  for (let at = 0; at < routes; at++)
    workspace.write(`${name}/config/routes/${idOf(at)}.json`, JSON.stringify(route(idOf(at), text)))
  return join(workspace.path, name)
}

function route(id: string, text: string): object {
  return {
    name: id,
    condition: `\${find(request.uri.path, '^/${id}/')}`,
    handler: {
      type: 'StaticResponseHandler',
      config: { status: 200, headers: { 'Content-Type': ['text/plain'] }, entity: text },
    },
  }
}
