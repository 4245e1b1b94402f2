import type { Socket } from 'node:net'
import type { ParserError } from '../method.ts'
import type { Peer } from '../peer.ts'
import { parserProblem, rawRefusal } from '../refusal.ts'
import type { Service } from '../service.ts'
import type { Transaction } from '../transaction.ts'
import type { ChannelConnection } from './channel.ts'
import { gateRequests } from './parser-gate.ts'
import { Pipeline } from './pipeline.ts'

// How long a refused client may go on sending, so that it gets to read why (a reset would take the answer away).
const lingerTime = 1000

// How long the request in progress may take when too many wait behind it.
const overrunTime = 1000

/** One client connection: its requests are served one after the other, in the order they were sent. */
export class Http1Connection implements ChannelConnection {
  readonly socket: Socket
  readonly peer: Peer
  readonly #service: Service
  #current: Transaction | null = null
  readonly #pipeline: Pipeline
  #closing = false
  /** What had been read when the last response was out; -1 before the first. */
  #bytesServed = -1
  #lingering = false
  #ending: NodeJS.Timeout | null = null

  constructor(socket: Socket, peer: Peer, service: Service) {
    this.socket = socket
    this.peer = peer
    this.#service = service
    this.#pipeline = new Pipeline(socket)
  }

  /** Gives the connection a say in what Node's parser takes from the socket. */
  gate(): void {
    gateRequests(this.socket, () => this.#isTaken())
  }

  /** Nothing that arrives after a message that was refused is read as a request. */
  get closing(): boolean {
    return this.#closing
  }

  get isDraining(): boolean {
    return this.#service.draining
  }

  get isIdle(): boolean {
    return this.#current === null
  }

  /** Whether it waits for the client to begin another request: not a byte came since the last one. */
  get isAtRest(): boolean {
    return this.#current === null && this.socket.bytesRead === this.#bytesServed
  }

  /** No further request is wanted: one that runs may end, and what has left HTTP is told to. */
  retire(): void {
    if (this.isAtRest) this.socket.destroy()
    else this.#current?.retire()
  }

  accept(transaction: Transaction): void {
    if (this.#closing) return
    if (this.#current !== null) {
      this.#pipeline.push(transaction)
      return
    }
    this.#current = transaction
    transaction.start()
  }

  #isTaken(): boolean {
    if (this.#closing) return false
    if (!this.#pipeline.isFull) return true
    // The one in progress is answered, if that does not take long, and the connection closes.
    this.#closing = true
    this.#service.clientLog.abusive(this.peer.address, 'too many pipelined requests')
    this.#pipeline.clear()
    this.#destroyAfter(overrunTime)
    return false
  }

  onResponseSent(): void {
    this.#current = null
    this.#bytesServed = this.socket.bytesRead
    const next = this.#pipeline.shift()
    if (this.#closing) {
      this.linger()
    } else if (next !== undefined) {
      this.#current = next
      next.start()
    } else if (this.#service.draining) {
      this.socket.destroySoon()
    }
  }

  /** The connection is gone, with whatever was running on it. */
  closed(): void {
    this.#closing = true
    if (this.#ending !== null) clearTimeout(this.#ending)
    this.#pipeline.clear()
    const current = this.#current
    this.#current = null
    current?.abandon(new Error('the client closed the connection'))
  }

  /** The client sent what is not HTTP, or did not send it in time (decisions, a framing error in a request body). */
  unreadable(error: ParserError): void {
    if (this.#closing) return
    // Part of a head waits because the gateway does not read on.
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && this.#pipeline.isPaused) return
    if (error.code === 'ECONNRESET' || !this.socket.writable) {
      this.socket.destroy()
      return
    }
    this.#closing = true
    const current = this.#current
    // Requests before the malformed one were complete: the one in flight is answered, then the connection closes.
    if (current !== null && (current.isReceived || this.#pipeline.size > 0)) return
    const reason = parserProblem(error, current === null && this.#isFirstOfRequest(error.rawPacket))
    if (current !== null) {
      current.refuseBody(reason, error)
      return
    }
    this.#service.clientLog.refused(this.peer.address, reason)
    this.socket.write(rawRefusal(reason.status, reason.problem, this.#service.settings))
    this.linger()
  }

  /** Whether not a byte came between the last response and this packet. */
  #isFirstOfRequest(packet: Buffer | undefined): boolean {
    const before = this.socket.bytesRead - (packet?.length ?? 0)
    return before === Math.max(0, this.#bytesServed)
  }

  /** No byte was read or written for the idle timeout; a client that waits for its response is not idle. */
  onIdleTimeout(): void {
    if (this.#current === null) this.socket.destroy()
    else if (this.socket.writableLength > 0) this.#current.onResponseStalled()
  }

  /** Makes Node's own end of this connection one that lets the client read the answer first. */
  lingerAtEnd(): void {
    this.socket.destroySoon = () => this.linger()
  }

  /** Closes for writing now, and wholly when the client has closed too or has had its time. */
  linger(): void {
    if (this.#lingering || this.socket.destroyed) return
    this.#lingering = true
    this.#closing = true
    this.#destroyAfter(lingerTime)
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
