/** The value below which a share of the values is; NaN of none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN
}

/** Number, median, p99 and maximum of times in milliseconds, and how many are beyond a second. */
export function distribution(times: readonly number[]): string {
  if (times.length === 0) return 'no samples'
  const [median, most, max] = [0.5, 0.99, 1].map((share) => Math.round(percentile(times, share)))
  const late = times.filter((each) => each > 1000).length
  return `${times.length} samples: p50 ${median} ms, p99 ${most} ms, max ${max} ms, ${late} beyond 1 s`
}
