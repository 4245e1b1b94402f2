import { type Dispatcher, errors } from 'undici'
import { Body, type Exchange, type Request, Response, reasonPhrase } from '#http'
import {
  besides,
  inboundHeaders,
  inboundTrailers,
  interimFields,
  isPlainlyFramed,
  isReasonPhrase,
} from './message-head.ts'
import { type Destination, outboundRequest } from './outbound-request.ts'
import type { UploadObserver } from './request-body.ts'
import type { FirstByteObserver } from './response-head-guard.ts'
import { HELD_BYTES, type ResponseFlow, ResponseSource } from './response-source.ts'
import type { ClientSettings } from './settings.ts'
import { proxyRefusal } from './tunnel.ts'
import { isClosedByPeer, isUnprocessed, UpstreamError, upstreamErrorOf } from './upstream-error.ts'
import type { Watched } from './watchdog.ts'
import type { TextEdit } from './written-text.ts'

/** The connection a call was given. */
export interface Carrier {
  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean
  /** Whether the connection ends at a connector of this gateway. */
  readonly leadsToSelf: boolean
  /** The version of HTTP that is spoken, as responses say it. */
  readonly version: 'HTTP/1.1' | 'HTTP/2'
  /**
   * Notes that a request is written, its head changed by the edit, and says whether the connection had carried one before.
   * The observer hears of the first byte that comes back.
   */
  carry(head: TextEdit | null, observer: FirstByteObserver): boolean
  /** Ends a request body by `end`, with these fields after it. */
  finish(trailers: readonly string[], end: () => void): void
}

/** Holds calls until there is a connection for them. */
export interface CallQueue {
  /** Takes a call out; false where it is not in the queue any more. */
  withdraw(call: UpstreamCall): boolean
}

/** Who admits calls; it is told once of each that it holds its connection no longer, whatever became of it. */
export interface CallOwner extends Destination {
  readonly settings: ClientSettings
  ended(call: UpstreamCall): void
}

const MAX_INFORMATIONAL = 32
// RFC 9110 section 9.2.2
const IDEMPOTENT: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PUT', 'DELETE'])

/** undici parses all connections with one parser: while that delivers, none may be resumed. */
let delivering = false

/** One request on its way to the upstream and its response on the way back. */
export class UpstreamCall implements Dispatcher.DispatchHandler, ResponseFlow, UploadObserver, Watched {
  deadline = Number.POSITIVE_INFINITY
  slot = -1
  carrier: Carrier | null = null
  /** Where the call waits for a connection after its admission; null where the transport can not give it back. */
  queue: CallQueue | null = null
  /** Set by the owner: the call counts as one that uses a connection. */
  admitted = false
  readonly #exchange: Exchange
  readonly #request: Request
  readonly #owner: CallOwner
  readonly #resolve: (response: Response) => void
  readonly #reject: (error: Error) => void
  readonly #stopListening: () => void
  #state: 'waiting' | 'dispatched' | 'written' | 'answered' | 'ended' = 'waiting'
  #controller: Dispatcher.DispatchController | null = null
  #source: ResponseSource | null = null
  #abandoned: Error | null = null
  #uploading = false
  #reused = false
  #anyByte = false
  #repeated = false
  #informational = 0
  #headEdit: TextEdit | null = null
  /** Whether the head told how long the body is. */
  #isMeasured = false

  constructor(
    exchange: Exchange,
    request: Request,
    owner: CallOwner,
    resolve: (response: Response) => void,
    reject: (error: Error) => void,
  ) {
    this.#exchange = exchange
    this.#request = request
    this.#owner = owner
    this.#resolve = resolve
    this.#reject = reject
    this.#stopListening = exchange.onAbort((reason) => this.abandon(new UpstreamError('GW_CLIENT_GONE', reason)))
  }

  /** Bounds the wait for a connection; a wait that is bounded already stays as it is. */
  wait(): void {
    if (this.deadline === Number.POSITIVE_INFINITY) {
      this.deadline = performance.now() + this.#owner.settings.connectionTimeout
    }
  }

  /** Sends the request over whatever connection the dispatcher finds or makes. Never throws. */
  dispatchOver(dispatcher: Pick<Dispatcher, 'dispatch'>): void {
    this.#state = 'dispatched'
    this.deadline = Number.POSITIVE_INFINITY
    try {
      const { options, headEdit, isStreamed } = outboundRequest(this.#request, this.#owner, this)
      this.#headEdit = headEdit
      this.#uploading = isStreamed
      dispatcher.dispatch(options, this)
    } catch (error) {
      this.onResponseError(null, new UpstreamError('GW_UPSTREAM_REQUEST', error))
    }
  }

  /** Ends the call from our side: nobody wants the answer, or it took too long. */
  abandon(reason: Error): void {
    if (this.#state === 'ended' || this.#abandoned !== null) return
    this.#abandoned = reason
    if (this.#controller !== null) {
      this.#controller.abort(reason)
      return
    }
    // undici cannot give a request back that it has not written: it is refused when its turn comes.
    if (this.#state === 'waiting' || this.queue?.withdraw(this)) this.#end()
    this.#reject(reason)
  }

  expire(): void {
    this.abandon(new UpstreamError(this.#controller === null ? 'GW_UPSTREAM_POOL_FULL' : 'GW_UPSTREAM_TIMEOUT'))
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // Thrown, because an abort would take the connection down with the request.
    if (this.#abandoned !== null) throw this.#abandoned
    // The gateway may ask itself, for its own published keys for example; what a client asks would go round.
    if (this.carrier?.leadsToSelf && this.#exchange.client.external) throw new UpstreamError('GW_UPSTREAM_LOOP')
    this.#controller = controller
    this.#state = 'written'
    this.#reused = this.carrier?.carry(this.#headEdit, this) ?? false
    if (this.#uploading) this.deadline = Number.POSITIVE_INFINITY
    else this.#expectBytes()
  }

  onResponseStarted(): void {
    this.#anyByte = true
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, _headers: unknown, reason = ''): void {
    this.#expectBytes()
    if (status < 200) {
      // An upgrade nobody asked for, or a status that is none (threats B28).
      if (status < 102 || ++this.#informational > MAX_INFORMATIONAL) throw new UpstreamError('GW_UPSTREAM_PROTOCOL')
      this.#exchange.interim(status, interimFields(controller.rawHeaders as Buffer[]))
      return
    }
    // Decisions, "A proxy's 407": it is about the gateway, whose client has nothing to answer it with.
    if (status === 407 && this.#owner.proxy !== null) throw proxyRefusal(status)
    const received = controller.rawHeaders as Buffer[]
    if (!isPlainlyFramed(received)) throw new UpstreamError('GW_UPSTREAM_PROTOCOL')
    this.#state = 'answered'
    const headers = inboundHeaders(received)
    this.#resolve(
      new Response(status, {
        reason: isReasonPhrase(reason) ? reason : reasonPhrase(status),
        headers,
        version: this.carrier?.version ?? 'HTTP/1.1',
        body: this.#responseBody(status, headers.get('content-length')),
      }),
    )
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#expectBytes()
    delivering = true
    try {
      this.#source?.push(chunk)
    } finally {
      delivering = false
    }
  }

  onResponseEnd(controller: Dispatcher.DispatchController): void {
    delivering = true
    try {
      this.#end()
      this.#source?.end(inboundTrailers(controller.rawTrailers as Buffer[] | null))
    } finally {
      delivering = false
    }
  }

  onResponseError(_controller: unknown, error: Error): void {
    if (this.#state === 'ended') return
    if (this.#mayRepeat(error)) {
      this.#repeat()
      return
    }
    const answered = this.#state === 'answered'
    if (answered && this.#isWholeAllTheSame(error)) {
      this.#end()
      this.#source?.end(null)
      return
    }
    const failure = upstreamErrorOf(error, this.#controller !== null, answered)
    this.#end()
    if (answered) this.#source?.fail(failure)
    else this.#reject(failure)
  }

  hold(): void {
    this.deadline = Number.POSITIVE_INFINITY
    this.#controller?.pause()
  }

  release(): void {
    if (this.#state !== 'answered') return
    if (delivering) {
      queueMicrotask(() => this.release())
      return
    }
    this.#expectBytes()
    this.#controller?.resume()
  }

  uploadBlocked(): void {
    if (this.#state === 'written') this.#expectBytes()
  }

  uploadFlows(): void {
    if (this.#state === 'written') this.deadline = Number.POSITIVE_INFINITY
  }

  trailersToSend(trailers: readonly string[]): readonly string[] {
    return besides(this.#request.headers, trailers)
  }

  uploadEnded(trailers: readonly string[], end: () => void): void {
    this.#uploading = false
    if (this.#state === 'written') this.#expectBytes()
    if (trailers.length === 0 || this.carrier === null) end()
    else this.carrier.finish(trailers, end)
  }

  /** RFC 9112 section 6.3: what has no body keeps its Content-Length, which tells of another response. */
  #responseBody(status: number, contentLength: string | null): Body {
    if (this.#request.method === 'HEAD' || status === 204 || status === 304 || contentLength === '0') return Body.empty
    this.#source = new ResponseSource(this)
    this.#isMeasured = contentLength !== null
    const length = contentLength === null ? null : Number(contentLength)
    if (length === null || length > HELD_BYTES) this.#endWithExchange()
    return Body.fromSource(this.#source, length)
  }

  /** A body that nobody reads would keep its connection for ever; no body is read after the exchange it was asked in. */
  #endWithExchange(): void {
    let over = false
    this.#exchange.onComplete(() => {
      if (over) this.abandon(new Error('response body: left unread'))
    })
    over = true
  }

  /**
   * undici gives a response up for a Content-Length among its trailers. Where the head had none, the last chunk has
   * come by then: the body is whole, and the fields are dropped (threats B32).
   */
  #isWholeAllTheSame(error: Error): boolean {
    return !this.#isMeasured && error instanceof errors.HTTPParserError && error.message.includes('Content-Length')
  }

  /**
   * Decisions, "Reused connection closed by the upstream before any response byte". A request of which nothing was
   * written does not come here: undici connects again and sends it.
   */
  #mayRepeat(error: Error): boolean {
    if (this.#anyByte || this.#repeated || this.#abandoned !== null) return false
    const { method, body } = this.#request
    if (!body.isEmpty && !body.isBuffered) return false
    return isUnprocessed(error) || (this.#reused && isClosedByPeer(error) && IDEMPOTENT.has(method))
  }

  /** Over the same carrier, whose connection is gone, so that it makes a fresh one instead of finding another stale one. */
  #repeat(): void {
    this.#repeated = true
    this.#controller = null
    this.dispatchOver(this.carrier!)
  }

  #expectBytes(): void {
    this.deadline = performance.now() + this.#owner.settings.soTimeout
  }

  #end(): void {
    this.#state = 'ended'
    this.deadline = Number.POSITIVE_INFINITY
    this.#stopListening()
    this.#owner.ended(this)
  }
}
