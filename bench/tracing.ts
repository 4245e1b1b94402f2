import { filteredRoute } from './access-manager-heap.ts'
import { aboveRatio, type ComparedRow, type ComparedSubject, measureAdded } from './added-cost.ts'
import { startGateway } from './gateway-server.ts'
import type { Rounds } from './measure.ts'
import { body, startUpstream } from './proxy.ts'
import { freePort } from './server-process.ts'
import { Workspace } from './workspace.ts'

/** Target: the ratio of a gateway that samples one request in a hundred to one without tracing. */
const MOST = 1.05

const off = 'no tracing'
const sampled = '1 % sampled'

/** Part of the requests that are sampled. The others are for information; a second gateway without tracing shows the noise. */
const RATIOS: readonly (readonly [string, number | null])[] = [
  ['no tracing, again', null],
  ['none sampled', 0],
  [sampled, 0.01],
  ['all sampled', 1],
]

/** Measures the cost of tracing. The application is the collector too: its CPU time is not measured. */
export async function tracingBenchmark(rounds: Rounds, progress: (text: string) => void): Promise<ComparedRow[]> {
  using workspace = new Workspace()
  await using servers = new AsyncDisposableStack()
  const upstream = await freePort()
  servers.use(await startUpstream(workspace, upstream))
  const routes = new Map<string, unknown>([['route', filteredRoute('/route', upstream, [])]])
  const subject = async (name: string, ratio: number | null): Promise<ComparedSubject> => {
    const environment = ratio === null ? {} : variables(`http://127.0.0.1:${upstream}`, ratio)
    const folder = name.replaceAll(/[^a-z0-9]+/g, '-')
    const { server, url } = await startGateway(workspace, folder, routes, { environment })
    servers.use(server)
    return { name, server, url: `${url}/route`, expect: { body }, ...(name !== off && { base: off }) }
  }
  const subjects = [await subject(off, null)]
  for (const [name, ratio] of RATIOS) subjects.push(await subject(name, ratio))
  return await measureAdded(subjects, rounds, progress)
}

function variables(collector: string, ratio: number): Record<string, string> {
  return {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector,
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: String(ratio),
    OTEL_METRICS_EXPORTER: 'none',
    OTEL_LOGS_EXPORTER: 'none',
    // All spans are exported, as fast as they come.
    OTEL_BSP_MAX_QUEUE_SIZE: '100000',
  }
}

/** Messages for the missed targets. */
export function missedTracingTargets(rows: readonly ComparedRow[]): string[] {
  return aboveRatio(rows, [sampled], MOST)
}
