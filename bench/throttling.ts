import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { BucketTable } from '#resilience'
import { systemClock } from '#schema'
import { filteredRoute } from './access-manager-heap.ts'
import { aboveRatio, type ComparedRow, type ComparedSubject, measureAdded } from './added-cost.ts'
import { startGateway } from './gateway-server.ts'
import { installed, load, numberedScript } from './load.ts'
import type { Rounds } from './measure.ts'
import { body, startUpstream } from './proxy.ts'
import { freePort, ServerProcess } from './server-process.ts'
import { node, root, Workspace } from './workspace.ts'

/** Target: the ratio of the route with ThrottlingFilter to the same without. */
export const throttlingTargets = { ratio: 1.05 } as const

const sizes = [1, 1_000, 1_000_000] as const
/** High enough that no request is rejected, and no bucket is full again during the measurement. */
const RATE = { numberOfRequests: 1_000_000, duration: '3650 days' }
const nameOf = (size: number): string => `${size.toLocaleString('en')} partition${size === 1 ? '' : 's'}`

/** Measures the cost of rate limiting: by the number of partitions, and in Redis beside an npm package. */
export async function throttlingBenchmark(rounds: Rounds, progress: (text: string) => void): Promise<ComparedRow[]> {
  for (const size of sizes)
    progress(`${nameOf(size)} in memory: ${decisionNanos(size).toFixed(0)} ns for a decision alone`)
  using workspace = new Workspace()
  await using servers = new AsyncDisposableStack()
  const upstream = await freePort()
  servers.use(await startUpstream(workspace, upstream))
  const redis = installed('redis-server')
  const redisPort = await freePort()
  const running = redis === undefined ? null : servers.use(startRedis(redis, redisPort))
  if (running === null) progress('NOTICE: without Redis: it is not installed (apt-get install redis-server)')

  const store = { type: 'RedisThrottlingStore', config: { url: `redis://127.0.0.1:${redisPort}`, timeout: '1 s' } }
  const routes = new Map<string, unknown>([
    ['none', filteredRoute('/none/', upstream, [])],
    ['local', filteredRoute('/local/', upstream, [throttling({})])],
    ...(redis === undefined
      ? []
      : [['redis', filteredRoute('/redis/', upstream, [throttling({ store, onStoreFailure: 'DENY' })])] as const]),
  ])
  const { server, url } = await startGateway(workspace, 'gateway', routes)
  servers.use(server)
  const subject = (name: string, path: string, below: number, more: Partial<ComparedSubject> = {}): ComparedSubject => {
    const numbered = { below, script: workspace.write(`numbered-${below}.lua`, numberedScript(below)) }
    return {
      name,
      server,
      url: `${url}${path}`,
      expect: { body },
      load: (target, options) => load(target, { ...options, numbered }),
      ...more,
    }
  }
  const subjects = sizes.flatMap((size) => {
    const base = `no filter, ${nameOf(size)}`
    return [subject(base, '/none/', size), subject(nameOf(size), '/local/', size, { base })]
  })
  if (redis !== undefined) {
    const [bare, limited] = [await startBare(upstream), await startBare(upstream, redisPort)]
    servers.use(bare.server)
    servers.use(limited.server)
    subjects.push(
      subject('Redis', '/redis/', 1_000, { base: `no filter, ${nameOf(1_000)}` }),
      subject('bare proxy', '/', 1_000, { server: bare.server, url: `${bare.url}/` }),
      subject('rate-limiter-flexible', '/', 1_000, {
        server: limited.server,
        url: `${limited.url}/`,
        base: 'bare proxy',
      }),
    )
  }
  const rows = await measureAdded(subjects, rounds, progress)
  if (running !== null) {
    const before = running.cpuSeconds()
    const { requests } = await load(`${url}/redis/`, rounds)
    const micros = ((running.cpuSeconds() - before) * 1e6) / requests
    progress(`Redis: ${micros.toFixed(1)} µs of CPU time of Redis for a request with one decision`)
  }
  return rows
}

/** Messages for the missed targets. */
export function missedThrottlingTargets(rows: readonly ComparedRow[]): string[] {
  return aboveRatio(rows, sizes.map(nameOf), throttlingTargets.ratio)
}

/** A filter that counts by path. */
export function throttling(config: object): object {
  return { type: 'ThrottlingFilter', config: { requestGroupingPolicy: '${request.uri.path}', rate: RATE, ...config } }
}

/** Time of one decision with this many buckets, in nanoseconds. */
function decisionNanos(partitions: number): number {
  const size = { maxPartitions: 1_000_000 }
  const table = new BucketTable(new SharedArrayBuffer(BucketTable.bytes(size)), size, systemClock)
  const names = Array.from({ length: partitions }, (_, at) => `/local/${at}`)
  const rate = { numberOfRequests: 2 ** 31 - 1, duration: 365 * 86_400_000 }
  for (const name of names) table.take(name, rate)
  const decisions = 500_000
  const begin = process.cpuUsage()
  for (let at = 0; at < decisions; at++) table.take(names[(at * 7_919) % partitions]!, rate)
  const { user, system } = process.cpuUsage(begin)
  return ((user + system) * 1_000) / decisions
}

function startRedis(program: string, port: number): AsyncDisposable & { cpuSeconds(): number } {
  const child = spawn(program, ['--port', `${port}`, '--bind', '127.0.0.1', '--save', ''], { stdio: 'ignore' })
  return {
    /** From /proc/<pid>/stat (proc(5): fields 14 and 15, in hundredths). */
    cpuSeconds() {
      const stat = readFileSync(`/proc/${child.pid}/stat`, 'latin1')
      const [user, system] = stat
        .slice(stat.lastIndexOf(')') + 2)
        .split(' ')
        .slice(11, 13)
      return (Number(user) + Number(system)) / 100
    },
    async [Symbol.asyncDispose]() {
      const exit = once(child, 'exit')
      child.kill('SIGTERM')
      await exit
    },
  }
}

async function startBare(upstream: number, redisPort: number | null = null) {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const script = join(root, 'bench', 'peers', 'bare-proxy.ts')
  const more = redisPort === null ? [] : [`${redisPort}`]
  const command = [node, script, `${port}`, `http://127.0.0.1:${upstream}`, ...more] as const
  const name = redisPort === null ? 'bare' : 'rate-limiter-flexible'
  return { server: await ServerProcess.start({ name, command, readyUrl: `${url}/` }), url }
}
