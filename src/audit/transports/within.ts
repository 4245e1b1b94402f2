/** Rejects after `timeout` milliseconds, or at once when the signal aborts; the awaited promise may still settle later. */
export async function within<T>(
  timeout: number,
  signal: AbortSignal,
  failure: string,
  awaited: Promise<T>,
): Promise<T> {
  const { promise: ended, reject } = Promise.withResolvers<never>()
  const onAbort = () => reject(signal.reason)
  const timer = setTimeout(() => reject(new Error(`${failure} within ${timeout} ms`)), timeout)
  signal.addEventListener('abort', onAbort)
  if (signal.aborted) onAbort()
  // It may fail after the deadline.
  awaited.catch(() => {})
  try {
    return await Promise.race([awaited, ended])
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
  }
}
