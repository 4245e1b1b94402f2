import { addedTo, type Measured, measure, median, type Rounds, ratioTo, type Subject } from './measure.ts'

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
  /** Its standard error, where the rounds are many. */
  readonly ratioError?: number
  /** The median of the differences of the rounds, in microseconds. */
  readonly addedMicros: number
}

/** Measures subjects and their bases; a base is measured again directly before each of its subjects, so that slow drifts of the machine cancel out. */
export async function measureAdded(
  subjects: readonly ComparedSubject[],
  rounds: Rounds,
  progress: (text: string) => void,
): Promise<ComparedRow[]> {
  const turns: ComparedSubject[] = []
  const baseTurn = new Map<ComparedSubject, number>()
  for (const subject of subjects) {
    const base = subjects.find(({ name }) => name === subject.base)
    if (base !== undefined) baseTurn.set(subject, turns.push({ ...base }) - 1)
    if (base !== undefined || !subjects.some((other) => other.base === subject.name)) turns.push(subject)
  }
  const measured = await measure(turns, rounds, progress)
  return subjects.map((subject) => {
    const own = measured.filter((_, at) => turns[at]?.name === subject.name)
    const row = joined(own as [Measured, ...Measured[]])
    const base = measured[baseTurn.get(subject) ?? -1] ?? row
    return {
      ...row,
      base: subject.base ?? null,
      ratio: ratioTo(base, row),
      addedMicros: addedTo(base, row),
    }
  })
}

/** All rounds of a base, which is measured once for each of its subjects. */
function joined(rows: readonly [Measured, ...Measured[]]): Measured {
  const costs = rows.flatMap(({ cpuMicrosByRound }) => cpuMicrosByRound)
  const sum = (number: (row: Measured) => number) => rows.reduce((total, row) => total + number(row), 0)
  return {
    name: rows[0].name,
    requests: sum(({ requests }) => requests),
    errors: sum(({ errors }) => errors),
    cpuMicros: { median: median(costs), min: Math.min(...costs), max: Math.max(...costs) },
    cpuMicrosByRound: costs,
    requestsPerSecond: median(rows.map(({ requestsPerSecond }) => requestsPerSecond)),
    repeated: sum(({ repeated }) => repeated),
    slow: sum(({ slow }) => slow),
  }
}

/** Messages for the named rows whose ratio exceeds the limit. */
export function aboveRatio(rows: readonly ComparedRow[], names: readonly string[], most: number): string[] {
  return names.flatMap((wanted) => {
    const row = rows.find(({ name }) => name === wanted)
    // A missing ratio, or NaN, is a miss.
    if (row !== undefined && row.ratio <= most) return []
    return [`${wanted} costs ${row?.ratio.toFixed(2)} times ${row?.base ?? 'its base'}; at most ${most}`]
  })
}
