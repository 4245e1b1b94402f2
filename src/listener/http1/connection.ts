import type { Socket } from 'node:net'
import { TransactionId } from '#http'
import type { ListenerContext } from '../listener-context.ts'
import type { ParserError } from '../method.ts'
import type { Peer } from '../peer.ts'
import { recordRefusal } from '../record-refusal.ts'
import { parserRefusal, type Refusal, rawRefusalResponse } from '../refusal.ts'
import type { Transaction } from '../transaction.ts'
import type { ChannelConnection } from './channel.ts'
import { gateRequests } from './parser-gate.ts'
import { Pipeline } from './pipeline.ts'

// Time for a refused client to read its response: an immediate reset would discard it.
const LINGER_TIME = 1000

// Time for the active request after too many pipelined ones.
const OVERLOAD_TIME = 1000

/** One client connection of HTTP/1.1, with one active request at a time. */
export class Http1Connection implements ChannelConnection {
  readonly socket: Socket
  readonly peer: Peer
  readonly #context: ListenerContext
  #current: Transaction | null = null
  /** The last request, where it was answered before the end of its body. */
  #unfinished: Transaction | null = null
  readonly #pipeline: Pipeline
  #closing = false
  /** Bytes read when the last response was sent; -1 before the first. */
  #bytesServed = -1
  #lingering = false
  #ending: NodeJS.Timeout | null = null

  constructor(socket: Socket, peer: Peer, context: ListenerContext) {
    this.socket = socket
    this.peer = peer
    this.#context = context
    this.#pipeline = new Pipeline(socket)
  }

  /** Called when node:http has attached its parser. */
  gate(): void {
    gateRequests(this.socket, this)
  }

  /** Whether further requests are ignored. */
  get closing(): boolean {
    return this.#closing
  }

  get isDraining(): boolean {
    return this.#context.draining
  }

  get isIdle(): boolean {
    return this.#current === null
  }

  /** Whether no byte was received since the last response. */
  get isIdleKeepAlive(): boolean {
    return this.#current === null && this.socket.bytesRead === this.#bytesServed
  }

  get isUpgraded(): boolean {
    return this.#current?.isUpgraded ?? false
  }

  /** Closes an idle connection; an active request may end. */
  retire(): void {
    if (this.isIdleKeepAlive) this.socket.destroy()
    else this.#current?.retire()
  }

  accept(transaction: Transaction): void {
    if (this.#closing) return
    if (this.#current !== null) {
      this.#pipeline.push(transaction)
      return
    }
    this.#unfinished = null
    this.#current = transaction
    transaction.start()
  }

  accepts(): boolean {
    if (this.#closing) return false
    if (!this.#pipeline.isFull) return true
    // The active request may still be answered.
    this.#closing = true
    this.#context.clientLog.abusive(this.peer.address, 'too many pipelined requests')
    this.#pipeline.clear()
    this.#destroyAfter(OVERLOAD_TIME)
    return false
  }

  /** The request in flight is answered, then the connection closes: the client sends those after it again. */
  onLostBytes(): void {
    this.#closing = true
    this.#pipeline.clear()
    if (this.#current === null) this.linger()
  }

  onResponseSent(): void {
    this.#unfinished = this.#current?.isReceived === false ? this.#current : null
    this.#current = null
    this.#bytesServed = this.socket.bytesRead
    const next = this.#pipeline.shift()
    if (this.#closing) {
      this.linger()
    } else if (next !== undefined) {
      this.#current = next
      next.start()
    } else if (this.#context.draining) {
      this.socket.destroySoon()
    }
  }

  onClose(): void {
    this.#closing = true
    if (this.#ending !== null) clearTimeout(this.#ending)
    this.#pipeline.clear()
    const current = this.#current
    this.#current = null
    current?.abandon(new Error('the client closed the connection'))
  }

  /** A malformed or late request (decisions, a framing error in a request body). */
  onParserError(error: ParserError): void {
    if (this.#closing) return
    // Part of a head waits because the gateway has paused the socket.
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && this.#pipeline.isPaused) return
    if (error.code === 'ECONNRESET' || !this.socket.writable) {
      this.socket.destroy()
      return
    }
    this.#closing = true
    const current = this.#current
    if (current === null && this.#unfinished?.isReceived === false) {
      // The rest of a request that was answered: a second response would be taken for that of the next one.
      this.linger()
      return
    }
    const reason = parserRefusal(error, current === null && this.#isFirstPacket(error.rawPacket))
    const { settings } = this.#context
    const { value: transactionId } = new TransactionId()
    if (current === null) {
      const { message, bytes } = rawRefusalResponse(reason, transactionId, settings)
      this.#recordRefusal(reason, transactionId, bytes)
      this.socket.write(message)
      this.linger()
    } else if (current.isReceived || this.#pipeline.size > 0) {
      // Requests before the malformed one were complete: the one in flight is answered, then the connection closes.
      this.#recordRefusal(reason, transactionId, null)
    } else {
      current.refuseBody(reason, error)
    }
  }

  #recordRefusal(reason: Refusal, transactionId: string, bytes: number | null): void {
    this.#context.clientLog.refused(this.peer.address, reason)
    recordRefusal(this.#context.settings, { transactionId, peer: this.peer, reason, line: null, bytes })
  }

  /** Whether the packet is the first since the last response. */
  #isFirstPacket(packet: Buffer | undefined): boolean {
    const before = this.socket.bytesRead - (packet?.length ?? 0)
    return before === Math.max(0, this.#bytesServed)
  }

  /** No byte was read or written for the idle timeout; a client that waits for its response is not idle. */
  onIdleTimeout(): void {
    if (this.#current === null) this.socket.destroy()
    else if (this.socket.writableLength > 0) this.#current.onResponseStalled()
  }

  /** Lets node:http linger where it would close the socket. */
  lingerAtEnd(): void {
    this.socket.destroySoon = () => this.linger()
  }

  /** Half-closes; destroys the socket when the client closes, or after a time. */
  linger(): void {
    if (this.#lingering || this.socket.destroyed) return
    this.#lingering = true
    this.#closing = true
    this.#destroyAfter(LINGER_TIME)
    this.#pipeline.resume()
    const { socket } = this
    socket.on('end', () => socket.destroy())
    socket.end()
    socket.resume()
  }

  #destroyAfter(milliseconds: number): void {
    if (this.#ending !== null) clearTimeout(this.#ending)
    this.#ending = setTimeout(() => this.socket.destroy(), milliseconds).unref()
  }
}
