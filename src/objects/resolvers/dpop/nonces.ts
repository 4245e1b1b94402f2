import { createHmac } from 'node:crypto'
import { equalsConstantTime } from '#http'

const STEP_BYTES = 6
const CODE_BYTES = 16
const LENGTH = Math.ceil(((STEP_BYTES + CODE_BYTES) * 8) / 6)

/**
 * Nonces of the gateway (RFC 9449 section 9). Each is a time step with a MAC by a key that all units share: every unit accepts it, and
 * no state is stored. A nonce is valid for its own step and the next.
 */
export class Nonces {
  readonly #key: Buffer
  readonly #step: number

  /** `step` is in milliseconds of the monotonic clock. */
  constructor(key: Buffer, step: number) {
    this.#key = key
    this.#step = step
  }

  /** The current nonce. */
  at(now: number): string {
    return this.#nonce(Math.floor(now / this.#step))
  }

  accepts(nonce: string, now: number): boolean {
    if (nonce.length !== LENGTH) return false
    const step = Math.floor(now / this.#step)
    return (
      equalsConstantTime(nonce, this.#nonce(step)) || (step > 0 && equalsConstantTime(nonce, this.#nonce(step - 1)))
    )
  }

  #nonce(step: number): string {
    const text = Buffer.alloc(STEP_BYTES)
    text.writeUIntBE(step, 0, STEP_BYTES)
    const code = createHmac('sha256', this.#key).update('nonce').update(text).digest().subarray(0, CODE_BYTES)
    return Buffer.concat([text, code]).toString('base64url')
  }
}
