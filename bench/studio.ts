import { Agent, request } from 'node:http'
import { filteredRoute } from './access-manager-heap.ts'
import { aboveRatio, type ComparedRow } from './added-cost.ts'
import { type AlternatingState, measureAlternating } from './alternating.ts'
import { startGateway } from './gateway-server.ts'
import { type LoadOptions, load } from './load.ts'
import type { Rounds } from './measure.ts'
import { startUpstream } from './proxy.ts'
import { freePort } from './server-process.ts'
import { missedPageTargets, studioPages } from './studio-pages.ts'
import { Workspace } from './workspace.ts'

/** Targets: the ratio of the CPU time of a request while an event stream is open to that without. */
const studioTargets = { metrics: 1.02, requests: 1.05 } as const

const PASSWORD = 'of-the-benchmark'
const metrics = 'live metrics'
const requests = 'live requests'
const filtered = 'live requests, filtered'

/** Measures the cost of the live monitor on the traffic path, and that of pages in a browser. */
export async function studioBenchmark(rounds: Rounds, progress: (text: string) => void): Promise<ComparedRow[]> {
  using workspace = new Workspace()
  await using servers = new AsyncDisposableStack()
  const upstream = await freePort()
  servers.use(await startUpstream(workspace, upstream))
  workspace.write('gateway/secrets/gateway.admin.password', PASSWORD)
  const routes = new Map<string, unknown>([['route', filteredRoute('/route', upstream, [])]])
  const { server, url, adminUrl } = await startGateway(workspace, 'gateway', routes)
  servers.use(server)
  const target = `${url}/route`
  const whileStreaming = (name: string, path: string): AlternatingState => ({
    name,
    server,
    load: (options) => whileOpen(adminUrl + path, target, options),
  })
  const base = { name: 'no stream', server, load: (options: LoadOptions) => load(target, options) }
  const rare = encodeURIComponent('status ge 500 and route eq "route"')
  const states = [
    whileStreaming(metrics, '/api/monitor/metrics'),
    whileStreaming(requests, '/api/monitor/requests'),
    whileStreaming(filtered, `/api/monitor/requests?_queryFilter=${rare}`),
  ]
  const rows = await measureAlternating(base, states, rounds, progress)
  return [...rows, ...(await studioPages(rounds, progress))]
}

/** Messages for the missed targets. */
export function missedStudioTargets(rows: readonly ComparedRow[]): string[] {
  return [
    ...aboveRatio(rows, [metrics], studioTargets.metrics),
    ...aboveRatio(rows, [requests], studioTargets.requests),
    ...missedPageTargets(rows),
  ]
}

/** Runs a load while an event stream is read. */
async function whileOpen(stream: string, url: string, options: LoadOptions): ReturnType<typeof load> {
  const agent = new Agent()
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const opened = request(stream, { agent, headers: { Authorization: `Bearer ${PASSWORD}` } }, (response) => {
    response.resume()
    response.on('error', () => {})
    if (response.statusCode === 200) resolve()
    else reject(new Error(`${stream} responded with ${response.statusCode}`))
  })
  opened.on('error', reject)
  opened.end()
  await promise
  try {
    return await load(url, options)
  } finally {
    opened.destroy()
    agent.destroy()
  }
}
