/** Growing list of numbers in a typed array, which structured clone copies as one block. */
export class Float64List {
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

  /** A copy of the exact length: structured clone of a view copies its whole buffer. */
  toArray(): Float64Array {
    return this.#numbers.slice(0, this.length)
  }
}
