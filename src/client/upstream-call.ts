import { Body, type ClientSpan, type Exchange, IDEMPOTENT_METHODS, type Request, Response } from '#http'
import type { Call, CallQueue, DispatchController, Dispatcher } from './dispatcher.ts'
import { failureCause } from './failure-cause.ts'
import { inboundHeaders, informationalFields, trailersNotInHead } from './message-head.ts'
import { type Destination, outboundRequest, validTrailers } from './outbound-request.ts'
import { MAX_BUFFERED_BYTES, type ResponseFlow, ResponseSource } from './response-source.ts'
import type { ClientSettings } from './settings.ts'
import { proxyRefusal } from './tunnel.ts'
import { BeyondGoawayError, isClosedByPeer, isUnprocessed, UpstreamError, upstreamErrorOf } from './upstream-error.ts'
import type { Watched } from './watchdog.ts'

/** Admits calls. `ended` is called once for each call, when it no longer uses its connection. */
export interface CallOwner extends Destination {
  readonly settings: ClientSettings
  ended(call: UpstreamCall): void
}

const MAX_INFORMATIONAL = 32
/** How often a request is sent again that a GOAWAY excludes: servers may end each connection after some requests (nginx, `keepalive_requests`). */
const MAX_GOAWAYS = 10

/** One request to an upstream and its response. */
export class UpstreamCall implements Call, ResponseFlow, Watched {
  deadline = Number.POSITIVE_INFINITY
  slot = -1
  queue: CallQueue | null = null
  /** Set by the owner for a call that it counts. */
  admitted = false
  readonly #exchange: Exchange
  readonly #request: Request
  readonly #owner: CallOwner
  readonly #resolve: (response: Response) => void
  readonly #reject: (error: Error) => void
  readonly #stopListening: () => void
  #state: 'waiting' | 'dispatched' | 'written' | 'answered' | 'ended' = 'waiting'
  #dispatcher: Dispatcher | null = null
  #controller: DispatchController | null = null
  #source: ResponseSource | null = null
  /** Not delivered before the packet with its head is parsed: an invalid body in it is 502, not a closed connection. */
  #unparsed: Response | null = null
  #abortReason: Error | null = null
  /** Whether the client is awaited, which sends the request body. */
  #awaitsClient = false
  #isPaused = false
  #reused = false
  #anyByte = false
  #repeats = 0
  #informational = 0
  /** Of the current attempt; null where nothing is recorded. */
  #span: ClientSpan | null
  #status: number | null = null
  readonly #startedAt: number

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
    this.#startedAt = exchange.upstreamTime === null ? 0 : performance.now()
    if (exchange.upstreamTime !== null) this.#attempted(null)
    this.#span = exchange.span === null ? null : exchange.span.beginClient(request, 0)
    this.#stopListening = exchange.onAbort((reason) => this.abort(new UpstreamError('GW_CLIENT_GONE', reason)))
  }

  /** Sets the deadline of the wait for a connection, unless it is set. */
  wait(): void {
    if (this.deadline === Number.POSITIVE_INFINITY) {
      this.deadline = performance.now() + this.#owner.settings.connectionTimeout
    }
  }

  /** Sends the request over a connection of the dispatcher. Never throws. */
  dispatchOver(dispatcher: Dispatcher): void {
    this.#state = 'dispatched'
    this.#dispatcher = dispatcher
    this.deadline = Number.POSITIVE_INFINITY
    try {
      const request = outboundRequest(this.#request, this.#owner, this.#span ?? this.#exchange.span)
      this.#awaitsClient = request.stream !== null
      dispatcher.dispatch(request, this, this.#repeats > 0)
    } catch (error) {
      this.failed(new UpstreamError('GW_UPSTREAM_REQUEST', error))
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
    // A call in no queue is refused when it begins.
    if (this.#state === 'waiting' || this.queue?.withdraw(this)) this.#end(upstreamErrorOf(reason, false).code)
    this.#reject(reason)
  }

  expire(): void {
    // Without a controller it is in a queue.
    this.abort(this.#controller === null ? this.queue!.waitFailure() : new UpstreamError('GW_UPSTREAM_TIMEOUT'))
  }

  begin(controller: DispatchController, isReused: boolean): void {
    if (this.#abortReason !== null) throw this.#abortReason
    // Internal requests to this gateway are fine, such as for its published keys; those of clients would loop.
    if (controller.isSelfConnection && this.#exchange.client.external) throw new UpstreamError('GW_UPSTREAM_LOOP')
    this.#controller = controller
    this.#state = 'written'
    this.#reused = isReused
    this.#expectBytes()
  }

  received(): void {
    this.#anyByte = true
    this.#expectBytes()
  }

  interim(status: number, fields: readonly string[]): void {
    // An unsolicited 101, or a status below 100 (threats B28).
    if (status < 100 || status === 101 || ++this.#informational > MAX_INFORMATIONAL)
      throw new UpstreamError('GW_UPSTREAM_PROTOCOL')
    // The gateway has answered Expect itself: a 100 is unsolicited, and dropped (RFC 9110 section 15.2).
    if (status > 100) this.#exchange.sendInformational(status, informationalFields(fields))
  }

  head(status: number, reason: string, fields: readonly string[], length: number | null): void {
    // Decisions, "A proxy's 407": the gateway's own credentials were refused.
    if (status === 407 && this.#owner.proxy !== null) throw proxyRefusal(status)
    this.#state = 'answered'
    this.#status = status
    this.#exchange.upstreamTime?.add(this.#startedAt)
    this.#unparsed = new Response(status, {
      reason,
      headers: inboundHeaders(fields),
      version: this.#controller!.version,
      body: this.#responseBody(status, length),
      isReceived: true,
    })
  }

  data(chunk: Uint8Array): void {
    this.#source?.push(chunk)
  }

  end(trailers: readonly string[]): void {
    this.#end()
    this.#source?.end(trailers.length === 0 ? null : trailers)
  }

  parsed(): void {
    if (this.#unparsed === null) return
    this.#resolve(this.#unparsed)
    this.#unparsed = null
  }

  failed(error: Error): void {
    if (this.#state === 'ended') return
    if (this.#mayRepeat(error)) {
      this.#repeat()
      return
    }
    const answered = this.#state === 'answered'
    const failure = upstreamErrorOf(error, this.#controller !== null)
    this.#end(failure.code)
    if (answered && this.#unparsed === null) {
      this.#source?.fail(failure)
      return
    }
    this.#unparsed = null
    if (!answered) this.#exchange.upstreamTime?.add(this.#startedAt)
    this.#attempted(failureCause(failure))
    this.#reject(failure)
  }

  /** For the access line. */
  #attempted(failure: string | null): void {
    const { upstreamTime } = this.#exchange
    if (upstreamTime === null) return
    upstreamTime.address = this.#owner.authority
    upstreamTime.failure = failure
  }

  pause(): void {
    if (this.#state !== 'answered') return
    this.#isPaused = true
    this.deadline = Number.POSITIVE_INFINITY
    this.#controller?.pause()
  }

  resume(): void {
    if (this.#state !== 'answered') return
    this.#isPaused = false
    this.#expectBytes()
    this.#controller?.resume()
  }

  uploadBlocked(): void {
    this.#awaitClient(false)
  }

  uploadFlows(): void {
    this.#awaitClient(true)
  }

  uploadEnded(): void {
    this.#awaitClient(false)
  }

  trailersToSend(trailers: readonly string[]): readonly string[] {
    return validTrailers(trailersNotInHead(this.#request.headers, trailers))
  }

  /** RFC 9112 section 6.3: the Content-Length of a response without body describes another response. */
  #responseBody(status: number, length: number | null): Body {
    if (this.#request.method === 'HEAD' || status === 204 || status === 304 || length === 0) return Body.empty
    this.#source = new ResponseSource(this)
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

  /** Decisions, "Reused connection closed by the upstream before any response byte". */
  #mayRepeat(error: Error): boolean {
    if (this.#anyByte || this.#abortReason !== null) return false
    const { method, body } = this.#request
    if (!body.isEmpty && !body.isAvailable) return false
    if (error instanceof BeyondGoawayError) return this.#repeats < MAX_GOAWAYS
    if (this.#repeats > 0) return false
    return isUnprocessed(error) || (this.#reused && isClosedByPeer(error) && IDEMPOTENT_METHODS.has(method))
  }

  #repeat(): void {
    this.#endSpan('GW_UPSTREAM_CLOSED')
    this.#repeats++
    this.#span = this.#exchange.span?.beginClient(this.#request, this.#repeats) ?? null
    this.#controller = null
    this.dispatchOver(this.#dispatcher!)
  }

  #awaitClient(isAwaited: boolean): void {
    this.#awaitsClient = isAwaited
    if (this.#state === 'written' || (this.#state === 'answered' && !this.#isPaused)) this.#expectBytes()
  }

  /** The upstream may wait for more of the request, also after an informational response or the head of the final one. */
  #expectBytes(): void {
    this.deadline = this.#awaitsClient ? Number.POSITIVE_INFINITY : performance.now() + this.#owner.settings.soTimeout
  }

  #end(error: string | null = null): void {
    this.#endSpan(error)
    this.#state = 'ended'
    this.deadline = Number.POSITIVE_INFINITY
    this.#stopListening()
    this.#owner.ended(this)
  }

  #endSpan(error: string | null): void {
    if (this.#span === null) return
    this.#span.end(this.#status, this.#controller?.version ?? null, error)
    this.#span = null
  }
}
