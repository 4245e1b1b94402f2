/**
 * The state of a circuit in one word, so that it changes atomically. In even epochs the circuit is closed and the
 * content is the state of the failure count; in odd ones it is open and the content is the time at which it closes.
 */
const CONTENT_BITS = 42n
const CONTENT_MASK = (1n << CONTENT_BITS) - 1n
const EPOCHS = 2 ** 21

/** The largest content; as milliseconds, more than a century. */
export const MAX_CONTENT = 2 ** 42 - 1

export function wordOf(epoch: number, content: number): bigint {
  return (BigInt(epoch) << CONTENT_BITS) | BigInt(content)
}

export function epochOf(word: bigint): number {
  return Number(word >> CONTENT_BITS)
}

export function contentOf(word: bigint): number {
  return Number(word & CONTENT_MASK)
}

/** Wraps around after two million epochs, when no request of the first epochs is in flight any more. */
export function nextEpoch(epoch: number): number {
  return (epoch + 1) % EPOCHS
}

export function isClosed(epoch: number): boolean {
  return epoch % 2 === 0
}
