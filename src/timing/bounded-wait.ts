/** The result of a promise; undefined where it is not settled after the limit in milliseconds. Rejects as the promise does within it. */
export async function boundedWait<T>(promise: Promise<T>, limit: number): Promise<T | undefined> {
  const { promise: reached, resolve } = Promise.withResolvers<undefined>()
  const timer = setTimeout(resolve, limit, undefined)
  try {
    return await Promise.race([promise, reached])
  } finally {
    clearTimeout(timer)
  }
}
