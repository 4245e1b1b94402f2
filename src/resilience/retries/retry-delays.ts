import { UpstreamError } from '#client'
import type { Executor } from '#contracts'
import type { Exchange } from '#http'

/** Delays between attempts. */
export class RetryDelays {
  readonly #executor: Executor
  readonly #waiting = new Set<(error: UpstreamError) => void>()
  #stopped = false

  constructor(executor: Executor) {
    this.#executor = executor
  }

  /** Resolves after the delay; rejects at once when the client disconnects or `stop` is called. */
  wait(exchange: Exchange, delay: number): Promise<void> {
    if (this.#stopped) return Promise.reject(retired())
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    let stopListening = (): void => {}
    const over = (): void => {
      cancel()
      stopListening()
      this.#waiting.delete(giveUp)
    }
    const giveUp = (error: UpstreamError): void => {
      over()
      reject(error)
    }
    const cancel = this.#executor.schedule(delay, () => {
      over()
      resolve()
    })
    this.#waiting.add(giveUp)
    stopListening = exchange.onAbort((reason) => giveUp(new UpstreamError('GW_CLIENT_GONE', reason)))
    return promise
  }

  /** Rejects all pending delays: a stopped executor never ends them. */
  stop(): void {
    this.#stopped = true
    for (const giveUp of [...this.#waiting]) giveUp(retired())
  }
}

function retired(): UpstreamError {
  return new UpstreamError('GW_UPSTREAM_CLOSED', new Error('the handler was retired before the next retry'))
}
