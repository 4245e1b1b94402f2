import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { startGateway } from './gateway-server.ts'
import { load } from './load.ts'
import { benchRoute, startUpstream } from './proxy.ts'
import { freePort } from './server-process.ts'
import { root, Workspace } from './workspace.ts'

/** Longer than the interval at which threads write their totals. */
const TOTALS_WRITTEN = 300

/** Heap bytes that the gateway allocates for one plain request, by thread. */
export interface Allocations {
  readonly requests: number
  readonly errors: number
  readonly name: string
  /** The control thread is the first. */
  readonly bytesByThread: readonly number[]
}

/** Measures the bytes that one plain request allocates on the heap of each thread. */
export async function allocationsBenchmark(seconds: number, connections: number): Promise<Allocations> {
  using workspace = new Workspace()
  await using servers = new AsyncDisposableStack()
  const upstream = await freePort()
  servers.use(await startUpstream(workspace, upstream))
  const folder = join(workspace.path, 'allocated')
  mkdirSync(folder)
  const environment = {
    BENCH_ALLOCATED: folder,
    NODE_OPTIONS: `--import=${join(root, 'bench', 'peers', 'allocated.ts')}`,
  }
  const routes = new Map([['bench', benchRoute(upstream)]])
  const { server, url } = await startGateway(workspace, 'gateway', routes, { environment })
  servers.use(server)
  const options = { connections, seconds }
  await load(`${url}/bench`, options)
  const before = await totals(folder)
  const { requests, errors } = await load(`${url}/bench`, options)
  const after = await totals(folder)
  const bytesByThread = [...after].map(([thread, bytes]) => (bytes - (before.get(thread) ?? 0)) / requests)
  return { name: 'gateway', requests, errors, bytesByThread }
}

/** The bytes that each thread has allocated, by the number of the thread. */
async function totals(folder: string): Promise<Map<string, number>> {
  await pause(TOTALS_WRITTEN)
  const threads = readdirSync(folder).sort((a, b) => Number(a) - Number(b))
  return new Map(threads.map((thread) => [thread, Number(readFileSync(join(folder, thread), 'latin1'))]))
}
