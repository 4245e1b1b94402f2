import type { BrokerException } from './inbound-command.ts'
import type { ConnectionEvents } from './openwire-connection.ts'

/** Commands that wait for their response, and bytes that wait for their acknowledgement. */
export class Responses implements ConnectionEvents {
  /** By command id: the position of the message in its call, and its size. */
  readonly #expected = new Map<number, { readonly index: number; readonly size: number }>()
  #bytes = 0
  #exception: { readonly index: number; readonly exception: BrokerException } | null = null
  /** Bytes of messages without response that the broker has not acknowledged. */
  windowBytes = 0

  expect(commandId: number, index: number, size: number): void {
    this.#expected.set(commandId, { index, size })
    this.#bytes += size
  }

  get isComplete(): boolean {
    return this.#expected.size === 0
  }

  /** Bytes of messages without response. */
  get bytes(): number {
    return this.#bytes
  }

  /** The exception with the lowest position since the last call. */
  takeException(): { readonly index: number; readonly exception: BrokerException } | null {
    const exception = this.#exception
    this.#exception = null
    return exception
  }

  response(commandId: number, exception: BrokerException | null): void {
    const expected = this.#expected.get(commandId)
    if (expected === undefined) return
    this.#expected.delete(commandId)
    this.#bytes -= expected.size
    if (exception === null || (this.#exception !== null && this.#exception.index <= expected.index)) return
    this.#exception = { index: expected.index, exception }
  }

  producerAck(size: number): void {
    this.windowBytes = Math.max(0, this.windowBytes - size)
  }
}
