/** There was no answer in time. */
export class ResponseTimeoutError extends Error {
  override readonly name = 'ResponseTimeoutError'
}

/** A timeout is counted down in so many slices: a stall of the own thread uses up one of them, however long it is. */
const SLICES = 5

/**
 * The answer to a command that has just been given to the client, or ResponseTimeoutError after `timeout` milliseconds. Stalls of
 * the own thread do not count against the server: the time begins when the command was written, which the client does in
 * the next `setImmediate`, it runs in slices, and before it ends the sockets are read once more, since timers run first.
 */
export function withResponseTimeout<T>(answer: Promise<T>, timeout: number): Promise<T> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined
    let slices = 0
    const wait = (): void => {
      if (slices++ < SLICES) timer = setTimeout(wait, timeout / SLICES)
      else immediate = setImmediate(() => reject(new ResponseTimeoutError(`no answer within ${timeout} ms`)))
    }
    let immediate = setImmediate(wait)
    const stop = (): void => {
      clearImmediate(immediate)
      clearTimeout(timer)
    }
    answer.then(
      (value) => {
        stop()
        resolve(value)
      },
      (error: unknown) => {
        stop()
        reject(error)
      },
    )
  })
}
