/** Below the 128 operations and 1.5 MiB that etcd allows for a request by default. */
const MAX_OPERATIONS = 100
const MAX_BATCH_BYTES = 1024 * 1024

/** Requests of one task that are in flight together. */
const PARALLEL = 4

/** Divides items into requests, in their order. A single item may exceed the limit of bytes. */
export function batchesOf<T extends { readonly bytes: number }>(items: readonly T[]): T[][] {
  const batches: T[][] = []
  let batch: T[] = []
  let bytes = 0
  for (const item of items) {
    if (batch.length === MAX_OPERATIONS || (batch.length > 0 && bytes + item.bytes > MAX_BATCH_BYTES)) {
      batches.push(batch)
      batch = []
      bytes = 0
    }
    batch.push(item)
    bytes += item.bytes
  }
  if (batch.length > 0) batches.push(batch)
  return batches
}

/** Results in the order of the items. Some tasks run ahead of the consumer; a failed one ends the iteration. */
export async function* inParallel<T, R>(items: readonly T[], task: (item: T) => Promise<R>): AsyncGenerator<R> {
  const running: Promise<R>[] = []
  let next = 0
  const start = (): void => {
    if (next >= items.length) return
    const promise = task(items[next++] as T)
    // Observed when its turn comes; until then its failure is not unhandled.
    promise.catch(() => {})
    running.push(promise)
  }
  for (let count = 0; count < PARALLEL; count++) start()
  for (let promise = running.shift(); promise !== undefined; promise = running.shift()) {
    const result = await promise
    start()
    yield result
  }
}
