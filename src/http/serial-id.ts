import { uuid } from './uuid.ts'

/** One id of a series: the name of the series, and a number. */
export class SerialId {
  readonly series: string
  readonly number: number

  constructor(series: string, number: number) {
    this.series = series
    this.number = number
  }

  get text(): string {
    return `${this.series}-${this.number}`
  }
}

/** Makes ids: one random name, and a counter. Their texts are only made where they are needed. */
export class SerialIds {
  readonly #series = uuid()
  #count = 0

  next(): SerialId {
    return new SerialId(this.#series, ++this.#count)
  }
}
