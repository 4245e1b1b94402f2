import { type Measured, measure, median, type Rounds, type Subject } from './measure.ts'

/** A subject, and the name of its base: the same without the measured feature. */
export interface ComparedSubject extends Subject {
  /** A subject without a base is not compared. */
  readonly base?: string
}

/** One row of the result: a measurement and its ratio to the base. */
export interface ComparedRow extends Measured {
  readonly base: string | null
  /** The median of the ratios of the rounds, in which both are measured one after the other. */
  readonly ratio: number
  /** The median of the differences of the rounds, in microseconds. */
  readonly addedMicros: number
}

/** Measures subjects and their bases, each of which should directly precede its subject. */
export async function measureAdded(
  subjects: readonly ComparedSubject[],
  rounds: Rounds,
  progress: (text: string) => void,
): Promise<ComparedRow[]> {
  const measured = await measure(subjects, rounds, progress)
  return measured.map((row, at) => {
    const base = subjects[at]?.base ?? null
    const costs = measured.find(({ name }) => name === (base ?? row.name))?.cpuMicrosByRound ?? []
    return {
      ...row,
      base,
      ratio: median(row.cpuMicrosByRound.map((cost, round) => cost / (costs[round] ?? Number.NaN))),
      addedMicros: median(row.cpuMicrosByRound.map((cost, round) => cost - (costs[round] ?? Number.NaN))),
    }
  })
}

/** Messages for the named rows whose ratio exceeds the limit. */
export function aboveRatio(rows: readonly ComparedRow[], names: readonly string[], most: number): string[] {
  return names.flatMap((wanted) => {
    const row = rows.find(({ name }) => name === wanted)
    // A missing ratio, or NaN, is a miss.
    if (row !== undefined && row.ratio <= most) return []
    return [`${wanted} costs ${row?.ratio.toFixed(2)} times the same without it; at most ${most}`]
  })
}
