/** Files that are read or written at a time: enough for one disk, without using up descriptors. */
export const AT_ONCE = 32

/** Runs a step for each item, some at a time; rejects with the first failure, after the steps that run have ended. */
export async function eachOf<T>(items: Iterable<T>, step: (item: T) => Promise<void>, atOnce = AT_ONCE): Promise<void> {
  const iterator = items[Symbol.iterator]()
  const failures: unknown[] = []
  const runner = async (): Promise<void> => {
    while (failures.length === 0) {
      const next = iterator.next()
      if (next.done) return
      await step(next.value).catch((error: unknown) => failures.push(error))
    }
  }
  await Promise.all(Array.from({ length: atOnce }, runner))
  if (failures.length > 0) throw failures[0]
}
