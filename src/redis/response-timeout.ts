export class ResponseTimeoutError extends Error {
  override readonly name = 'ResponseTimeoutError'
}

/** A timeout is counted down in slices: an event-loop stall of any length uses up only one of them. */
const SLICES = 5

/**
 * The reply to a command that was just passed to the client, or ResponseTimeoutError after `timeout` milliseconds. Event-loop
 * stalls do not count: the time starts when the command is written, which the client does in the next `setImmediate`, it is
 * counted in slices, and the sockets are read once more before it ends, since timers run before I/O.
 *
 * `startDeadline` of internal calls is not usable here: it detects stalls of 100 ms and more, commands time out after 50 ms.
 */
export function withResponseTimeout<T>(reply: Promise<T>, timeout: number): Promise<T> {
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
    reply.then(
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
