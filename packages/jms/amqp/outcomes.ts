import { JmsError, MessageRefused } from '../jms-error.ts'

/** An error of AMQP (part 2.8.14), as the library gives it. */
export interface AmqpFailure {
  readonly condition?: string | undefined
  readonly description?: string | undefined
}

/** Conditions about the message itself: the broker would reject it again. */
const FOR_GOOD = new Set([
  'amqp:link:message-size-exceeded',
  'amqp:decode-error',
  'amqp:invalid-field',
  'amqp:not-implemented',
])
const MAX_LENGTH = 500

/** Text of an error: condition and description, or the condition alone. */
export function describe(failure: AmqpFailure | undefined | null, otherwise: string): string {
  const parts = [failure?.condition, failure?.description].filter(
    (part) => typeof part === 'string' && part !== '',
  ) as string[]
  const text = parts.length === 0 ? otherwise : parts.join(': ')
  return text.replace(/[\0-\x1f\x7f]+/g, ' ').slice(0, MAX_LENGTH)
}

/** Messages without outcome, and the first that was not accepted. */
export class Outcomes<Delivery> {
  readonly #waiting = new Map<Delivery, number>()
  #failed: { readonly index: number; readonly failure: AmqpFailure | null; readonly outcome: string } | null = null

  get waiting(): number {
    return this.#waiting.size
  }

  expect(delivery: Delivery, index: number): void {
    this.#waiting.set(delivery, index)
  }

  /** `outcome` is `accepted`, `rejected`, `released` or `modified`. */
  settle(delivery: Delivery, outcome: string, failure: AmqpFailure | null): void {
    const index = this.#waiting.get(delivery)
    if (index === undefined) return
    this.#waiting.delete(delivery)
    if (outcome === 'accepted' || (this.#failed !== null && this.#failed.index <= index)) return
    this.#failed = { index, failure, outcome }
  }

  /** The first message that was rejected for good; throws JmsError for any other that was not accepted. */
  refusal(): MessageRefused | null {
    if (this.#failed === null) return null
    const { index, failure, outcome } = this.#failed
    this.#failed = null
    const reason = `the broker ${outcome} the message: ${describe(failure, 'without a reason')}`
    if (outcome === 'rejected' && FOR_GOOD.has(failure?.condition ?? '')) return new MessageRefused(index, reason)
    throw new JmsError(reason)
  }
}
