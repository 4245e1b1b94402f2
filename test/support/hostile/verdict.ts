/** One sample of the gateway process. */
export interface Reading {
  readonly residentMiB: number
  readonly descriptors: number
  /** Processor time of the longest turn of an event loop since the last reading. */
  readonly turnMs: number
  /** The largest 99th percentile of the event-loop delay over its threads; a busy machine adds to it. */
  readonly delayMs: number
}

interface Bound {
  readonly what: string
  readonly unit: string
  /** Allowed growth between the first and the last third of a run: within either of them it is flat. */
  readonly growth: number
  readonly factor: number
  /** Maximum of each value after the warm-up. */
  readonly ceiling: number
}

const BOUNDS: Readonly<Record<keyof Reading, Bound>> = {
  // Heaps of units vary by this much with garbage collection.
  residentMiB: { what: 'resident memory', unit: ' MiB', growth: 64, factor: 1.1, ceiling: 1_500 },
  descriptors: { what: 'descriptors', unit: '', growth: 60, factor: 1.2, ceiling: 1_000 },
  // Those with dear bodies take 50 to 200 ms, and are a part of the readings: medians of two minutes differ by 45 ms.
  turnMs: { what: 'longest event-loop turn', unit: ' ms', growth: 80, factor: 1.5, ceiling: 1_000 },
  delayMs: { what: 'event-loop delay (p99)', unit: ' ms', growth: 250, factor: 2, ceiling: 5_000 },
}

/** Of a run, this part is warm-up: code is compiled, pools and heaps reach their size. */
const WARM_UP = 0.4

/** Fewer readings show the warm-up only, and no trend. */
const LEAST_FOR_TREND = 120

/** One kind of reading after the warm-up. */
export interface Level {
  readonly what: string
  readonly unit: string
  readonly before: number
  readonly after: number
  readonly most: number
  readonly problem: string | null
}

/** Compares the first and the last third after the warm-up; medians, since single readings jump. */
export function levels(readings: readonly Reading[]): Level[] {
  const warm = readings.slice(Math.floor(readings.length * WARM_UP))
  const third = Math.max(1, Math.floor(warm.length / 3))
  return Object.entries(BOUNDS).map(([key, bound]) => {
    const values = warm.map((reading) => reading[key as keyof Reading])
    const before = median(values.slice(0, third))
    const after = median(values.slice(-third))
    const most = Math.max(...values)
    const { what, unit, growth, factor, ceiling } = bound
    const grew = after - before > growth && after > before * factor && readings.length >= LEAST_FOR_TREND
    let problem: string | null = null
    if (values.length === 0 || values.some(Number.isNaN)) problem = `${what} could not be read`
    else if (grew) problem = `${what} grew from ${before.toFixed(0)} to ${after.toFixed(0)}${unit}`
    else if (most > ceiling) problem = `${what} reached ${most.toFixed(0)}${unit}; at most ${ceiling} is normal`
    return { what, unit, before, after, most, problem }
  })
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}
