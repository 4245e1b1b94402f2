/**
 * The state of a circuit in one word, so that it changes in all units in one step. In even epochs the circuit is
 * closed and the content says how near it is to opening; in odd ones it is open and the content is the time of closing.
 */
const CONTENT_BITS = 42n
const CONTENT_MASK = (1n << CONTENT_BITS) - 1n
const EPOCHS = 2 ** 21

/** The largest content; as milliseconds, more than a century. */
export const MAX_CONTENT = 2 ** 42 - 1

/** An epoch and its content as one word. */
export function wordOf(epoch: number, content: number): bigint {
  return (BigInt(epoch) << CONTENT_BITS) | BigInt(content)
}

/** The epoch in a word. */
export function epochOf(word: bigint): number {
  return Number(word >> CONTENT_BITS)
}

/** The content in a word. */
export function contentOf(word: bigint): number {
  return Number(word & CONTENT_MASK)
}

/** The epoch that follows; they begin again after two million, when no request of the first ones is left. */
export function nextEpoch(epoch: number): number {
  return (epoch + 1) % EPOCHS
}

/** Whether requests pass in an epoch. */
export function isClosed(epoch: number): boolean {
  return epoch % 2 === 0
}
