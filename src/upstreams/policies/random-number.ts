/**
 * Whole numbers from 0 to `RANDOM_RANGE` - 1, chosen at random: unlike fractions, and larger numbers, they need no memory.
 */
export type RandomNumber = () => number

export const RANDOM_RANGE = 2 ** 30

/** A generator with a seed of its own (Marsaglia, Xorshift RNGs, 2003). */
export function randomNumbers(): RandomNumber {
  const state = Int32Array.of(1 + Math.floor(Math.random() * (RANDOM_RANGE - 1)))
  return () => {
    let value = state[0]!
    value ^= value << 13
    value ^= value >>> 17
    value ^= value << 5
    state[0] = value
    return value & (RANDOM_RANGE - 1)
  }
}
