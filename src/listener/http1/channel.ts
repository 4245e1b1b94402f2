import { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { RequestLine, Response } from '#http'
import { type AdmittedRequest, admit, type Expectation } from '../admission.ts'
import type { ListenerContext } from '../listener-context.ts'
import type { Peer } from '../peer.ts'
import type { BodyOwner, ReceivedBody } from '../received-body.ts'
import type { Refusal } from '../refusal.ts'
import type { ChannelObserver, Persistence, ResponseChannel } from '../response-channel.ts'
import { headOf, type ResponseHead } from '../response-head.ts'
import type { DetachedSocket } from './detached-socket.ts'
import { MessageBody } from './message-body.ts'
import type { RequestMessage } from './request-message.ts'

// An unread request body up to this size is discarded to keep the connection.
const MAX_DISCARDED = 65_536

/** The connection of a channel. */
export interface ChannelConnection {
  readonly peer: Peer
  readonly socket: Socket
  readonly isDraining: boolean
  linger(): void
  lingerAtEnd(): void
  onResponseSent(): void
}

/** The channel of HTTP/1.1. It is the response object of node:http, so that a request needs no object beside it. */
export class Http1Channel extends ServerResponse<RequestMessage> implements ResponseChannel {
  upgradable: DetachedSocket | null = null
  #connection!: ChannelConnection
  #observer!: ChannelObserver
  #expect: Expectation = 'nothing'
  /** As declared; -1 when chunked or not yet known. */
  #bodyLength = -1
  #lingers = false
  #endsWithConnection = false

  /** Called before any other method, since node:http creates the object. */
  bind(connection: ChannelConnection, expect: Expectation, detached: DetachedSocket | null): void {
    this.#connection = connection
    this.#expect = expect
    this.upgradable = detached
  }

  get peer(): Peer {
    return this.#connection.peer
  }

  get isReceived(): boolean {
    return this.req.complete
  }

  get isClosed(): boolean {
    return this.#connection.socket.destroyed
  }

  get expectsContinue(): boolean {
    return this.#expect === 'continue'
  }

  /** Not in HTTP/1.0 (RFC 9110 section 15.2). */
  get acceptsInformational(): boolean {
    return this.upgradable === null && this.req.httpVersion === '1.1'
  }

  observe(observer: ChannelObserver): void {
    this.#observer = observer
    this.on('finish', onFinish)
    this.on('error', ignore)
  }

  onFinish(): void {
    this.#observer.onResponseSent()
  }

  open(): void {
    this.upgradable?.attach()
  }

  admit(context: ListenerContext): AdmittedRequest | Refusal {
    const admitted = admit(this.req, this.#expect, this.peer, context)
    if (!('problem' in admitted)) this.#bodyLength = admitted.head.bodyLength
    return admitted
  }

  refusedLine(): RequestLine {
    const { method = '', url = '', httpVersion } = this.req
    return { method, target: url, protocol: `HTTP/${httpVersion}` }
  }

  refusedAccept(): string | null {
    return this.req.headers.accept ?? null
  }

  receiveBody(length: number, owner: BodyOwner): ReceivedBody {
    return new MessageBody(this.req, owner, length < 0 ? 'chunked' : 'length')
  }

  sendContinue(): void {
    this.#expect = 'nothing'
    if (!this.headersSent) this.writeContinue()
  }

  sendInformational(status: number, fields: readonly string[]): void {
    if (!this.headersSent && !this.isClosed) this.writeInformation(status, fields)
  }

  sendHead(response: Response, persistence: Persistence): ResponseHead {
    const head = headOf(response, this.req.method ?? '', this.#persistenceOf(persistence))
    this.writeHead(response.status, response.reason, head.raw)
    this.#endsWithConnection = head.hasBody && head.length === null && !this.chunkedEncoding
    return head
  }

  /** The head is sent with the first or last bytes of the body. */
  endsWithHead(): boolean {
    return false
  }

  /** For bodies that end with the connection (HTTP/1.0), a reset or a missing close_notify of TLS shows the truncation. */
  truncate(): void {
    const { socket, peer } = this.#connection
    if (this.#endsWithConnection && peer.scheme === 'http') socket.resetAndDestroy()
    else socket.destroy()
  }

  release(outcome: 'sent' | 'abandoned'): void {
    if (outcome === 'abandoned') return
    // The end of the exchange has paused the body; its rest must pass, or the connection would stall.
    if (!this.isReceived) this.req.resume()
    this.upgradable?.detach()
    if (this.#lingers) this.#connection.linger()
    this.#connection.onResponseSent()
  }

  /** An unread body must not be parsed as the next request (threats B26). */
  #persistenceOf(wanted: Persistence): Persistence {
    const waitsForContinue = this.#expect !== 'nothing' && this.#bodyLength !== 0
    const isDiscardable = this.#bodyLength >= 0 && this.#bodyLength <= MAX_DISCARDED
    const unread = !this.isReceived && (waitsForContinue || !isDiscardable)
    if (wanted === 'keep' && !unread && this.upgradable === null) return this.#connection.isDraining ? 'close' : 'keep'
    this.#lingers = true
    this.#connection.lingerAtEnd()
    return 'close'
  }
}

// One function for all channels: `this` is the channel.
function onFinish(this: Http1Channel): void {
  this.onFinish()
}

function ignore(): void {}
