import type { ComparedRow } from './added-cost.ts'
import type { Load, LoadOptions } from './load.ts'
import { type Measured, median, type Rounds } from './measure.ts'
import type { ServerProcess } from './server-process.ts'

/** A state of one server that is compared with its usual one, and how a load runs in it. */
export interface AlternatingState {
  readonly name: string
  load(options: LoadOptions): Promise<Load>
}

interface Slice extends Load {
  readonly cpuMicros: number
}

/** A slice of a state between two of the usual state. */
interface Compared {
  readonly around: readonly [Slice, Slice]
  readonly during: Slice
}

/** Slices of each state in one round; short ones, so that changes of the machine affect a slice and those around it equally. */
const SLICES = 4
const SECONDS = 1

/**
 * Measures small differences between states of one server in turns: a slice of the usual state before and after each slice
 * of another one. The first turn warms up, and is not counted.
 */
export async function measureAlternating(
  server: ServerProcess,
  base: AlternatingState,
  states: readonly AlternatingState[],
  { rounds, connections }: Rounds,
  progress: (text: string) => void,
): Promise<ComparedRow[]> {
  const slice = async ({ load, name }: AlternatingState): Promise<Slice> => {
    const before = server.cpuSeconds()
    const done = await load({ connections, seconds: SECONDS })
    if (done.requests === 0) throw new Error(`${name} sent no response in ${SECONDS} s`)
    return { ...done, cpuMicros: ((server.cpuSeconds() - before) * 1e6) / done.requests }
  }
  const usual: Slice[] = []
  const compared = new Map<string, Compared[]>(states.map(({ name }) => [name, []]))
  let last = await slice(base)
  for (let turn = 0; turn <= rounds * SLICES; turn++) {
    const ratios: string[] = []
    for (const state of states) {
      const during = await slice(state)
      const around = [last, await slice(base)] as const
      last = around[1]
      ratios.push(`${state.name} ${(during.cpuMicros / meanCost(around)).toFixed(3)}`)
      if (turn === 0) continue
      usual.push(last)
      compared.get(state.name)?.push({ around, during })
    }
    const label = turn === 0 ? 'warm-up' : `turn ${turn}/${rounds * SLICES}`
    progress(`${label}: ${last.cpuMicros.toFixed(1)} µs CPU for each request; ${ratios.join(', ')}`)
  }
  const rows = [...compared].map(([name, slices]) => {
    return {
      ...summary(
        name,
        slices.map(({ during }) => during),
      ),
      base: base.name,
      ratio: median(slices.map(({ around, during }) => during.cpuMicros / meanCost(around))),
      addedMicros: median(slices.map(({ around, during }) => during.cpuMicros - meanCost(around))),
    }
  })
  return [{ ...summary(base.name, usual), base: null, ratio: 1, addedMicros: 0 }, ...rows]
}

function summary(name: string, slices: readonly Slice[]): Measured {
  const costs = slices.map(({ cpuMicros }) => cpuMicros)
  const sum = (value: (slice: Slice) => number) => slices.reduce((total, slice) => total + value(slice), 0)
  return {
    name,
    requests: sum(({ requests }) => requests),
    errors: sum(({ errors }) => errors),
    cpuMicros: { median: median(costs), min: Math.min(...costs), max: Math.max(...costs) },
    cpuMicrosByRound: costs,
    requestsPerSecond: median(slices.map(({ requests, seconds }) => requests / seconds)),
    repeated: 0,
    slow: 0,
  }
}

function meanCost([before, after]: readonly [Slice, Slice]): number {
  return (before.cpuMicros + after.cpuMicros) / 2
}
