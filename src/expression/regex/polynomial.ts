/** A number of steps that grows with the length of a text: the coefficients of its powers, from the constant on. */
export type Polynomial = readonly number[]

/** Nothing to do. */
export const zero: Polynomial = [0]
/** One step. */
export const one: Polynomial = [1]
/** One step for each position of the text. */
export const perPosition: Polynomial = [0, 1]
/** More than may be waited for. */
export const unbounded: Polynomial = [Number.POSITIVE_INFINITY]

/** No text of interest is short enough for a greater power. */
const maxDegree = 8

/** A fixed number of steps. */
export const steps = (count: number): Polynomial => [count]

/** Both, one after the other. */
export function plus(left: Polynomial, right: Polynomial): Polynomial {
  const length = Math.max(left.length, right.length)
  return bounded(Array.from({ length }, (_, index) => (left[index] ?? 0) + (right[index] ?? 0)))
}

/** The second for each of the first. */
export function times(left: Polynomial, right: Polynomial): Polynomial {
  const length = left.length + right.length - 1
  if (length > maxDegree + 1) return unbounded
  const result = new Array<number>(length).fill(0)
  for (const [shift, factor] of left.entries()) {
    for (const [index, other] of right.entries()) result[shift + index]! += factor * other
  }
  return bounded(result)
}

/** A polynomial multiplied by itself. */
export function power(base: Polynomial, exponent: number): Polynomial {
  if (base.length === 1) return bounded([base[0]! ** exponent])
  if ((base.length - 1) * exponent > maxDegree) return unbounded
  return Array.from({ length: exponent }, () => base).reduce(times, one)
}

/** The longest text, up to `limit`, for which the steps stay within `maxSteps`; -1 if no length does. */
export function longestWithin(maxSteps: number, cost: Polynomial, limit: number): number {
  let fits = -1
  let exceeds = limit + 1
  while (exceeds - fits > 1) {
    const middle = Math.floor((fits + exceeds) / 2)
    // A text has one position more than characters.
    if (valueAt(cost, middle + 1) <= maxSteps) fits = middle
    else exceeds = middle
  }
  return fits
}

/** The steps for a text with `at` positions. */
export const valueAt = (cost: Polynomial, at: number): number =>
  cost.reduceRight((value, factor) => value * at + factor, 0)

/** Infinite coefficients stay infinite, whatever they are multiplied by. */
const bounded = (result: Polynomial): Polynomial => (result.every(Number.isFinite) ? result : unbounded)
