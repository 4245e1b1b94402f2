import type { Socket } from 'node:net'
import { corkUntilPollEnds, type PollWaiter } from '#http1'
import type { Call, DispatchController, OutboundRequest } from '../dispatcher.ts'
import { isSelfConnection } from '../self-connection.ts'
import { Upload, type UploadTarget } from '../upload.ts'
import { requestHead, trailerSection } from './request-head.ts'
import { RequestUnsentError } from './request-unsent-error.ts'
import { type ResponseEvents, type ResponseHead, ResponseParser } from './response-parser.ts'
import { ResponseTruncatedError } from './response-syntax-error.ts'
import { interceptWrites } from './write-failure.ts'

/** Heads and bodies up to this size in all are written as one string, which Node copies to its stack. */
const ONE_STRING_BYTES = 16_000

/**
 * Milliseconds after a response to HEAD without a further request. A server that sends a body, against RFC 9110 section 9.3.2, sends
 * it with the head or right after: its bytes must not meet the next request, which they would answer (threats B26).
 */
const HEAD_REST = 100

/** The pool of a connection. */
export interface ConnectionOwner {
  /** It can take the next request. */
  released(connection: Connection): void
  closed(connection: Connection): void
}

/**
 * One HTTP/1.1 connection, with at most one request at a time.
 *
 * ```
 *            send                    response complete, request sent, persistent
 *   IDLE ------------> ACTIVE ----------------------------------------------------> IDLE (released)
 *     |                  |
 *     | any byte,        | abort, invalid or truncated response, bytes after it, response complete
 *     | end, expiry      | before the request, last request, error of the socket
 *     v                  v
 *   CLOSED (closed) <----+      the call, if any, has failed or ended
 * ```
 *
 * Bytes reach the call of the current request only: nothing is parsed while the connection is idle or the request is held back,
 * and nothing after the end of a response.
 */
export class Connection implements DispatchController, ResponseEvents, UploadTarget, PollWaiter {
  readonly version = 'HTTP/1.1'
  readonly isSelfConnection: boolean
  /** No request is sent after it, in the time of `performance.now()`. */
  readonly expiresAt: number
  /** Set by the pool while it is idle. */
  idleUntil = 0
  /** No request is sent before it; 0 for none. */
  restsUntil = 0
  /** Keep-alive time in seconds that its server named last, or -1. */
  keepAlive = -1
  readonly #socket: Socket
  readonly #owner: ConnectionOwner
  readonly #parser: ResponseParser
  #call: Call | null = null
  #upload: Upload | null = null
  /** A request with a streamed body that is held back: its body is not read, so that it can be sent over another connection. */
  #unstarted: OutboundRequest | null = null
  /** The head of a request with a streamed body, until it is written with the first piece. */
  #unsentHead: string | null = null
  #isChunked = false
  #isHead = false
  #interceptsWrites = false
  /** Whether a part of a request with a streamed body was written. */
  #isPartlySent = false
  /** Why the rest of the request can not be written. */
  #writeFailure: Error | null = null
  #isPersistent = false
  #isPaused = false
  #isClosed = false
  #requests = 0

  constructor(socket: Socket, owner: ConnectionOwner, maxHeadBytes: number, expiresAt: number) {
    this.#socket = socket
    this.#owner = owner
    this.isSelfConnection = isSelfConnection(socket)
    this.expiresAt = expiresAt
    this.#parser = new ResponseParser({ maxHeadBytes }, this)
    // The Watchdog keeps the process alive while there are calls: ref and unref for each one would cost more.
    socket.unref()
    socket.on('data', (chunk: Buffer) => this.#onBytes(chunk))
    socket.on('drain', () => this.#upload?.resume())
    socket.on('end', () => this.#onEnd())
    socket.on('error', (error) => this.#lost(error))
    socket.on('close', () => this.#lost(new ResponseTruncatedError('a response', 0)))
  }

  /**
   * Sends a request. The call gets the response, or fails; both may happen before this returns. False where it failed as it began:
   * the connection is unused, and its owner goes on with it, in a loop, since thousands of calls may fail one after the other.
   */
  send(request: OutboundRequest, call: Call): boolean {
    let head: string
    try {
      head = requestHead(request)
      call.begin(this, this.#requests > 0)
    } catch (error) {
      call.failed(error as Error)
      return false
    }
    this.#requests++
    this.#call = call
    this.#isPersistent = !request.isLast
    this.#isPartlySent = false
    this.#isHead = request.method === 'HEAD'
    this.#parser.expect(request.method, false)
    if (request.stream !== null) {
      this.#unsentHead = head
      this.#unstarted = request
      corkUntilPollEnds(this.#socket, this)
      return true
    }
    corkUntilPollEnds(this.#socket)
    if (request.bytes === null) this.#socket.write(head, 'latin1')
    else this.#writePiece(head, request.bytes)
    return true
  }

  pollEnded(): void {
    const request = this.#unstarted
    this.#unstarted = null
    if (request !== null) this.#startUpload(request, this.#call!)
  }

  abort(reason: Error): void {
    this.#fail(reason)
  }

  pause(): void {
    this.#isPaused = true
    this.#socket.pause()
  }

  resume(): void {
    this.#isPaused = false
    this.#socket.resume()
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#parser.stop()
    this.#upload?.cancel()
    this.#upload = null
    this.#unstarted = null
    this.#socket.destroy()
    this.#owner.closed(this)
  }

  onInterim(status: number, _reason: string, fields: string[]): void {
    this.#call!.interim(status, fields)
  }

  onHead({ status, reason, fields, length, keepAlive, keepAliveHint }: ResponseHead): void {
    this.#isPersistent &&= keepAlive
    this.keepAlive = keepAliveHint
    this.#call!.head(status, reason, fields, length < 0 ? null : length)
  }

  onData(piece: Buffer): void {
    this.#call!.data(piece)
  }

  /** The connection is released before the call ends, so that the next call of the queue finds it. */
  onComplete(trailers: string[], excess: number): void {
    const call = this.#call!
    this.#call = null
    if (!this.#isPersistent || excess > 0 || this.#upload !== null) this.close()
    else {
      if (this.#isPaused) this.resume()
      this.restsUntil = this.#isHead ? performance.now() + HEAD_REST : 0
      this.#owner.released(this)
    }
    call.end(trailers)
  }

  writeBody(chunk: Uint8Array): boolean {
    const socket = this.#socket
    const head = this.#takeHead()
    if (head === '' && !this.#isChunked) return socket.write(chunk)
    socket.cork()
    const size = this.#isChunked ? `${chunk.length.toString(16)}\r\n` : ''
    socket.write(head + size, 'latin1')
    let more = socket.write(chunk)
    if (this.#isChunked) more = socket.write('\r\n', 'latin1')
    socket.uncork()
    return more
  }

  endBody(trailers: readonly string[]): void {
    this.#upload = null
    const rest = this.#takeHead() + (this.#isChunked ? `0\r\n${trailerSection(trailers)}` : '')
    if (rest !== '') this.#socket.write(rest, 'latin1')
  }

  failBody(error: Error): void {
    this.#upload = null
    this.#fail(error)
  }

  /** The first piece of a body that has arrived leaves with the head; otherwise the head leaves now. */
  #startUpload({ stream, length }: OutboundRequest, call: Call): void {
    if (!this.#interceptsWrites) this.#interceptWrites()
    this.#isChunked = length === null
    const upload = new Upload(stream!, call, this)
    this.#upload = upload
    upload.start()
    if (this.#unsentHead !== null && this.#call === call) this.#socket.write(this.#takeHead(), 'latin1')
  }

  #interceptWrites(): void {
    this.#interceptsWrites = true
    interceptWrites(this.#socket, {
      written: () => {
        this.#isPartlySent = this.#upload !== null
      },
      failed: (error) => this.#readsBeyond(error),
    })
  }

  /**
   * A server that responds before the end of the request, and closes the connection, resets it as more of the body arrives:
   * its response is still to be read. A request of which nothing was written has no response.
   */
  #readsBeyond(error: Error): boolean {
    const call = this.#call
    if (call === null || !this.#isPartlySent) return false
    this.#writeFailure ??= error
    this.#isPersistent = false
    this.#upload?.cancel(error)
    call.uploadEnded()
    return true
  }

  #takeHead(): string {
    const head = this.#unsentHead ?? ''
    this.#unsentHead = null
    return head
  }

  #writePiece(head: string, bytes: Uint8Array): void {
    const socket = this.#socket
    if (head.length + bytes.length <= ONE_STRING_BYTES) {
      socket.write(head + asBuffer(bytes).toString('latin1'), 'latin1')
      return
    }
    socket.cork()
    socket.write(head, 'latin1')
    socket.write(bytes)
    socket.uncork()
  }

  #onBytes(chunk: Buffer): void {
    const call = this.#call
    if (call === null) {
      // Bytes without a request would be taken for the response to the next one (threats B25).
      this.close()
      return
    }
    if (this.#isHeldBack) {
      this.#fail(new RequestUnsentError('bytes of the server'))
      return
    }
    call.received()
    try {
      this.#parser.execute(chunk)
      call.parsed()
    } catch (error) {
      this.#fail(error as Error)
    }
  }

  #onEnd(): void {
    if (this.#call === null) {
      this.close()
      return
    }
    // The system reports the reset once, for the write: a body that ends with the connection may be truncated (threats B27).
    if (this.#writeFailure !== null) {
      this.#lost(this.#writeFailure)
      return
    }
    // Over TLS also without the alert close_notify, which node:tls does not report (docs/guide/tls.md).
    try {
      this.#parser.finish()
    } catch (error) {
      this.#lost(error as Error)
    }
  }

  /** The connection is closed before the call fails, so that the call can be sent again over another one. */
  #fail(error: Error): void {
    const call = this.#call
    this.#call = null
    this.close()
    call?.failed(error)
  }

  /** The socket has failed or was closed. */
  #lost(error: Error): void {
    this.#fail(this.#isHeldBack ? new RequestUnsentError('its end', error) : error)
  }

  /** Whether nothing of the current request has been written: bytes that arrive meanwhile respond to no request of ours (threats B25). */
  get #isHeldBack(): boolean {
    return this.#socket.writableCorked > 0
  }
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
