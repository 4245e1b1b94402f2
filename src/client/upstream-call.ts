import { type Dispatcher, errors } from 'undici'
import { Body, type Exchange, IDEMPOTENT_METHODS, type Request, Response, reasonPhrase } from '#http'
import {
  inboundHeaders,
  inboundTrailers,
  informationalFields,
  isFramingSupported,
  isReasonPhrase,
  trailersNotInHead,
} from './message-head.ts'
import { type Destination, outboundRequest } from './outbound-request.ts'
import type { UploadObserver } from './request-body.ts'
import type { FirstByteObserver } from './response-head-guard.ts'
import { MAX_BUFFERED_BYTES, type ResponseFlow, ResponseSource } from './response-source.ts'
import type { ClientSettings } from './settings.ts'
import { proxyRefusal } from './tunnel.ts'
import { isClosedByPeer, isUnprocessed, UpstreamError, upstreamErrorOf } from './upstream-error.ts'
import type { Watched } from './watchdog.ts'
import type { WriteEdit } from './write-editor.ts'

/** The connection of a call. */
export interface Carrier {
  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean
  /** Whether the connection ends at a connector of this gateway. */
  readonly isSelfConnection: boolean
  /** The HTTP version of responses. */
  readonly version: 'HTTP/1.1' | 'HTTP/2'
  /**
   * Called when a request is written, with an edit of its head; returns whether the connection is reused. The observer is
   * called at the first byte of the response.
   */
  carry(head: WriteEdit | null, observer: FirstByteObserver): boolean
  /** Ends a request body by `end`, with trailers. */
  finish(trailers: readonly string[], end: () => void): void
}

/** Queue of calls without a connection. */
export interface CallQueue {
  /** Removes a call; false where it is not in the queue. */
  withdraw(call: UpstreamCall): boolean
}

/** Admits calls. `ended` is called once for each call, when it no longer uses its connection. */
export interface CallOwner extends Destination {
  readonly settings: ClientSettings
  ended(call: UpstreamCall): void
}

const MAX_INFORMATIONAL = 32

/** undici shares one parser between connections: none may be resumed while the parser delivers. */
let delivering = false

/** One request to an upstream and its response. */
export class UpstreamCall implements Dispatcher.DispatchHandler, ResponseFlow, UploadObserver, Watched {
  deadline = Number.POSITIVE_INFINITY
  slot = -1
  carrier: Carrier | null = null
  /** The queue of the transport that holds the call; null where it can not be withdrawn. */
  queue: CallQueue | null = null
  /** Set by the owner while the call counts as running. */
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
  #abortReason: Error | null = null
  #uploading = false
  #reused = false
  #anyByte = false
  #repeated = false
  #informational = 0
  #headEdit: WriteEdit | null = null
  /** Whether the head has a Content-Length. */
  #hasLength = false

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
    this.#stopListening = exchange.onAbort((reason) => this.abort(new UpstreamError('GW_CLIENT_GONE', reason)))
  }

  /** Sets the deadline of the wait for a connection, unless it is set. */
  wait(): void {
    if (this.deadline === Number.POSITIVE_INFINITY) {
      this.deadline = performance.now() + this.#owner.settings.connectionTimeout
    }
  }

  /** Sends the request over a connection of the dispatcher. Never throws. */
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

  /** Ends the call from our side: the response is not needed any more, or late. */
  abort(reason: Error): void {
    if (this.#state === 'ended' || this.#abortReason !== null) return
    this.#abortReason = reason
    if (this.#controller !== null) {
      this.#controller.abort(reason)
      return
    }
    // undici can not withdraw a queued request: onRequestStart refuses it.
    if (this.#state === 'waiting' || this.queue?.withdraw(this)) this.#end()
    this.#reject(reason)
  }

  expire(): void {
    this.abort(new UpstreamError(this.#controller === null ? 'GW_UPSTREAM_POOL_FULL' : 'GW_UPSTREAM_TIMEOUT'))
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // Thrown, since an abort would close the connection.
    if (this.#abortReason !== null) throw this.#abortReason
    // Internal requests to this gateway are fine, such as for its published keys; those of clients would loop.
    if (this.carrier?.isSelfConnection && this.#exchange.client.external) throw new UpstreamError('GW_UPSTREAM_LOOP')
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
      // An unsolicited 101, or a status below 100 (threats B28).
      if (status < 102 || ++this.#informational > MAX_INFORMATIONAL) throw new UpstreamError('GW_UPSTREAM_PROTOCOL')
      this.#exchange.sendInformational(status, informationalFields(controller.rawHeaders as Buffer[]))
      return
    }
    // Decisions, "A proxy's 407": the gateway's own credentials were refused.
    if (status === 407 && this.#owner.proxy !== null) throw proxyRefusal(status)
    const received = controller.rawHeaders as Buffer[]
    if (!isFramingSupported(received)) throw new UpstreamError('GW_UPSTREAM_PROTOCOL')
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
    if (answered && this.#isCompleteDespite(error)) {
      this.#end()
      this.#source?.end(null)
      return
    }
    const failure = upstreamErrorOf(error, this.#controller !== null, answered)
    this.#end()
    if (answered) this.#source?.fail(failure)
    else this.#reject(failure)
  }

  pause(): void {
    this.deadline = Number.POSITIVE_INFINITY
    this.#controller?.pause()
  }

  resume(): void {
    if (this.#state !== 'answered') return
    if (delivering) {
      queueMicrotask(() => this.resume())
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
    return trailersNotInHead(this.#request.headers, trailers)
  }

  uploadEnded(trailers: readonly string[], end: () => void): void {
    this.#uploading = false
    if (this.#state === 'written') this.#expectBytes()
    if (trailers.length === 0 || this.carrier === null) end()
    else this.carrier.finish(trailers, end)
  }

  /** RFC 9112 section 6.3: the Content-Length of a response without body describes another response. */
  #responseBody(status: number, contentLength: string | null): Body {
    if (this.#request.method === 'HEAD' || status === 204 || status === 304 || contentLength === '0') return Body.empty
    this.#source = new ResponseSource(this)
    this.#hasLength = contentLength !== null
    const length = contentLength === null ? null : Number(contentLength)
    if (length === null || length > MAX_BUFFERED_BYTES) this.#abortWithExchange()
    return Body.fromSource(this.#source, length)
  }

  /** Aborts a body that is still unread when its exchange is complete: it would keep its connection. */
  #abortWithExchange(): void {
    let over = false
    this.#exchange.onComplete(() => {
      if (over) this.abort(new Error('response body: not read'))
    })
    over = true
  }

  /**
   * undici fails a response for a Content-Length among its trailers. Without one in the head the last chunk has been
   * received by then: the body is complete, and the trailers are dropped (threats B32).
   */
  #isCompleteDespite(error: Error): boolean {
    return !this.#hasLength && error instanceof errors.HTTPParserError && error.message.includes('Content-Length')
  }

  /**
   * Decisions, "Reused connection closed by the upstream before any response byte". undici itself reconnects for a
   * request that was not written.
   */
  #mayRepeat(error: Error): boolean {
    if (this.#anyByte || this.#repeated || this.#abortReason !== null) return false
    const { method, body } = this.#request
    if (!body.isEmpty && !body.isBuffered) return false
    return isUnprocessed(error) || (this.#reused && isClosedByPeer(error) && IDEMPOTENT_METHODS.has(method))
  }

  /** Over the same carrier: its connection is closed, so that a new one is opened instead of reusing a stale one. */
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
