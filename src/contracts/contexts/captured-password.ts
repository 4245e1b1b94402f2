import { inspect } from 'node:util'
import { type Exposure, exposed } from '#expression'
import { type ContextKey, contextKey } from '#http'

/** The password of a user, set by CapturedUserPasswordFilter. It is in no log and no JSON. */
export class CapturedPassword {
  readonly #bytes: Buffer

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  get raw(): Buffer {
    return this.#bytes
  }

  /** The password as text, in UTF-8. */
  get value(): string {
    return this.#bytes.toString('utf8')
  }

  get [exposed](): Exposure<CapturedPassword> {
    return EXPOSURE
  }

  toJSON(): string {
    return HIDDEN
  }

  [inspect.custom](): string {
    return HIDDEN
  }
}

const HIDDEN = '<captured password>'

const EXPOSURE: Exposure<CapturedPassword> = {
  kind: 'captured password',
  get: { raw: (self) => self.raw, value: (self) => self.value },
}

/** The context `capturedPassword`. */
export const CapturedPasswordContext: ContextKey<CapturedPassword> = contextKey<CapturedPassword>('capturedPassword')
