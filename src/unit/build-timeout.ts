import { ConfigError } from '#schema'

/**
 * Limits the time of a build: an object that never becomes ready must not block later changes of its folder. `discard` is called
 * at the limit, and not with the late result: a build that never ends would keep the objects that are ready.
 */
export async function withBuildTimeout<T>(limit: number, building: Promise<T>, discard: () => void): Promise<T> {
  const { promise: deadline, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    discard()
    const message = `the route was not ready after ${limit / 1000} seconds; one of its objects waits for something`
    reject(new ConfigError([{ pointer: '', message }]))
  }, limit)
  try {
    return await Promise.race([building, deadline])
  } finally {
    clearTimeout(timer)
  }
}
