import type { Socket } from 'node:net'
import type { RequestLine, Response } from '#http'
import { type AdmittedRequest, admit, type ParsedHead } from '../admission.ts'
import * as options from '../connection-options.ts'
import type { ListenerContext } from '../listener-context.ts'
import type { Peer } from '../peer.ts'
import type { BodyOwner, ReceivedBody } from '../received-body.ts'
import type { Refusal } from '../refusal.ts'
import type { ChannelObserver, Persistence, ResponseChannel } from '../response-channel.ts'
import { headOf, type ResponseHead } from '../response-head.ts'
import { MessageBody } from './message-body.ts'
import { fieldLines, informationalResponse, responseHead } from './response-text.ts'
import type { SocketWriter } from './socket-writer.ts'
import { isWebSocketUpgrade, UpgradeRequest } from './upgrade-request.ts'

// An unread request body up to this size is discarded to keep the connection.
const MAX_DISCARDED = 65_536

/** Heads and content up to this size in all are written as one text, which Node copies to its stack. */
const ONE_TEXT = 16_000

/** The connection of a channel. */
export interface ChannelConnection {
  readonly peer: Peer
  readonly socket: Socket
  readonly writer: Pick<SocketWriter, 'flush' | 'onceDrained'>
  readonly isDraining: boolean
  /** Field lines of responses after which the connection stays open. */
  readonly keepAliveLines: string
  /** False where the channel has to wait for the socket to drain. */
  write(data: string | Uint8Array): boolean
  /** All of the response was given to `write`. */
  onResponseEnd(channel: Http1Channel): void
  readBody(): void
  handOver(): Buffer
}

/** What follows a response on its connection: the next request, its orderly end, or its end once the client has read the response. */
type Sequel = 'next' | 'close' | 'linger'

/** The channel of HTTP/1.1: one request and its response. */
export class Http1Channel implements ResponseChannel {
  upgradable: UpgradeRequest | null = null
  headersSent = false
  chunkedEncoding = false
  expectsContinue = false
  /** Whether the whole request was parsed. */
  isReceived = false
  /** Whether all of the response was given to the connection. */
  isEnded = false
  /** Set with the head of the response. */
  sequel: Sequel = 'linger'
  /** Number of writes of the connection after which the response is sent. */
  lastWrite = 0
  body: MessageBody | null = null
  /** As declared; -1 when chunked, 0 before the request was admitted. */
  bodyLength = 0
  readonly #connection: ChannelConnection
  readonly #request: ParsedHead
  #observer!: ChannelObserver
  #keepsAlive = false
  #endsWithConnection = false
  /** The head of the response, until it is written with the first bytes of its body. */
  #head = ''
  #trailers = ''

  constructor(connection: ChannelConnection, request: ParsedHead) {
    this.#connection = connection
    this.#request = request
  }

  get peer(): Peer {
    return this.#connection.peer
  }

  get observer(): ChannelObserver {
    return this.#observer
  }

  get isClosed(): boolean {
    return !this.#connection.socket.writable
  }

  /** Not in HTTP/1.0 (RFC 9110 section 15.2). */
  get acceptsInformational(): boolean {
    return this.upgradable === null && this.#request.version === '1.1'
  }

  observe(observer: ChannelObserver): void {
    this.#observer = observer
  }

  admit(context: ListenerContext): AdmittedRequest | Refusal {
    const admitted = admit(this.#request, this.peer, context)
    if ('problem' in admitted) return admitted
    const { head, version } = admitted
    const isLatest = version === '1.1'
    this.bodyLength = head.bodyLength
    this.isReceived = head.bodyLength === 0
    this.expectsContinue = head.expect !== null && isLatest
    const isClosing = (head.connection & options.close) !== 0
    this.#keepsAlive = !isClosing && (isLatest || (head.connection & options.keepAlive) !== 0)
    if (isWebSocketUpgrade(admitted)) this.upgradable = new UpgradeRequest(this.#connection)
    return admitted
  }

  refusedLine(): RequestLine {
    const { method, target, version } = this.#request
    return { method, target, protocol: `HTTP/${version}` }
  }

  refusedAccept(): string | null {
    const { fields } = this.#request
    for (let i = 0; i < fields.length; i += 2) if (fields[i]!.toLowerCase() === 'accept') return fields[i + 1]!
    return null
  }

  receiveBody(length: number, owner: BodyOwner): ReceivedBody {
    this.body = new MessageBody(this.#connection, owner, length < 0)
    return this.body
  }

  sendContinue(): void {
    this.expectsContinue = false
    this.sendInformational(100, [])
  }

  sendInformational(status: number, fields: readonly string[]): void {
    if (!this.headersSent && !this.isClosed) this.#connection.write(informationalResponse(status, fields))
  }

  sendHead(response: Response, wanted: Persistence): ResponseHead {
    const { method, version } = this.#request
    const head = headOf(response, method)
    const isUnframed = head.hasBody && head.length === null
    this.chunkedEncoding = isUnframed && version === '1.1'
    this.#endsWithConnection = isUnframed && !this.chunkedEncoding
    this.sequel = this.#sequelOf(wanted)
    const persistence = this.sequel === 'next' ? this.#connection.keepAliveLines : 'Connection: close\r\n'
    const framing = this.chunkedEncoding ? 'Transfer-Encoding: chunked\r\n\r\n' : '\r\n'
    this.#head = `${responseHead(response.status, response.reason, head.raw)}${persistence}${framing}`
    this.headersSent = true
    return head
  }

  flushHeaders(): void {
    const head = this.#takeHead()
    if (head !== '' && !this.isClosed) this.#connection.write(head)
  }

  /** The head is sent with the first or last bytes of the body. */
  endsWithHead(): boolean {
    return false
  }

  write(chunk: Uint8Array): boolean {
    if (this.isClosed) return false
    const connection = this.#connection
    const before = this.chunkedEncoding ? `${this.#takeHead()}${chunk.length.toString(16)}\r\n` : this.#takeHead()
    const after = this.chunkedEncoding ? '\r\n' : ''
    if (before === '') return connection.write(chunk)
    if (before.length + chunk.length <= ONE_TEXT) return connection.write(before + latin1(chunk) + after)
    const { socket } = connection
    socket.cork()
    connection.write(before)
    let more = connection.write(chunk)
    if (after !== '') more = connection.write(after)
    socket.uncork()
    return more
  }

  end(content?: string | Uint8Array): void {
    if (this.isEnded) return
    this.isEnded = true
    if (!this.isClosed) this.#writeLast(content)
    this.#connection.onResponseEnd(this)
  }

  once(_event: 'drain', listener: () => void): void {
    this.#connection.writer.onceDrained(listener)
  }

  addTrailers(pairs: readonly [string, string][]): void {
    this.#trailers = fieldLines(pairs.flat())
  }

  /** For bodies that end with the connection (HTTP/1.0), a reset or a missing close_notify of TLS shows the truncation. */
  truncate(): void {
    const { socket, peer, writer } = this.#connection
    writer.flush()
    if (this.#endsWithConnection && peer.scheme === 'http') socket.resetAndDestroy()
    else socket.destroy()
  }

  release(): void {}

  #writeLast(content: string | Uint8Array | undefined): void {
    const connection = this.#connection
    if (content !== undefined && content.length > 0) {
      const isShort = !this.chunkedEncoding && this.#head.length + content.length <= ONE_TEXT
      if (isShort) connection.write(this.#takeHead() + latin1(content))
      else this.write(typeof content === 'string' ? Buffer.from(content, 'latin1') : content)
    }
    const rest = this.chunkedEncoding ? `${this.#takeHead()}0\r\n${this.#trailers}\r\n` : this.#takeHead()
    if (rest !== '') connection.write(rest)
  }

  #takeHead(): string {
    const head = this.#head
    this.#head = ''
    return head
  }

  /** An unread body must not be parsed as the next request (threats B26). */
  #sequelOf(wanted: Persistence): Sequel {
    const waitsForContinue = this.expectsContinue && this.bodyLength !== 0
    const isDiscardable = this.bodyLength >= 0 && this.bodyLength <= MAX_DISCARDED
    const isUnread = !this.isReceived && (waitsForContinue || !isDiscardable)
    if (wanted === 'close' || isUnread || this.upgradable !== null) return 'linger'
    const keeps = this.#keepsAlive && !this.#endsWithConnection && !this.#connection.isDraining
    return keeps ? 'next' : 'close'
  }
}

function latin1(content: string | Uint8Array): string {
  if (typeof content === 'string') return content
  return Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString('latin1')
}
