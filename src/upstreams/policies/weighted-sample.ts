import { RANDOM_RANGE, type RandomNumber } from './random-number.ts'
/** Random positions in proportion to weights, each in logarithmic time. */
export class WeightedSample {
  readonly #random: RandomNumber
  /** Sums of the weights up to each position; null where all are equal. */
  #sums: Float64Array | null = null
  #count = 0

  constructor(random: RandomNumber) {
    this.#random = random
  }

  update(weights: Float64Array): void {
    this.#count = weights.length
    this.#sums = null
    if (weights.every((weight) => weight === weights[0])) return
    const sums = new Float64Array(weights.length)
    let sum = 0
    for (let i = 0; i < weights.length; i++) sums[i] = sum += weights[i]!
    this.#sums = sums
  }

  next(): number {
    const sums = this.#sums
    if (sums === null) return ((this.#random() / RANDOM_RANGE) * this.#count) | 0
    const wanted = (this.#random() / RANDOM_RANGE) * sums[sums.length - 1]!
    let low = 0
    let high = sums.length - 1
    while (low < high) {
      const middle = (low + high) >>> 1
      if (sums[middle]! > wanted) high = middle
      else low = middle + 1
    }
    return low
  }
}
