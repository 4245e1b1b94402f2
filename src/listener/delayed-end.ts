import type { RequestAudit, Response } from '#http'
import type { ResponseTarget } from './response-writer.ts'

/** The event of a request, which is stored before its response is complete. */
export class ResponseRecord {
  readonly #audit: RequestAudit
  readonly #response: Response
  readonly #isEnded: () => boolean

  constructor(audit: RequestAudit, response: Response, isEnded: () => boolean) {
    this.#audit = audit
    this.#response = response
    this.#isEnded = isEnded
  }

  /** Stores the event, then continues: at once where it can not be stored, otherwise unless the request has ended meanwhile. */
  before(next: () => void, onEnded: () => void = () => {}): void {
    const stored = this.#audit.record(this.#response)
    if (stored === null) next()
    else stored.whenStored(() => (this.#isEnded() ? onEnded() : next()))
  }
}

/** Delays the last bytes of a response, so that no client has all of it before the event of its request is stored. */
export class DelayedEnd implements ResponseTarget {
  readonly #target: ResponseTarget
  readonly #length: number | null
  readonly #record: ResponseRecord
  #written = 0
  /** The bytes that complete a body of known length. */
  #last: Uint8Array | undefined

  constructor(target: ResponseTarget, length: number | null, record: ResponseRecord) {
    this.#target = target
    this.#length = length
    this.#record = record
  }

  get chunkedEncoding(): boolean {
    return this.#target.chunkedEncoding
  }

  write(chunk: Uint8Array): boolean {
    this.#written += chunk.length
    if (this.#written !== this.#length) return this.#target.write(chunk)
    this.#last = chunk
    return true
  }

  end(content: string | Uint8Array | undefined = this.#last): void {
    this.#record.before(() => this.#target.end(content))
  }

  once(event: 'drain', listener: () => void): void {
    this.#target.once(event, listener)
  }

  addTrailers(pairs: readonly [string, string][]): void {
    this.#target.addTrailers(pairs)
  }
}
