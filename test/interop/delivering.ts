// Repeats failed calls of a transport, as the delivery engine does, without its queue and spool.
import { type QueuedRecord, RecordRefused, type Transport } from '../../src/durable-queue/delivery/transport.ts'

export interface Delivered {
  /** Ids of records that the destination rejected permanently. */
  readonly refused: readonly string[]
  readonly failures: readonly Error[]
}

/** Sends records in batches until all are accepted or rejected, for at most `timeout` milliseconds. */
export async function deliver(
  transport: Transport,
  records: readonly QueuedRecord[],
  { batch = 100, timeout = 60_000 }: { batch?: number; timeout?: number } = {},
): Promise<Delivered> {
  const [refused, failures]: [string[], Error[]] = [[], []]
  const signal = AbortSignal.timeout(timeout)
  let waiting = [...records]
  while (waiting.length > 0) {
    const next = waiting.slice(0, batch)
    try {
      await transport.send(next, signal)
      waiting = waiting.slice(next.length)
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof RecordRefused) {
        refused.push((next[error.index] as QueuedRecord).id)
        waiting = waiting.slice(error.index + 1)
      } else {
        failures.push(error as Error)
        await new Promise((resolve) => setTimeout(resolve, 250))
      }
    }
  }
  return { refused, failures }
}
