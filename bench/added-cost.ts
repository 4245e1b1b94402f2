import { type Measured, measure, median, type Rounds, type Subject } from './measure.ts'

/** A subject, and the one that does the same without the work in question. */
export interface ComparedSubject extends Subject {
  /** The name of the other one; a subject without is compared with nothing. */
  readonly base?: string
}

/** One line of the result: what was measured, and how it stands to the same without the work in question. */
export interface ComparedRow extends Measured {
  readonly base: string | null
  /** The median of the ratios of the rounds: both were measured right after each other. */
  readonly ratio: number
  /** The median of the differences of the rounds, in microseconds. */
  readonly addedMicros: number
}

/** Measures subjects beside those without the work in question, which should stand right before them. */
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

/** Which of the rows cost more than so many times the same without, in words. */
export function aboveRatio(rows: readonly ComparedRow[], names: readonly string[], most: number): string[] {
  return names.flatMap((wanted) => {
    const row = rows.find(({ name }) => name === wanted)
    // Written so that a figure that is not there, or not a number, is a miss.
    if (row !== undefined && row.ratio <= most) return []
    return [`${wanted} costs ${row?.ratio.toFixed(2)} times the same without it; at most ${most}`]
  })
}
