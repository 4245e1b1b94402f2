import { ConfigError } from '#schema'

/**
 * Waits for something to be built, but not for ever: an object that never becomes ready must not keep every later
 * change of its folder waiting. What comes too late is handed to `discard`.
 */
export async function withBuildTimeout<T>(limit: number, building: Promise<T>, discard: (late: T) => void): Promise<T> {
  const { promise: deadline, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    building.then(discard, () => {})
    const message = `the route was not ready after ${limit / 1000} seconds; one of its objects waits for something`
    reject(new ConfigError([{ pointer: '', message }]))
  }, limit)
  try {
    return await Promise.race([building, deadline])
  } finally {
    clearTimeout(timer)
  }
}
