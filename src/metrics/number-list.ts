/** A list of numbers that grows, and is plain memory: it crosses from thread to thread without being looked into. */
export class NumberList {
  length = 0
  #numbers: Float64Array

  constructor(expected: number) {
    this.#numbers = new Float64Array(Math.max(16, expected))
  }

  push(number: number): void {
    if (this.length === this.#numbers.length) {
      const larger = new Float64Array(this.length * 2)
      larger.set(this.#numbers)
      this.#numbers = larger
    }
    this.#numbers[this.length++] = number
  }

  set(at: number, number: number): void {
    this.#numbers[at] = number
  }

  /** Exactly the numbers: a view of a larger block would take the whole block along. */
  toArray(): Float64Array {
    return this.#numbers.slice(0, this.length)
  }
}
