import type { DeliveryTiming } from './delivery-timing.ts'
import { type QueuedRecord, RecordRefused, RecordsDiscarded, type Transport } from './transport.ts'

/** The transport did not end in time. */
export class SendTimedOut extends Error {
  readonly code = 'ETIMEDOUT'

  constructor() {
    super('the destination did not accept the records in time')
  }
}

/** One call of `send`, which ends within a deadline also where the transport does not. */
export class BoundedSend {
  readonly #controller = new AbortController()
  readonly #ended = Promise.withResolvers<never>()
  #timer: NodeJS.Timeout
  #isSettled = false

  constructor({ sendDeadline, abortGrace }: Pick<DeliveryTiming, 'sendDeadline' | 'abortGrace'>) {
    this.#timer = setTimeout(() => this.abort(abortGrace), sendDeadline)
    this.#ended.promise.catch(() => {})
  }

  /** Resolves when all records were accepted, also if that came after the abort. */
  async send(transport: Transport, records: readonly QueuedRecord[]): Promise<void> {
    try {
      await Promise.race([this.#call(transport, records), this.#ended.promise])
    } catch (error) {
      const isOutcome = error instanceof RecordRefused || error instanceof RecordsDiscarded
      const isTimedOut = this.#controller.signal.aborted && !isOutcome
      throw isTimedOut ? new SendTimedOut() : error
    } finally {
      this.#isSettled = true
      clearTimeout(this.#timer)
    }
  }

  /** Aborts the call; after the grace its outcome is ignored. */
  abort(grace: number): void {
    if (this.#isSettled) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#ended.reject(new SendTimedOut()), grace)
    this.#controller.abort(new SendTimedOut())
  }

  /** A synchronous throw becomes a rejection. */
  async #call(transport: Transport, records: readonly QueuedRecord[]): Promise<void> {
    await transport.send(records, this.#controller.signal)
  }
}
