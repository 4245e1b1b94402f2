import { constants, type ServerHttp2Stream } from 'node:http2'
import {
  type ActiveListItem,
  AnswerableError,
  Body,
  BodyTooLargeError,
  type Exchange,
  type InterimTaker,
  type Response,
  reasonPhrase,
  respond,
} from '#http'
import { makeExchange } from '../arrival.ts'
import type { Peer } from '../peer.ts'
import { refusal } from '../refusal.ts'
import type { Refusal } from '../request-head.ts'
import { headOf, isFinalStatus } from '../response-head.ts'
import { fitsOneWrite, ResponseWriter } from '../response-writer.ts'
import type { Service } from '../service.ts'
import { discardRest } from './discard-rest.ts'
import { StreamBody } from './stream-body.ts'
import { admitStream } from './stream-head.ts'
import { StreamTarget, streamHeaders } from './stream-target.ts'

const { NGHTTP2_FLAG_END_STREAM, NGHTTP2_NO_ERROR } = constants

/** What a transaction tells its session. */
export interface StreamOwner {
  readonly peer: Peer
  readonly service: Service
  /** Bytes of request bodies that arrived. */
  received(count: number): void
  /** The client took the request back before it had its answer, or got it and the stream is over. */
  ended(transaction: StreamTransaction, how: 'answered' | 'abandoned'): void
}

/** One request and its response on a stream of HTTP/2, from the head to the last byte. */
export class StreamTransaction implements InterimTaker, ActiveListItem {
  slot = -1
  readonly #owner: StreamOwner
  readonly #stream: ServerHttp2Stream
  #method = ''
  #endsWithHead = false
  #body: StreamBody | null = null
  #exchange: Exchange | null = null
  #writer: ResponseWriter | null = null
  #over = false

  constructor(owner: StreamOwner, stream: ServerHttp2Stream) {
    this.#owner = owner
    this.#stream = stream
    stream.on('error', () => {})
    stream.once('aborted', () => this.abandon(new Error('the client took the request back')))
    stream.once('close', () => this.#closed())
    stream.once('finish', () => this.#finished())
  }

  /** Whether the whole request has arrived. */
  get isReceived(): boolean {
    return this.#endsWithHead || this.#stream.readableEnded
  }

  /** Bytes of the response that wait for the client to take them. */
  get isBlocked(): boolean {
    return this.#stream.headersSent && this.#stream.writableLength > 0
  }

  /** Bytes of the response that were given to the stream; grows only while the client takes them. */
  get written(): number {
    return this.#writer?.written ?? 0
  }

  start(raw: readonly string[], flags: number): void {
    this.#owner.service.active++
    try {
      this.#endsWithHead = (flags & NGHTTP2_FLAG_END_STREAM) !== 0
      this.#begin(raw)
    } catch (error) {
      // Nothing above this frame would catch it: one request must not end the process.
      this.#owner.service.logger.limited(error).error({ error }, 'the request could not be taken in')
      this.#answer(500)
    }
  }

  /** The client is gone, or nobody waits for the answer. */
  abandon(reason: Error): void {
    if (this.#over) return
    this.#over = true
    this.#body?.fail(reason)
    this.#writer?.cancel(reason)
    this.#tell((exchange) => exchange.abort(reason))
    this.#end('abandoned')
  }

  /** Ends the stream so that the client cannot take what it got for the whole (threats B27). */
  cut(reason: Error): void {
    this.abandon(reason)
    // Not close(): that would end the body cleanly before it resets the stream.
    if (!this.#stream.destroyed) this.#stream.destroy(reason)
  }

  /** The client has not sent its request in time. */
  timeOut(): void {
    const reason = new Error('the request body did not arrive in time')
    if (this.#stream.headersSent) {
      this.cut(reason)
      return
    }
    this.#refuse({ status: 408, problem: 'a request that did not arrive in time' })
    this.#body?.fail(reason)
    this.#tell((exchange) => exchange.abort(reason))
    this.#answered()
  }

  #begin(raw: readonly string[]): void {
    const { peer, service } = this.#owner
    const admitted = admitStream(raw, this.#endsWithHead, peer, service)
    if ('problem' in admitted) {
      this.#refuse(admitted)
      return
    }
    this.#method = admitted.method
    if (service.isReserved(admitted.uri.path)) {
      this.#answer(404)
      return
    }
    const waits = expectsContinue(raw)
    const exchange = makeExchange(admitted, (length) => this.#receiveBody(length, waits), peer, service)
    if ('problem' in exchange) {
      this.#refuse(exchange)
      return
    }
    this.#exchange = exchange
    this.#exchange.interimTaker = this
    void this.#run(this.#exchange)
  }

  #receiveBody(length: number, waits: boolean): Body {
    if (length === 0) return Body.empty
    const { maxBodyBytes = Number.POSITIVE_INFINITY } = this.#owner.service.settings
    this.#body = new StreamBody(this.#stream, {
      maxBytes: maxBodyBytes,
      watch: this.#owner.service.bodies,
      answered: () => (this.#stream.headersSent ? this.written : null),
      onStall: () => this.timeOut(),
      fields: this.#owner.service.fields,
      onFirstRead: waits ? () => this.#sendContinue() : null,
      onBytes: (count) => this.#owner.received(count),
    })
    return Body.fromSource(this.#body, length < 0 ? null : length)
  }

  takeInterim(status: number, fields: readonly string[]): void {
    const { headersSent, destroyed, closed } = this.#stream
    if (this.#over || headersSent || destroyed || closed) return
    const list: Record<string, string | string[]> = { ':status': String(status) }
    for (let i = 0; i < fields.length; i += 2) {
      const name = fields[i]!.toLowerCase()
      list[name] = [list[name] ?? [], fields[i + 1]!].flat()
    }
    this.#stream.additionalHeaders(list)
  }

  #sendContinue(): void {
    this.takeInterim(100, [])
  }

  async #run(exchange: Exchange): Promise<void> {
    try {
      const { handler, settings } = this.#owner.service
      if (!settings.streaming && this.#body !== null) await exchange.request.body.buffer(settings.storage)
      this.#write(await handler(exchange))
    } catch (error) {
      this.#fault(error, exchange)
    }
  }

  #fault(error: unknown, exchange: Exchange): void {
    // The client has gone; that its handler then fails is no fault.
    if (this.#over || this.#stream.destroyed) return
    if (error instanceof BodyTooLargeError && !this.#stream.headersSent) {
      this.#refuse({ status: error.status, problem: error.message })
      return
    }
    const { method, uri } = exchange.request
    const transactionId = exchange.transactionId.value
    this.#owner.service.logger
      .limited(error)
      .error({ error, transactionId, method, path: uri.rawPath }, 'the handler failed')
    if (this.#stream.headersSent) this.cut(new Error('the handler failed'))
    else this.#answer(error instanceof AnswerableError ? error.status : 500)
  }

  #refuse(reason: Refusal): void {
    const { service, peer } = this.#owner
    service.clientLog.refused(peer.address, reason)
    this.#write(refusal(reason.status, reason.problem, service.settings))
  }

  #answer(status: number): void {
    this.#write(respond(status, {}, reasonPhrase(status)))
  }

  #write(response: Response): void {
    if (this.#over || this.#stream.destroyed || this.#stream.closed) {
      response.body.cancel()
      return
    }
    // Node resets a stream with its response if nothing has touched its body; the transaction itself sees to the rest.
    if (!this.isReceived && this.#stream.readableFlowing === null) this.#stream.pause()
    const head = headOf(response, this.#method, 'keep')
    const mayHaveTrailers = head.hasBody && head.length === null
    if (!this.#writeHead(response, head.raw, head.hasBody, mayHaveTrailers)) {
      response.body.cancel()
      this.#answer(502)
      return
    }
    if (!head.hasBody) {
      response.body.cancel()
      this.#finished()
    } else if (fitsOneWrite(response)) {
      this.#stream.end(response.body.bytes())
    } else {
      const target = new StreamTarget(this.#stream)
      this.#writer = new ResponseWriter(target, response, head, (error) => this.#broken(error))
      this.#writer.start()
    }
  }

  #writeHead(response: Response, raw: readonly string[], hasBody: boolean, waitForTrailers: boolean): boolean {
    try {
      if (!isFinalStatus(response.status)) throw new RangeError(`status ${response.status} cannot end a request`)
      // nghttp2 has no other statuses.
      if (response.status > 599) throw new RangeError(`status ${response.status} cannot be sent over HTTP/2`)
      this.#stream.respond(streamHeaders(response.status, raw), { endStream: !hasBody, waitForTrailers })
      return true
    } catch (error) {
      this.#owner.service.logger.limited(error).error({ error, status: response.status }, 'the response cannot be sent')
      return false
    }
  }

  #broken(error: Error): void {
    this.#exchange?.cutOff()
    const transactionId = this.#exchange?.transactionId.value
    this.#owner.service.logger
      .limited(error)
      .warn({ error, transactionId }, 'the response was cut off: its body failed')
    this.cut(error)
  }

  /** Node can close a stream before its `finish`: nghttp2 has sent the response, and the write has not been reported yet. */
  #closed(): void {
    const { headersSent, writableEnded, aborted, rstCode } = this.#stream
    const isSent = headersSent && writableEnded && !aborted && rstCode === NGHTTP2_NO_ERROR
    if (isSent && !this.#over) this.#answered()
    else this.abandon(new Error('the stream was closed'))
  }

  /** The response is out. */
  #finished(): void {
    // The writable side of a HEAD request, or of a stream that was reset, finishes without an answer.
    if (!this.#over && this.#stream.headersSent && !this.#stream.aborted) this.#answered()
  }

  #answered(): void {
    this.#over = true
    this.#end('answered')
    if (!this.isReceived && !this.#stream.destroyed) discardRest(this.#stream, (count) => this.#owner.received(count))
  }

  #end(how: 'answered' | 'abandoned'): void {
    this.#owner.service.active--
    this.#tell((exchange) => exchange.complete())
    this.#owner.ended(this, how)
  }

  // Callbacks of filters run here, outside of any handler: a fault in one must not end the process.
  #tell(what: (exchange: Exchange) => void): void {
    if (this.#exchange === null) return
    try {
      what(this.#exchange)
    } catch (error) {
      this.#owner.service.logger.limited(error).error({ error }, 'a callback of the exchange failed')
    }
  }
}

function expectsContinue(raw: readonly string[]): boolean {
  for (let i = 0; i < raw.length; i += 2) if (raw[i] === 'expect') return raw[i + 1]!.toLowerCase() === '100-continue'
  return false
}
