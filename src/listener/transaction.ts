import {
  Body,
  BodyTooLargeError,
  type Exchange,
  endUpgraded,
  presentError,
  type RequestLine,
  type RequestOutcome,
  type Response,
  reasonPhrase,
  respond,
  TransactionId,
  type Upgrade,
  type UpgradedConnection,
} from '#http'
import { asError } from './as-error.ts'
import { beginSpan } from './begin-span.ts'
import { createExchange } from './create-exchange.ts'
import { DelayedEnd, ResponseRecord } from './delayed-end.ts'
import { failureStatus } from './handler-failure.ts'
import type { ListenerContext } from './listener-context.ts'
import { EVENTS } from './log-events.ts'
import { ObservedRequest } from './observed-request.ts'
import type { BodyOwner, ReceivedBody } from './received-body.ts'
import { recordRefusal } from './record-refusal.ts'
import { REQUEST_TIMEOUT, RESERVED, type Refusal, refusalResponse } from './refusal.ts'
import type { ChannelObserver, Persistence, ResponseChannel, Upgradable } from './response-channel.ts'
import { assertFinalStatus, type ResponseHead } from './response-head.ts'
import { fitsOneWrite, ResponseWriter } from './response-writer.ts'

// RFC 6455 section 7.4.1.
const GOING_AWAY = 1001

/** One request and its response, from the parsed head to the last byte, in any version of HTTP. */
export class Transaction implements ChannelObserver, BodyOwner {
  readonly context: ListenerContext
  readonly #channel: ResponseChannel
  #body: ReceivedBody | null = null
  #exchange: Exchange | null = null
  /** Of a request with an exchange. */
  #observed: ObservedRequest | null = null
  #writer: ResponseWriter | null = null
  #upgraded: UpgradedConnection | null = null
  /** The response whose head was sent. */
  #sent: Response | null = null
  #isTruncated = false
  /** A refusal ends the request at once. */
  #isRefused = false
  /** Bytes of a response that was sent in one write. */
  #writtenAtOnce = 0
  /** Of a request without exchange. */
  #transactionId: string | null = null
  #ended = false

  constructor(context: ListenerContext, channel: ResponseChannel) {
    this.context = context
    this.#channel = channel
    channel.observe(this)
  }

  /** Whether the whole request has arrived. */
  get isReceived(): boolean {
    return this.#channel.isReceived
  }

  get expectsContinue(): boolean {
    return this.#channel.expectsContinue
  }

  get responseBytes(): number | null {
    return this.#channel.headersSent ? (this.#writer?.written ?? 0) : null
  }

  start(): void {
    this.context.active++
    try {
      this.#begin()
    } catch (error) {
      // An exception in an event of the server would end the process.
      this.context.logger.limited(error).error({ error }, EVENTS.REQUEST_FAILED)
      if (this.#channel.headersSent) this.#truncate(asError(error))
      else this.#answer(500, 'close')
    }
  }

  /** Refuses a request whose body is late, malformed or abusive; truncates the response if it has begun. */
  refuseBody(reason: Refusal, error: Error): void {
    if (this.#ended) return
    if (this.#channel.headersSent) {
      this.#truncate(error, reason.isUnfinished === true ? 'aborted' : 'truncated')
      return
    }
    this.#isRefused = true
    this.#refuse(reason)
    this.#body?.fail(error)
    this.#observed?.notify((exchange) => exchange.abort(error))
    if (this.#ended) return
    this.#end(reason.isUnfinished === true ? 'aborted' : 'sent')
    this.#channel.release('sent')
  }

  get isUpgraded(): boolean {
    return this.#upgraded !== null
  }

  /** Ends upgraded connections, which would outlast any drain. */
  retire(): void {
    this.#upgraded?.close(GOING_AWAY, 'the gateway is shut down')
  }

  onResponseSent(): void {
    if (this.#ended) return
    this.#end('sent')
    this.#channel.release('sent')
  }

  onResponseStalled(): void {
    this.#truncate(new Error('the client read nothing of the response'))
  }

  onBodyRead(): void {
    if (!this.#ended && this.#channel.expectsContinue) this.#channel.sendContinue()
  }

  onBodyStalled(): void {
    this.refuseBody(REQUEST_TIMEOUT, new Error('the request body did not arrive in time'))
  }

  abandon(reason: Error): void {
    if (this.#ended) return
    if (this.#upgraded !== null) {
      // No abort of the exchange: this is how upgraded connections end.
      const { end } = this.#upgraded
      this.#upgraded.destroy()
      this.#end(end)
    } else {
      this.#ended = true
      this.#body?.fail(reason)
      this.#writer?.cancel(reason)
      this.#observed?.notify((exchange) => exchange.abort(reason))
      this.#end(this.#isTruncated || this.context.isAborting ? 'truncated' : 'aborted')
    }
    this.#channel.release('abandoned')
  }

  #begin(): void {
    const { context } = this
    const channel = this.#channel
    const admitted = channel.admit(context)
    if ('problem' in admitted) {
      this.#refuse(admitted)
      return
    }
    const span = beginSpan(admitted, channel.peer, context.settings)
    const exchange = createExchange(admitted, (length) => this.#receiveBody(length), channel.peer, context, span)
    if ('problem' in exchange) {
      this.#refuse(exchange)
      return
    }
    this.#exchange = exchange
    this.#observed = new ObservedRequest(context, exchange, span)
    this.#observed.begin()
    if (context.isReserved(admitted.uri.path)) {
      this.#decided(RESERVED)
      this.#answer(RESERVED.status, 'keep')
      return
    }
    // Visible to filters, which may remove it; being hop-by-hop, it is never forwarded as received.
    if (channel.upgradable !== null) exchange.request.headers.set('Upgrade', 'websocket')
    if (channel.acceptsInformational) exchange.informationalSender = channel
    void this.#run(exchange)
  }

  #receiveBody(length: number): Body {
    if (length === 0) return Body.empty
    this.#body = this.#channel.receiveBody(length, this)
    return Body.fromSource(this.#body, length < 0 ? null : length)
  }

  async #run(exchange: Exchange): Promise<void> {
    try {
      const { handler, settings } = this.context
      if (!settings.streaming && this.#body !== null) await exchange.request.body.buffer(settings.storage)
      const response = await handler(exchange)
      const handle = settings.errors?.handle ?? null
      this.#write(handle !== null && response.isGenerated ? await handle(exchange, response) : response, 'keep')
    } catch (error) {
      this.#onHandlerError(error, exchange)
    }
  }

  #onHandlerError(error: unknown, exchange: Exchange): void {
    // Handlers also fail because the client disconnected.
    if (this.#ended || this.#channel.isClosed) return
    if (error instanceof BodyTooLargeError && !this.#channel.headersSent) {
      this.#refuse({ status: error.status, problem: error.message })
      return
    }
    const { method, uri } = exchange.request
    const path = uri.rawPath
    this.context.logger.limited(error).error({ error, ...exchange.ids, method, path }, EVENTS.HANDLER_FAILED)
    if (this.#channel.headersSent) this.#truncate(asError(error))
    else this.#answer(failureStatus(error, exchange), 'keep')
  }

  /** Responds without a handler and closes a connection of HTTP/1.1: its next bytes can not be trusted. */
  #refuse(reason: Refusal): void {
    const { clientLog, settings } = this.context
    clientLog.refused(this.#channel.peer.address, reason)
    if (reason.isUnfinished !== true) this.#decided(reason)
    const line = this.#exchange === null ? this.#channel.refusedLine() : null
    this.#write(refusalResponse(reason.status, reason.problem, settings), 'close')
    if (line !== null) this.#record(reason, line)
  }

  #decided({ problem }: Refusal): void {
    this.#exchange?.decided({ result: 'DENIED', by: 'listener', reason: problem })
  }

  #record(reason: Refusal, line: RequestLine): void {
    const refused = { transactionId: this.#id, peer: this.#channel.peer, reason, line, bytes: this.#writtenAtOnce }
    recordRefusal(this.context.settings, refused)
  }

  get #id(): string {
    if (this.#exchange !== null) return this.#exchange.transactionId.value
    this.#transactionId ??= new TransactionId().value
    return this.#transactionId
  }

  get #accept(): string | null {
    return this.#exchange === null ? this.#channel.refusedAccept() : this.#exchange.request.headers.get('accept')
  }

  #answer(status: number, persistence: Persistence): void {
    this.#write(respond(status, {}, reasonPhrase(status)), persistence)
  }

  #write(response: Response, persistence: Persistence): void {
    const channel = this.#channel
    if (this.#ended || channel.isClosed) {
      response.body.cancel()
      return
    }
    const { transactionIdInResponse, transactionIdHeader, errors } = this.context.settings
    if (errors && response.isGenerated) presentError(errors, response, this.#accept, this.#id)
    if (transactionIdInResponse === true) response.headers.set(transactionIdHeader, this.#id)
    if (response.status === 101 && response.upgrade !== null && channel.upgradable !== null) {
      this.#upgrade(response, response.upgrade, channel.upgradable)
      return
    }
    const record = this.#recordOf(response)
    if (record === null || !channel.endsWithHead(response)) this.#send(response, persistence, record)
    else
      record.before(
        () => this.#send(response, persistence, null),
        () => response.body.cancel(),
      )
  }

  /** With a record, it is stored before the last bytes are sent. */
  #send(response: Response, persistence: Persistence, record: ResponseRecord | null): void {
    const head = this.#sendHead(response, persistence)
    if (head === null) return
    const target = record === null ? this.#channel : new DelayedEnd(this.#channel, head.length, record)
    if (!head.hasBody) {
      response.body.cancel()
      target.end()
    } else if (fitsOneWrite(response)) {
      const content = response.body.bytes()
      this.#writtenAtOnce = content.length
      target.end(content)
    } else {
      this.#writer = new ResponseWriter(target, response, head, (error) => this.#onResponseFailed(error))
      this.#writer.start()
      // A body that starts later, such as an event stream, does not delay its head.
      if (this.#writer.written === 0 && !this.#writer.isDone) this.#channel.flushHeaders()
    }
  }

  /** Null where the event of the request is not kept beyond the process. */
  #recordOf(response: Response): ResponseRecord | null {
    const audit = this.#exchange?.audit ?? null
    if (audit === null || !audit.isRecorded || this.#isRefused) return null
    return new ResponseRecord(audit, response, () => this.#ended)
  }

  /** A head that can not be sent, by its status, names, values or reason, becomes 502 (threats B28, B29). */
  #sendHead(response: Response, persistence: Persistence): ResponseHead | null {
    try {
      assertFinalStatus(response.status)
      const head = this.#channel.sendHead(response, persistence)
      this.#sent = response
      return head
    } catch (error) {
      response.body.cancel()
      this.#onUnsendable(error, response.status, persistence)
      return null
    }
  }

  #upgrade(response: Response, upgrade: Upgrade, upgradable: Upgradable): void {
    try {
      this.#upgraded = upgradable.handOver(response, upgrade)
      this.#sent = response
    } catch (error) {
      this.#onUnsendable(error, response.status, 'close')
      return
    }
    this.#exchange?.onAbort(() => {
      if (this.#upgraded !== null) endUpgraded(this.#upgraded, GOING_AWAY, 'the gateway ends this connection')
    })
    if (this.context.draining && !this.context.keepsUpgraded) this.retire()
  }

  #onUnsendable(error: unknown, status: number, persistence: Persistence): void {
    this.context.logger.limited(error).error({ error, status }, EVENTS.RESPONSE_NOT_SENT)
    if (this.#channel.headersSent) this.#truncate(asError(error))
    else this.#answer(502, persistence)
  }

  #onResponseFailed(error: Error): void {
    this.#exchange?.markTruncated()
    const route = this.#exchange?.audit?.routeId ?? null
    // Each route has its own server: one whose responses all end early must not hide another.
    const { logger } = this.context
    logger
      .limited(`${route} ${error.message}`)
      .warn({ error, route, ...this.#exchange?.ids }, EVENTS.RESPONSE_TRUNCATED)
    this.#truncate(error)
  }

  #truncate(reason: Error, end: 'truncated' | 'aborted' = 'truncated'): void {
    this.#isTruncated = end === 'truncated'
    this.abandon(reason)
    this.#channel.truncate(reason)
  }

  #end(end: RequestOutcome['end']): void {
    this.#ended = true
    this.context.active--
    this.#observed?.ended({ response: this.#sent, end }, { bytes: this.#bytesSent, tls: this.#channel.peer.tls })
  }

  get #bytesSent(): number {
    if (this.#upgraded !== null) return this.#channel.upgradable?.bytesSent ?? 0
    return this.#writer?.written ?? this.#writtenAtOnce
  }
}
