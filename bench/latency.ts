import autocannon from 'autocannon'
import { Calibration, repetitions } from './calibration.ts'
import { median } from './measure.ts'
import { startProxies } from './proxy.ts'
import { Workspace } from './workspace.ts'

const CONNECTIONS = 32

/** One row of the result. */
export interface LatencyRow {
  readonly name: string
  readonly errors: number
  /** Requests per second of the load: half of what the bare proxy serves at most. */
  readonly rate: number
  /** Milliseconds. */
  readonly p50: number
  readonly p99: number
  readonly slow: number
}

/** Measures the latency of requests at a fixed rate: half of the most that the bare proxy serves. */
export async function latencyBenchmark(
  { rounds, seconds }: { readonly rounds: number; readonly seconds: number },
  chosen: readonly string[],
  progress: (text: string) => void,
): Promise<LatencyRow[]> {
  using workspace = new Workspace()
  await using servers = new AsyncDisposableStack()
  const proxies = await startProxies(workspace, servers, chosen, progress)
  using calibration = await Calibration.start()
  const options = { connections: CONNECTIONS, duration: seconds, timeout: 5 }
  let most = Number.POSITIVE_INFINITY
  for (const { name, url } of proxies) {
    await autocannon({ ...options, url: `${url}/bench` })
    const { requests } = await autocannon({ ...options, url: `${url}/bench` })
    progress(`${name}: at most ${requests.average.toFixed(0)} requests per second`)
    if (name === 'bare' || proxies.length === 1) most = requests.average
  }
  const rate = Math.round(most / 2)
  const taken = new Map<string, { p50: number; p99: number; errors: number; isSlow: boolean }[]>()
  for (let round = 1; round <= rounds; round++) {
    for (const { name, url } of proxies) {
      const { result, repeated, isSlow } = await calibration.repeatWhileSlow(() =>
        autocannon({ ...options, url: `${url}/bench`, overallRate: rate }),
      )
      const { p50, p99 } = result.latency
      progress(`round ${round}/${rounds} ${name}: p50 ${p50} ms, p99 ${p99} ms${repetitions({ repeated, isSlow })}`)
      taken.set(name, [...(taken.get(name) ?? []), { p50, p99, errors: result.non2xx + result.errors, isSlow }])
    }
  }
  return [...taken].map(([name, results]) => ({
    name,
    rate,
    errors: results.reduce((sum, { errors }) => sum + errors, 0),
    p50: median(results.map(({ p50 }) => p50)),
    p99: median(results.map(({ p99 }) => p99)),
    slow: results.filter(({ isSlow }) => isSlow).length,
  }))
}

/** A message if the gateway is slower than the bare proxy. */
export function missedLatencyTargets(rows: readonly LatencyRow[]): string[] {
  const [own, bare] = ['gateway', 'bare'].map((wanted) => rows.find(({ name }) => name === wanted)?.p99)
  if (own === undefined || bare === undefined || own <= bare) return []
  return [`p99 at half load is ${own} ms; at most that of the bare proxy, ${bare} ms`]
}
