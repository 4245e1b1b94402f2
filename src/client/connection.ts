import type { Socket } from 'node:net'
import { buildConnector, Client, type Dispatcher, errors } from 'undici'
import { type Carrier, UpstreamCall } from './upstream-call.ts'

const LONGEST_TIMER = 2 ** 31 - 1

/** One place in a pool: a connection, and the next one when that is closed. */
export class Connection extends Client implements Carrier {
  #carried = 0

  constructor(origin: URL, options: Client.Options) {
    super(origin, options)
    this.on('connect', () => {
      this.#carried = 0
    })
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    if (handler instanceof UpstreamCall) handler.carrier = this
    return super.dispatch(options, handler)
  }

  carry(): boolean {
    return this.#carried++ > 0
  }
}

/**
 * Opens connections with a time-out that holds to the millisecond (undici's own is coarse and can be early), and with
 * the name of the origin for TLS whatever Host field the first request carries.
 */
export function connector(timeout: number): buildConnector.connector {
  const connect = buildConnector({ allowH2: false, timeout: 0 })
  return ({ servername: _ofRequest, ...options }, callback) => {
    let timer: NodeJS.Timeout | undefined
    const done: buildConnector.Callback = (...result) => {
      clearTimeout(timer)
      callback(...result)
    }
    // undici's connector returns the socket it opens; its type does not say so.
    const socket = connect(options, done) as unknown as Socket
    if (timeout > LONGEST_TIMER) return
    timer = setTimeout(() => socket.destroy(new errors.ConnectTimeoutError()), timeout)
  }
}
