import type { Socket } from 'node:net'
import { Body, type Exchange, type Request, Response, type TraceFields } from '#http'
import { MAX_TIMER_DELAY } from '#schema'
import { type ResponseEvents, type ResponseHead, ResponseParser } from '../http1/response-parser.ts'
import { inboundHeaders } from '../message-head.ts'
import { type ResponseFlow, ResponseSource } from '../response-source.ts'
import { UpstreamError, upstreamErrorOf } from '../upstream-error.ts'
import type { Watchdog } from '../watchdog.ts'
import { acceptanceProblem, handshakeHead, type Offer } from './handshake.ts'
import { Relay, type RelayTimeouts } from './relay.ts'

const MAX_HEAD_BYTES = 65_536

/** Inputs of a handshake beside the request. */
interface UpgradeContext {
  readonly offer: Offer
  /** Trace context for the server; null where the gateway does not trace. */
  readonly trace: TraceFields | null
  /** Longest wait for the response. */
  readonly soTimeout: number
  readonly timeouts: RelayTimeouts
  readonly watchdog: Watchdog
}

/** Sends a WebSocket handshake over its own connection; resolves with the response, 101 or another. */
export function sendUpgradeRequest(
  exchange: Exchange,
  request: Request,
  socket: Socket,
  context: UpgradeContext,
): Promise<Response> {
  return new Promise((resolve, reject) => new UpgradeCall(exchange, socket, context, resolve, reject).send(request))
}

/** A handshake and its response. After a 101 the socket is the relay's; after another response it is closed. */
class UpgradeCall implements ResponseEvents, ResponseFlow {
  readonly #exchange: Exchange
  readonly #socket: Socket
  readonly #context: UpgradeContext
  readonly #resolve: (response: Response) => void
  readonly #reject: (error: Error) => void
  readonly #parser = new ResponseParser({ maxHeadBytes: MAX_HEAD_BYTES }, this)
  readonly #timer: NodeJS.Timeout
  /** The head, until the packet with it is parsed. */
  #head: ResponseHead | null = null
  #source: ResponseSource | null = null
  #isPaused = false
  #isReading = false
  #isOver = false
  #stopListening: () => void

  constructor(
    exchange: Exchange,
    socket: Socket,
    context: UpgradeContext,
    resolve: (response: Response) => void,
    reject: (error: Error) => void,
  ) {
    this.#exchange = exchange
    this.#socket = socket
    this.#context = context
    this.#resolve = resolve
    this.#reject = reject
    const { soTimeout } = context
    const late = () => this.abort(new UpstreamError('GW_UPSTREAM_TIMEOUT'))
    this.#timer = setTimeout(late, Math.min(soTimeout, MAX_TIMER_DELAY))
    this.#stopListening = exchange.onAbort((reason) => this.abort(new UpstreamError('GW_CLIENT_GONE', reason)))
    socket.on('error', this.#onError)
    // Not `data`: what follows a 101 stays in the socket for the relay.
    socket.on('readable', this.#read).on('end', this.#onEnd).on('close', this.#onClose)
  }

  send(request: Request): void {
    let head: string
    try {
      head = handshakeHead(request, this.#context.offer, this.#context.trace)
    } catch (error) {
      this.abort(new UpstreamError('GW_UPSTREAM_REQUEST', error))
      return
    }
    this.#parser.expect('GET', true)
    this.#socket.write(head, 'latin1')
  }

  onInterim(status: number): void {
    if (status < 100) throw new UpstreamError('GW_UPSTREAM_PROTOCOL')
  }

  onHead(head: ResponseHead): void {
    this.#head = head
    if (head.upgrade) {
      const problem = acceptanceProblem(head, this.#context.offer)
      if (problem !== null) throw new UpstreamError('GW_UPSTREAM_PROTOCOL', new Error(`upgrade: ${problem}`))
    } else if (head.length !== 0) this.#source = new ResponseSource(this)
  }

  onData(piece: Buffer): void {
    this.#source!.push(piece)
  }

  onComplete(trailers: string[]): void {
    this.#end()
    this.#socket.destroy()
    this.#source?.end(trailers.length === 0 ? null : trailers)
  }

  pause(): void {
    this.#isPaused = true
  }

  resume(): void {
    this.#isPaused = false
    this.#read()
  }

  abort(error: Error): void {
    if (this.#isOver) return
    this.#end()
    this.#parser.stop()
    this.#socket.destroy()
    const failure = upstreamErrorOf(error, true)
    this.#reject(failure)
    this.#source?.fail(failure)
  }

  readonly #read = (): void => {
    if (this.#isReading) return
    this.#isReading = true
    try {
      while (!this.#isPaused && !this.#isOver) {
        const chunk: Buffer | null = this.#socket.read()
        if (chunk === null) break
        const parsed = this.#parser.execute(chunk)
        if (this.#head !== null) this.#respond(this.#head, chunk.subarray(parsed))
      }
    } catch (error) {
      this.abort(error as Error)
    }
    this.#isReading = false
  }

  #respond(head: ResponseHead, early: Buffer): void {
    this.#head = null
    clearTimeout(this.#timer)
    const { status, reason, fields, length } = head
    const init = { reason, headers: inboundHeaders(fields), isReceived: true }
    if (head.upgrade) {
      this.#end()
      this.#resolve(
        new Response(status, { ...init, upgrade: relayUpgrade(this.#exchange, this.#socket, early, this.#context) }),
      )
      return
    }
    if (!this.#isOver) this.#watch()
    const body = this.#source === null ? Body.empty : Body.fromSource(this.#source, length < 0 ? null : length)
    this.#resolve(new Response(status, { ...init, body }))
  }

  /** The rest of a response that is no 101: while the client exerts back-pressure, the server is not awaited. */
  #watch(): void {
    const { soTimeout } = this.#context
    if (soTimeout <= MAX_TIMER_DELAY) this.#socket.setTimeout(soTimeout)
    this.#socket.on('timeout', () => {
      if (!this.#isPaused) this.abort(new UpstreamError('GW_UPSTREAM_TIMEOUT'))
    })
    this.#exchange.onComplete(() => this.abort(new Error('response body: not read')))
  }

  readonly #onEnd = (): void => {
    try {
      this.#parser.finish()
    } catch (error) {
      this.abort(error as Error)
    }
  }

  readonly #onError = (error: Error): void => this.abort(error)

  readonly #onClose = (): void => this.#onEnd()

  /** The call uses its socket no more. */
  #end(): void {
    this.#isOver = true
    clearTimeout(this.#timer)
    this.#stopListening()
    this.#socket.off('readable', this.#read).off('end', this.#onEnd).off('close', this.#onClose)
  }
}

/** Waits for the listener to take over the connection; closed with the exchange otherwise. */
function relayUpgrade(
  exchange: Exchange,
  socket: Socket,
  early: Buffer,
  { timeouts, watchdog }: UpgradeContext,
): NonNullable<Response['upgrade']> {
  let started = false
  // Each direction is half-closed on its own.
  socket.allowHalfOpen = true
  exchange.onComplete(() => {
    if (!started) socket.destroy()
  })
  return {
    start: (client, head) => {
      started = true
      const relay = new Relay({ socket: client, early: head }, { socket, early }, timeouts, watchdog)
      if (socket.destroyed || client.destroyed) relay.destroy()
      return relay
    },
  }
}
