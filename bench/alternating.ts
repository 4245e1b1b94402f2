import type { ComparedRow } from './added-cost.ts'
import type { Load, LoadOptions } from './load.ts'
import { type Measured, median, medianError, type Rounds } from './measure.ts'
import type { ServerProcess } from './server-process.ts'

/** A state of a server, and how a load runs in it. States that need a restart have a server each. */
export interface AlternatingState {
  readonly name: string
  readonly server: ServerProcess
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
/** Turns before the first one that counts, where a benchmark does not say how many: they warm up caches, pools and compilers. */
const WARM_UPS = 3

/**
 * Measures small differences between states in turns: a slice of the usual state before and after each slice of another one.
 * The first turns are not counted.
 */
export async function measureAlternating(
  base: AlternatingState,
  states: readonly AlternatingState[],
  { rounds, connections }: Rounds,
  progress: (text: string) => void,
  warmUps = WARM_UPS,
): Promise<ComparedRow[]> {
  const slice = async ({ load, name, server }: AlternatingState): Promise<Slice> => {
    const before = server.cpuSeconds()
    const done = await load({ connections, seconds: SECONDS })
    if (done.requests === 0) throw new Error(`${name} sent no response in ${SECONDS} s`)
    return { ...done, cpuMicros: ((server.cpuSeconds() - before) * 1e6) / done.requests }
  }
  const usual: Slice[] = []
  const compared = new Map<string, Compared[]>(states.map(({ name }) => [name, []]))
  let last = await slice(base)
  for (let turn = 1 - warmUps; turn <= rounds * SLICES; turn++) {
    const ratios: string[] = []
    for (const state of states) {
      const during = await slice(state)
      const around = [last, await slice(base)] as const
      last = around[1]
      ratios.push(`${state.name} ${(during.cpuMicros / meanCost(around)).toFixed(3)}`)
      if (turn < 1) continue
      usual.push(last)
      compared.get(state.name)?.push({ around, during })
    }
    const label = turn < 1 ? 'warm-up' : `turn ${turn}/${rounds * SLICES}`
    progress(`${label}: ${last.cpuMicros.toFixed(1)} µs CPU for each request; ${ratios.join(', ')}`)
  }
  const rows = [...compared].map(([name, slices]) => {
    const ratios = slices.map(({ around, during }) => during.cpuMicros / meanCost(around))
    return {
      ...summary(
        name,
        slices.map(({ during }) => during),
      ),
      base: base.name,
      ratio: median(ratios),
      ratioError: medianError(ratios),
      addedMicros: median(slices.map(({ around, during }) => during.cpuMicros - meanCost(around))),
    }
  })
  return [{ ...summary(base.name, usual), base: null, ratio: 1, addedMicros: 0 }, ...rows]
}

/** A state and the usual one it is compared with. */
export interface AlternatingPair {
  readonly base: AlternatingState
  readonly state: AlternatingState
}

/**
 * Measures states that need a server of their own, one pair after the other. The usual state of each pair has a server of its
 * own too, that is as old and has served as much: two servers of one kind differ by what they compiled.
 */
export async function measurePairs(
  pairs: readonly (() => Promise<AlternatingPair & AsyncDisposable>)[],
  rounds: Rounds,
  progress: (text: string) => void,
): Promise<ComparedRow[]> {
  const rows: ComparedRow[] = []
  for (const start of pairs) {
    await using pair = await start()
    const [base, row] = await measureAlternating(pair.base, [pair.state], rounds, progress)
    if (rows.length === 0 && base !== undefined) rows.push(base)
    if (row !== undefined) rows.push(row)
  }
  return rows
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
