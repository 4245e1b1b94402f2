import { setTimeout as pause } from 'node:timers/promises'
import autocannon from 'autocannon'
import { Calibration } from './calibration.ts'
import { median } from './measure.ts'
import { startProxies } from './proxy.ts'
import { Workspace } from './workspace.ts'

/** Target: CPU time of a request in a burst after silence, relative to steady traffic. */
const burstTarget = 1.2

const SILENCE = 10_000
const BURST = 2_000
const STEADY = 20_000
const CONNECTIONS = 32

/** One row of the result. */
export interface BurstRow {
  readonly name: string
  readonly errors: number
  /** CPU µs per request. */
  readonly steady: number
  readonly burst: number
  /** The median of the ratios of the rounds. */
  readonly ratio: number
  /** 99th percentile of the latency, in milliseconds. */
  readonly steadyP99: number
  readonly burstP99: number
  /** Rounds in which the machine was slow. */
  readonly slow: number
}

/** Measures requests after a silence: V8 discards compiled code of an idle process, unless it is kept from that. */
export async function burstBenchmark(
  rounds: number,
  chosen: readonly string[],
  progress: (text: string) => void,
): Promise<BurstRow[]> {
  using workspace = new Workspace()
  await using servers = new AsyncDisposableStack()
  const proxies = await startProxies(workspace, servers, chosen, progress)
  using calibration = await Calibration.start()
  const rows: BurstRow[] = []
  for (const { name, server, url } of proxies) {
    const send = async (amount: number) => {
      const before = server.cpuSeconds()
      const result = await autocannon({ url: `${url}/bench`, connections: CONNECTIONS, amount, timeout: 5 })
      const errors = result.non2xx + result.errors
      return { micros: ((server.cpuSeconds() - before) * 1e6) / amount, p99: result.latency.p99, errors }
    }
    await send(STEADY)
    const taken = []
    for (let round = 1; round <= rounds; round++) {
      const slowness = await calibration.slowness()
      const steady = await send(STEADY)
      await pause(SILENCE)
      const burst = await send(BURST)
      const isSlow = calibration.isSlow(Math.max(slowness, await calibration.slowness()))
      taken.push({ steady, burst, isSlow })
      const costs = `${steady.micros.toFixed(1)} µs steady, ${burst.micros.toFixed(1)} µs after a silence`
      progress(`round ${round}/${rounds} ${name}: ${costs}${isSlow ? ', on a slow machine' : ''}`)
    }
    rows.push({
      name,
      errors: taken.reduce((sum, { steady, burst }) => sum + steady.errors + burst.errors, 0),
      steady: median(taken.map(({ steady }) => steady.micros)),
      burst: median(taken.map(({ burst }) => burst.micros)),
      ratio: median(taken.map(({ steady, burst }) => burst.micros / steady.micros)),
      steadyP99: median(taken.map(({ steady }) => steady.p99)),
      burstP99: median(taken.map(({ burst }) => burst.p99)),
      slow: taken.filter(({ isSlow }) => isSlow).length,
    })
  }
  return rows
}

/** Messages for the missed target. */
export function missedBurstTargets(rows: readonly BurstRow[]): string[] {
  const { ratio } = rows.find(({ name }) => name === 'gateway') ?? { ratio: Number.NaN }
  if (ratio <= burstTarget) return []
  return [`a request of a burst costs ${ratio.toFixed(2)} times one of steady traffic; at most ${burstTarget}`]
}
