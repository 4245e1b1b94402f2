import { aboveRatio, type ComparedRow } from './added-cost.ts'
import { measurePairs } from './alternating.ts'
import { startPair } from './gateway-pair.ts'
import type { Rounds } from './measure.ts'
import { startUpstream } from './proxy.ts'
import { freePort } from './server-process.ts'
import { Workspace } from './workspace.ts'

/** Target: the ratio of a gateway that samples one request in a hundred to one without tracing. */
const MOST = 1.05

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
  const port = await freePort()
  await using _upstream = await startUpstream(workspace, port)
  const pairs = RATIOS.map(([name, ratio]) => {
    const environment = ratio === null ? {} : variables(`http://127.0.0.1:${port}`, ratio)
    return () => startPair(workspace, port, { name: 'no tracing', options: {} }, { name, options: { environment } })
  })
  return await measurePairs(pairs, rounds, progress)
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
