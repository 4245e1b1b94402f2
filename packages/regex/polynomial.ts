/** Steps as a polynomial of the length of a text: its coefficients, the constant first. */
export type Polynomial = readonly number[]

export const zero: Polynomial = [0]
export const one: Polynomial = [1]
/** One step for each position of the text. */
export const perPosition: Polynomial = [0, 1]
/** Never within a limit. */
export const unbounded: Polynomial = [Number.POSITIVE_INFINITY]

/** Higher powers exceed the limits for all but very short texts. */
const maxDegree = 8

/** Constant. */
export const steps = (count: number): Polynomial => [count]

export function plus(left: Polynomial, right: Polynomial): Polynomial {
  if (left.length === 1 && right.length === 1) return [left[0]! + right[0]!]
  const length = Math.max(left.length, right.length)
  return bounded(Array.from({ length }, (_, index) => (left[index] ?? 0) + (right[index] ?? 0)))
}

export function times(left: Polynomial, right: Polynomial): Polynomial {
  // Most nodes match one character.
  if (left.length === 1 && left[0] === 1) return right
  if (right.length === 1 && right[0] === 1) return left
  const length = left.length + right.length - 1
  if (length > maxDegree + 1) return unbounded
  const result = new Array<number>(length).fill(0)
  for (const [shift, factor] of left.entries()) {
    for (const [index, other] of right.entries()) result[shift + index]! += factor * other
  }
  return bounded(result)
}

export function power(base: Polynomial, exponent: number): Polynomial {
  if (base.length === 1) return bounded([base[0]! ** exponent])
  if ((base.length - 1) * exponent > maxDegree) return unbounded
  return Array.from({ length: exponent }, () => base).reduce(times, one)
}

/** The longest text, up to `limit`, for which the steps stay within `maxSteps`; -1 if no length does. */
export function longestWithin(maxSteps: number, cost: Polynomial, limit: number): number {
  if (valueAt(cost, limit + 1) <= maxSteps) return limit
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
export function valueAt(cost: Polynomial, at: number): number {
  let value = 0
  for (let power = cost.length - 1; power >= 0; power -= 1) value = value * at + cost[power]!
  return value
}

/** Infinity times zero is infinite here. */
const bounded = (result: Polynomial): Polynomial => (result.every(Number.isFinite) ? result : unbounded)
