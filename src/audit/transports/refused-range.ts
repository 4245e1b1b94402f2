import { RecordRefused } from '#durable-queue'

/** A range of records that a destination refused for good, because of at least one record of it. */
export class RangeRefused extends Error {
  override readonly name = 'RangeRefused'
}

/**
 * Sends the records from `from` up to `to` in order. A refused range is halved until it has one record: `RecordRefused`, as the
 * records before it were accepted by then.
 */
export async function sendHalvingRefused(
  from: number,
  to: number,
  send: (from: number, to: number) => Promise<void>,
): Promise<void> {
  try {
    await send(from, to)
  } catch (error) {
    if (!(error instanceof RangeRefused)) throw error
    if (to - from <= 1) throw new RecordRefused(from, error.message)
    const middle = from + Math.ceil((to - from) / 2)
    await sendHalvingRefused(from, middle, send)
    await sendHalvingRefused(middle, to, send)
  }
}

/** Ends of consecutive ranges of at most so many records and bytes; a longer record is a range of its own. */
export function* rangeEnds(sizes: readonly number[], maxRecords: number, maxBytes: number): Generator<number> {
  let start = 0
  let bytes = 0
  for (const [index, size] of sizes.entries()) {
    if (index > start && (index - start >= maxRecords || bytes + size > maxBytes)) {
      yield index
      start = index
      bytes = 0
    }
    bytes += size
  }
  if (sizes.length > start) yield sizes.length
}
