import { uuid } from './uuid.ts'

const MAX_LENGTH = 200
const UNSAFE = /[^A-Za-z0-9._~:/@=+-]/g

/** Id of a request across servers: sanitized from a trusted peer, or new (threats B21). */
export class TransactionId {
  readonly value: string
  #calls = 0

  constructor(value?: string) {
    const safe = value === undefined ? '' : value.slice(0, MAX_LENGTH).replace(UNSAFE, '_')
    this.value = safe === '' ? uuid() : safe
  }

  /** The id for the next outbound call: `<id>/<n>`, n from 0. */
  next(): string {
    return `${this.value}/${this.#calls++}`
  }
}
