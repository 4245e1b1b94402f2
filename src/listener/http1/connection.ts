import type { Socket } from 'node:net'
import { Http1SyntaxError } from '#http1'
import { matchPreface, PREFACE } from '../http2/preface.ts'
import { EVENTS } from '../log-events.ts'
import type { Peer } from '../peer.ts'
import { REQUEST_TIMEOUT, type Refusal, syntaxRefusal, UNFINISHED } from '../refusal.ts'
import { Transaction } from '../transaction.ts'
import { type ChannelConnection, Http1Channel } from './channel.ts'
import type { Http1Context } from './connection-context.ts'
import { ReceivedBytes } from './received-bytes.ts'
import { refuseBytes } from './refuse-bytes.ts'
import { UnknownMethodError } from './request-line.ts'
import { type BodyEvents, RequestParser } from './request-parser.ts'
import { SocketWriter } from './socket-writer.ts'
import type { Timed } from './timeout-wheel.ts'

/** Responses that may wait to be written before the next request is parsed. */
const MAX_UNSENT = 32

/** Bytes of pipelined requests that are retained; beyond them the socket is not read, and no disconnect is detected. */
const MAX_RETAINED = 65_536

const HEAD = 0
const BODY = 1
const ANSWER = 2
const LINGER = 3
const CLOSING = 4
const GONE = 5

/** The listener of a connection. */
export interface ConnectionOwner {
  onHttp1Closed(connection: Http1Connection): void
  /** The connection began with the preface of HTTP/2; `bytes` begin with it. */
  onPreface(connection: Http1Connection, bytes: Buffer): void
}

/**
 * One client connection of HTTP/1.1. Requests are parsed one after the other: the bytes behind a request wait until its response is
 * complete, and beyond `MAX_RETAINED` the socket is not read. Each state names what is parsed, and what ends it.
 *
 * ```
 *            head complete        message complete           response complete
 *   HEAD -----------------> BODY ------------------> ANSWER ---------------------> HEAD
 *    |  \                    |                        |  \
 *    |   \ keep-alive time   | response complete:     |   \ 101: GONE (upgraded, or HTTP/2 from HEAD)
 *    |    \ or end of client | the rest is dropped,   |
 *    |     \                 | then HEAD              | end of client: the request is aborted
 *    |      v                v                        v
 *    |     CLOSING <-- "close", drain, end of client, truncation --+
 *    |                       |                                     |
 *    | malformed: 4xx, 501   | malformed, late: 4xx                v
 *    +----------------> LINGER (half-closed; bytes are dropped) --> GONE (socket closed)
 * ```
 *
 * Callbacks of requests may run within the parser, and complete responses there: `#advance` is a loop, and a call within it returns
 * at once, so that any number of pipelined requests takes no stack.
 */
export class Http1Connection implements ChannelConnection, BodyEvents, Timed {
  slot = -1
  dueAt = 0
  readonly socket: Socket
  readonly peer: Peer
  readonly writer: SocketWriter
  readonly #context: Http1Context
  readonly #owner: ConnectionOwner
  readonly #parser: RequestParser
  readonly #input = new ReceivedBytes()
  #state = HEAD
  /** The request that is served, and its transaction. */
  #channel: Http1Channel | null = null
  #transaction: Transaction | null = null
  #isAdvancing = false
  #isPaused = false
  /** Whether the client has ended its side. */
  #hasEnded = false
  #isHeadBegun = false
  #hasServed = false
  /** Received bytes of the preface of HTTP/2; -1 where it is not expected any more. */
  #preface: number
  /** In ticks: when the state is left. */
  #deadline: number
  /** In ticks: when bytes were last seen to move, and their number then. */
  #movedAt: number
  #moved = 0

  constructor(socket: Socket, peer: Peer, context: Http1Context, owner: ConnectionOwner) {
    this.socket = socket
    this.peer = peer
    this.#context = context
    this.#owner = owner
    this.#parser = new RequestParser(context.listener.settings.maxTotalHeadersSize, this)
    this.writer = new SocketWriter(socket, () => this.#onProgress())
    this.#preface = context.expectsPreface ? 0 : -1
    const { wheel, limits } = context
    this.#movedAt = wheel.now
    this.#deadline = wheel.now + limits.head
    wheel.add(this, Math.min(this.#deadline, wheel.now + limits.idle))
    socket.on('data', (chunk: Buffer) => this.#onData(chunk))
    socket.on('end', () => this.#onEnd())
    socket.on('close', () => this.#onClose())
  }

  get isDraining(): boolean {
    return this.#context.listener.draining
  }

  get keepAliveLines(): string {
    return this.#context.keepAliveLines
  }

  /** Whether no request is being received or served. */
  get isIdle(): boolean {
    return this.#state === HEAD && !this.#parser.hasPartOfHead && this.#input.isEmpty && this.writer.unsent === 0
  }

  get isIdleKeepAlive(): boolean {
    return this.#hasServed && this.isIdle
  }

  get isUpgraded(): boolean {
    return this.#transaction?.isUpgraded ?? false
  }

  /** Closes an idle connection; an active request may end. */
  retire(): void {
    if (this.isIdleKeepAlive) this.#close()
    else this.#transaction?.retire()
  }

  /** Responses to pipelined requests leave together. */
  write(data: string | Uint8Array): boolean {
    return this.writer.write(data, !this.#input.isEmpty)
  }

  readBody(): void {
    this.#advance()
  }

  handOver(): Buffer {
    this.#leave()
    return this.#input.take()
  }

  onBodyData(piece: Buffer): boolean {
    const body = this.#channel?.body ?? null
    body?.push(piece)
    return body === null || !body.isPaused
  }

  onBodyEnd(trailers: readonly string[]): void {
    this.#channel!.isReceived = true
    this.#channel!.body?.complete(trailers)
  }

  onResponseEnd(channel: Http1Channel): void {
    this.writer.complete(channel)
    if (channel !== this.#channel || this.#state > ANSWER) return
    if (channel.sequel === 'linger') this.#linger()
    else if (channel.sequel === 'close') this.#close()
    else if (this.#state === ANSWER) this.#next()
    else this.#dropBody(channel)
  }

  check(now: number): number | null {
    if (this.#state === GONE) return null
    const { limits } = this.#context
    const { movedBytes: moved, isBlocked } = this.writer
    if (moved !== this.#moved) this.#movedAt = now
    this.#moved = moved
    const idle = this.#hasEnded ? limits.linger : limits.idle
    const isIdle = now - this.#movedAt >= idle
    if (isIdle && this.#hasEnded) this.socket.destroy()
    else if (isIdle && isBlocked) this.#onStalled()
    else if (now >= this.#deadline) this.#onDeadline()
    else if (isIdle && this.#state === HEAD && !this.isIdleKeepAlive) this.socket.destroy()
    const isSampled = !this.#hasEnded && (isBlocked || this.#state === BODY || this.#state === ANSWER)
    const next = isSampled ? now + limits.sample : this.#movedAt + idle
    return Math.max(now + 1, Math.min(this.#deadline, next))
  }

  #onData(chunk: Buffer): void {
    if (this.#state >= LINGER) return
    if (this.#preface >= 0 && !this.#isHttp1(chunk)) return
    this.#input.push(chunk)
    this.#advance()
  }

  /** Whether the first bytes are not those of HTTP/2. */
  #isHttp1(chunk: Buffer): boolean {
    const before = this.#preface
    this.#preface = matchPreface(chunk, before)
    if (this.#preface < 0) {
      this.#input.push(Buffer.from(PREFACE.subarray(0, before)))
      return true
    }
    if (this.#preface < PREFACE.length) return false
    this.#leave()
    this.#owner.onPreface(this, Buffer.concat([PREFACE.subarray(0, before), chunk]))
    return false
  }

  /** Parses what has arrived, as far as it is wanted. */
  #advance(): void {
    if (this.#isAdvancing) return
    this.#isAdvancing = true
    try {
      while (!this.#input.isEmpty && this.#isParsing) this.#parse()
    } catch (error) {
      this.#onParserError(error)
    } finally {
      this.#isAdvancing = false
    }
    this.#regulate()
  }

  get #isParsing(): boolean {
    if (this.#state === BODY) return this.#channel?.body?.isPaused !== true
    return this.#state === HEAD && this.writer.unsent < MAX_UNSENT && !this.socket.writableNeedDrain
  }

  #parse(): void {
    const input = this.#input
    const parser = this.#parser
    const { first, at } = input
    if (this.#state === BODY) {
      const end = parser.parseBody(first, at)
      // A callback may have ended the connection.
      if (this.#state !== BODY) return
      input.consume(end)
      if (parser.isComplete) this.#onMessageEnd()
      return
    }
    input.consume(parser.parseHead(first, at))
    if (parser.hasHead) this.#begin()
    else if (parser.hasPartOfHead && !this.#isHeadBegun) {
      this.#isHeadBegun = true
      this.#expectWithin(this.#context.limits.head)
    }
  }

  #begin(): void {
    const { line, fields } = this.#parser
    const { method, target, version } = line
    const channel = new Http1Channel(this, { method, target, version, fields })
    const transaction = new Transaction(this.#context.listener, channel)
    this.#channel = channel
    this.#transaction = transaction
    this.#state = BODY
    this.#isHeadBegun = false
    this.#deadline = Number.POSITIVE_INFINITY
    transaction.start()
    if (this.#state !== BODY) return
    this.#parser.beginBody(channel.bodyLength)
    if (channel.bodyLength === 0) this.#onMessageEnd()
  }

  #onMessageEnd(): void {
    this.#state = ANSWER
    this.#parser.begin()
    const channel = this.#channel!
    channel.isReceived = true
    if (channel.isEnded) this.#next()
  }

  /** The request and its response are complete. */
  #next(): void {
    this.#channel = null
    this.#transaction = null
    this.#hasServed = true
    this.#state = HEAD
    this.#expectWithin(this.#context.limits.keepAlive)
    if (this.isDraining && this.#input.isEmpty) this.#close()
    else this.#advance()
  }

  /** The response is complete: the rest of its request must pass. */
  #dropBody({ body }: Http1Channel): void {
    this.#expectWithin(this.#context.limits.head)
    body?.discard()
    this.#advance()
  }

  #expectWithin(ticks: number): void {
    const { wheel } = this.#context
    this.#deadline = wheel.now + ticks
    wheel.hasten(this, this.#deadline)
  }

  /** Reads the socket while there is room, so that the end of the client is detected. */
  #regulate(): void {
    if (this.#state >= LINGER) return
    const isFull = this.#input.size >= MAX_RETAINED || (this.#state === BODY && this.#channel?.body?.isPaused === true)
    if (isFull === this.#isPaused) return
    this.#isPaused = isFull
    if (isFull) this.socket.pause()
    else this.socket.resume()
  }

  #onProgress(): void {
    if (this.#state === HEAD) this.#advance()
    else if (this.#state === LINGER && this.writer.isFlushed) this.#expectWithin(this.#context.limits.linger)
  }

  #onParserError(error: unknown): void {
    const { listener } = this.#context
    if (!(error instanceof Http1SyntaxError || error instanceof UnknownMethodError)) {
      listener.logger.limited(error).error({ error }, EVENTS.CONNECTION_FAILED)
      this.socket.destroy()
    } else if (this.#state === HEAD) this.#refuse(syntaxRefusal(error))
    else this.#failBody(syntaxRefusal(error), error)
  }

  /** The end of the client is its disconnection, also while it could still read. */
  #onEnd(): void {
    this.#hasEnded = true
    if (this.#state === LINGER) this.socket.destroy()
    else if (this.#state === BODY) this.#failBody(UNFINISHED, new Error('the client ended within the request'))
    else if (this.#state === HEAD && (this.#parser.hasPartOfHead || this.#preface > 0)) this.#refuse(UNFINISHED)
    else if (this.#state !== GONE) this.#close()
  }

  /** The body of the current request will not be complete. */
  #failBody(reason: Refusal, error: Error): void {
    // A second response would be taken for that of the next request.
    if (this.#channel!.isEnded) this.#linger()
    else this.#transaction!.refuseBody(reason, error)
    // It has truncated the response.
    if (this.#state === BODY) this.#state = CLOSING
  }

  /** Refuses bytes that are no request. */
  #refuse(reason: Refusal): void {
    this.write(refuseBytes(this.#context.listener, this.peer, reason))
    this.#linger()
  }

  /** Half-closes; the socket is destroyed when the client closes, or after a time in which it may read the response. */
  #linger(): void {
    if (this.#hasEnded) {
      this.#close()
      return
    }
    this.#state = LINGER
    this.#input.clear()
    this.#deadline = Number.POSITIVE_INFINITY
    if (this.writer.isFlushed) this.#expectWithin(this.#context.limits.linger)
    this.socket.end()
    this.socket.resume()
  }

  /** Closes the connection when all responses are written. */
  #close(): void {
    this.#state = CLOSING
    this.#input.clear()
    this.#deadline = Number.POSITIVE_INFINITY
    this.socket.destroySoon()
    if (!this.#hasEnded) return
    // Of a client that has reset its connection, TLS reports the end alone, and never the end of a write.
    this.#moved = this.writer.movedBytes
    this.#movedAt = this.#context.wheel.now
    this.#context.wheel.hasten(this, this.#movedAt + this.#context.limits.linger)
  }

  #onClose(): void {
    const transaction = this.#transaction
    if (this.#state !== GONE) this.#leave()
    this.#transaction = null
    this.#owner.onHttp1Closed(this)
    const reason = new Error('the client closed the connection')
    this.writer.abandon(reason)
    transaction?.abandon(reason)
  }

  /** The socket is used by another protocol, or closed. */
  #leave(): void {
    this.#state = GONE
    this.#context.wheel.delete(this)
    for (const event of ['data', 'end', 'drain']) this.socket.removeAllListeners(event)
  }

  #onDeadline(): void {
    const { limits } = this.#context
    if (this.#state !== HEAD) this.socket.destroy()
    // They wait until responses are read.
    else if (!this.#input.isEmpty) this.#expectWithin(limits.head)
    else if (this.#parser.hasPartOfHead || this.#preface > 0 || !this.#hasServed) this.#refuse(REQUEST_TIMEOUT)
    else this.socket.destroy()
  }

  /** The client reads nothing. */
  #onStalled(): void {
    const observer = this.writer.oldest ?? this.#transaction
    if (observer === null) this.socket.destroy()
    else observer.onResponseStalled()
  }
}
