import { ServerResponse } from 'node:http'
import {
  AnswerableError,
  Body,
  BodyTooLargeError,
  type Exchange,
  endUpgraded,
  type InterimTaker,
  type Response,
  reasonPhrase,
  respond,
  type Upgrade,
  type UpgradedConnection,
} from '#http'
import { admit, type Expectation } from './admission.ts'
import { makeExchange } from './arrival.ts'
import type { Connection } from './connection.ts'
import { IncomingBody } from './incoming-body.ts'
import type { ReceivedMessage } from './received-message.ts'
import { refusal } from './refusal.ts'
import type { Refusal } from './request-head.ts'
import { headOf, isFinalStatus } from './response-head.ts'
import { fitsOneWrite, ResponseWriter } from './response-writer.ts'
import type { Service } from './service.ts'
import type { DetachedSocket } from './upgrade.ts'

/** The response object of node:http that knows which transaction it answers, so that listeners need no closure. */
export class OwnedResponse extends ServerResponse<ReceivedMessage> {
  transaction: Transaction | null = null
}

// What is left of a request body up to this size is read and thrown away to keep the connection.
const maxDiscarded = 65_536

// RFC 6455 section 7.4.1: the end that says so goes away.
const GOING_AWAY = 1001

function onFinish(this: OwnedResponse): void {
  this.transaction?.finished()
}

function ignore(): void {}

/** As Node has it for a head that does not arrive in time. */
function bodyTimeout(): Error {
  return Object.assign(new Error('the request body did not arrive in time'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
}

/** One request and its response, from the parsed head to the last byte. */
export class Transaction implements InterimTaker {
  readonly #service: Service
  readonly #connection: Connection
  readonly #message: ReceivedMessage
  readonly #target: OwnedResponse
  /** Set where the request asks to leave HTTP. */
  readonly #detached: DetachedSocket | null
  #expect: Expectation
  /** As declared; -1 when chunked or not yet known. */
  #bodyLength = -1
  #body: IncomingBody | null = null
  #exchange: Exchange | null = null
  #writer: ResponseWriter | null = null
  #upgraded: UpgradedConnection | null = null
  #endsWithConnection = false
  #over = false

  constructor(
    service: Service,
    connection: Connection,
    message: ReceivedMessage,
    target: OwnedResponse,
    expect: Expectation,
    detached: DetachedSocket | null = null,
  ) {
    this.#service = service
    this.#connection = connection
    this.#message = message
    this.#target = target
    this.#expect = expect
    this.#detached = detached
    target.transaction = this
    target.on('finish', onFinish)
    target.on('error', ignore)
  }

  /** Whether the whole request has arrived. */
  get isReceived(): boolean {
    return this.#message.complete
  }

  get hasAnswered(): boolean {
    return this.#target.headersSent
  }

  start(): void {
    this.#service.active++
    try {
      this.#detached?.attach(this.#target)
      this.#begin()
    } catch (error) {
      // Nothing above this frame would catch it: one request must not end the process.
      this.#service.logger.limited(error).error({ error }, 'the request could not be taken in')
      this.#answer(500, 'close')
    }
  }

  #begin(): void {
    const service = this.#service
    const { peer } = this.#connection
    const admitted = admit(this.#message, this.#expect, peer, service)
    if ('problem' in admitted) {
      this.#refuse(admitted)
      return
    }
    this.#bodyLength = admitted.head.bodyLength
    if (service.isReserved(admitted.uri.path)) {
      this.#answer(404, 'keep')
      return
    }
    const exchange = makeExchange(admitted, (length) => this.#receiveBody(length), peer, service)
    if ('problem' in exchange) {
      this.#refuse(exchange)
      return
    }
    this.#exchange = exchange
    // Filters may see what is asked for, and take it away; as a field of the connection it is never passed on as it is.
    if (this.#detached !== null) this.#exchange.request.headers.set('Upgrade', 'websocket')
    // A client of HTTP/1.0 knows of no interim responses (RFC 9110 section 15.2).
    if (admitted.version === '1.1' && this.#detached === null) this.#exchange.interimTaker = this
    void this.#run(this.#exchange)
  }

  takeInterim(status: number, fields: readonly string[]): void {
    if (!this.#over && !this.#target.headersSent) this.#target.writeInformation(status, fields)
  }

  /** The response is out. */
  finished(): void {
    if (this.#over) return
    const unread = !this.#message.complete
    this.#end()
    // Completing the exchange has stopped its body; what is left of it must still pass, or the connection would stall.
    if (unread) this.#message.resume()
    if (this.#detached !== null) {
      this.#detached.detach(this.#target)
      this.#connection.linger()
    } else if (unread && !this.#isDiscardable) this.#connection.linger()
    this.#connection.finished()
  }

  /** The client is gone, or what it sends makes no sense any more. */
  abandon(reason: Error): void {
    if (this.#over) return
    if (this.#upgraded !== null) {
      // An end like any other: the exchange was answered long ago.
      this.#upgraded.destroy()
      this.#end()
      return
    }
    this.#over = true
    this.#body?.fail(reason)
    this.#writer?.cancel(reason)
    this.#tell((exchange) => exchange.abort(reason))
    this.#end()
  }

  /** The listener takes no more requests: what has left HTTP would never end by itself. */
  retire(): void {
    this.#upgraded?.close(GOING_AWAY, 'the gateway is shut down')
  }

  #end(): void {
    this.#over = true
    this.#service.active--
    this.#tell((exchange) => exchange.complete())
  }

  // Callbacks of filters run here, outside of any handler: a fault in one must not end the process.
  #tell(what: (exchange: Exchange) => void): void {
    if (this.#exchange === null) return
    try {
      what(this.#exchange)
    } catch (error) {
      this.#service.logger.limited(error).error({ error }, 'a callback of the exchange failed')
    }
  }

  #receiveBody(length: number): Body {
    if (length === 0) return Body.empty
    const { maxBodyBytes = Number.POSITIVE_INFINITY } = this.#service.settings
    this.#body = new IncomingBody(this.#message, {
      maxBytes: maxBodyBytes,
      watch: this.#service.bodies,
      answered: () => (this.#target.headersSent ? (this.#writer?.written ?? 0) : null),
      onStall: () => this.#connection.unreadable(bodyTimeout()),
      framing: length < 0 ? 'chunked' : 'length',
      fields: this.#service.fields,
      onFirstRead: this.#expect === 'continue' ? () => this.#sendContinue() : null,
      onAbuse: (error) => this.#connection.unreadable(error),
    })
    return Body.fromSource(this.#body, length < 0 ? null : length)
  }

  #sendContinue(): void {
    this.#expect = 'nothing'
    if (!this.#over && !this.#target.headersSent) this.#target.writeContinue()
  }

  async #run(exchange: Exchange): Promise<void> {
    try {
      const { handler, settings } = this.#service
      if (!settings.streaming && this.#body !== null) await exchange.request.body.buffer(settings.storage)
      this.#write(await handler(exchange), 'keep')
    } catch (error) {
      this.#fault(error, exchange)
    }
  }

  #fault(error: unknown, exchange: Exchange): void {
    // The client has gone; that its handler then fails is no fault.
    if (this.#over || this.#connection.socket.destroyed) return
    if (error instanceof BodyTooLargeError && !this.#target.headersSent) {
      this.#refuse({ status: error.status, problem: error.message })
      return
    }
    const { method, uri } = exchange.request
    const transactionId = exchange.transactionId.value
    this.#service.logger.limited(error).error({ error, transactionId, method, path: uri.rawPath }, 'the handler failed')
    if (this.#target.headersSent) this.#cut()
    else this.#answer(error instanceof AnswerableError ? error.status : 500, 'keep')
  }

  /** Answers without a handler and closes the connection: what follows on it cannot be trusted. */
  #refuse(reason: Refusal): void {
    const { clientLog, settings } = this.#service
    clientLog.refused(this.#connection.peer.address, reason)
    this.#write(refusal(reason.status, reason.problem, settings), 'close')
  }

  #answer(status: number, connection: 'keep' | 'close'): void {
    this.#write(respond(status, {}, reasonPhrase(status)), connection)
  }

  #write(response: Response, connection: 'keep' | 'close'): void {
    if (this.#over) {
      response.body.cancel()
      return
    }
    if (response.status === 101 && response.upgrade !== null && this.#detached !== null) {
      this.#leaveHttp(response, response.upgrade, this.#detached)
      return
    }
    const head = headOf(response, this.#message.method ?? '', this.#connectionAfter(connection))
    if (!this.#writeHead(response, head.raw)) {
      response.body.cancel()
      this.#answer(502, connection)
      return
    }
    if (!head.hasBody) {
      response.body.cancel()
      this.#target.end()
    } else if (fitsOneWrite(response)) {
      this.#target.end(response.body.bytes())
    } else {
      this.#endsWithConnection = head.length === null && !this.#target.chunkedEncoding
      this.#writer = new ResponseWriter(this.#target, response, head, (error) => this.#broken(error))
      this.#writer.start()
      // A body that lets wait, as an event stream does, does not keep its head from the client.
      if (this.#writer.written === 0 && !this.#target.writableEnded) this.#target.flushHeaders()
    }
  }

  /** The exchange goes on until the connection ends, and so does all that counts or holds it. */
  #leaveHttp(response: Response, upgrade: Upgrade, detached: DetachedSocket): void {
    try {
      this.#upgraded = detached.handOver(this.#target, response, upgrade)
    } catch (error) {
      this.#service.logger.limited(error).error({ error, status: response.status }, 'the response cannot be sent')
      if (this.#target.headersSent) this.#cut()
      else this.#answer(502, 'close')
      return
    }
    this.#exchange?.onAbort(() => {
      if (this.#upgraded !== null) endUpgraded(this.#upgraded, GOING_AWAY, 'the gateway ends this connection')
    })
    if (this.#service.draining) this.retire()
  }

  /** Node checks names, values and the reason; what it refuses is answered with 502 and never sent (threats B28, B29). */
  #writeHead(response: Response, raw: string[]): boolean {
    try {
      if (!isFinalStatus(response.status)) throw new RangeError(`status ${response.status} cannot end a request`)
      this.#target.writeHead(response.status, response.reason, raw)
      return true
    } catch (error) {
      this.#service.logger.limited(error).error({ error, status: response.status }, 'the response cannot be sent')
      return false
    }
  }

  /** What becomes of the connection: a body nobody will read must not be taken for the next request (threats B26). */
  #connectionAfter(wish: 'keep' | 'close'): 'keep' | 'close' {
    const waitsForContinue = this.#expect !== 'nothing' && this.#bodyLength !== 0
    const unread = !this.#message.complete && (waitsForContinue || !this.#isDiscardable)
    if (wish === 'close' || unread || this.#detached !== null) {
      this.#connection.lingerAtEnd()
      return 'close'
    }
    return this.#service.draining ? 'close' : 'keep'
  }

  get #isDiscardable(): boolean {
    return this.#bodyLength >= 0 && this.#bodyLength <= maxDiscarded
  }

  #broken(error: Error): void {
    this.#exchange?.cutOff()
    const transactionId = this.#exchange?.transactionId.value
    this.#service.logger.limited(error).warn({ error, transactionId }, 'the response was cut off: its body failed')
    this.#cut()
  }

  /** Ends the connection so that the client cannot take what it got for the whole (threats B27). */
  #cut(): void {
    const { socket } = this.#connection
    // Where the end of the connection ends the body (HTTP/1.0), only a reset tells the client; TLS tells it by an end
    // without farewell.
    if (this.#endsWithConnection && this.#connection.peer.scheme === 'http') socket.resetAndDestroy()
    else socket.destroy()
  }
}
