import type { Socket } from 'node:net'
import { corkUntilPollEnds } from '#http1'
import type { ChannelObserver } from '../response-channel.ts'

/** A response of which all was given to the writer. */
interface WrittenResponse {
  readonly observer: ChannelObserver
  /** Number of writes after which it is sent. */
  lastWrite: number
}

/** Writes the responses of one connection, and reports those that the system has accepted. */
export class SocketWriter {
  readonly #socket: Socket
  readonly #onProgress: () => void
  readonly #onWritten = (error?: Error | null) => this.#wasWritten(error)
  #issued = 0
  #written = 0
  #whenDrained: (() => void) | null = null
  /** Complete responses that are not sent yet, in their order. */
  #unsent: WrittenResponse[] = []

  /** `onProgress` is called when something was written. */
  constructor(socket: Socket, onProgress: () => void) {
    this.#socket = socket
    this.#onProgress = onProgress
    socket.on('drain', () => this.#onDrain())
  }

  /** Complete responses that are not sent yet. */
  get unsent(): number {
    return this.#unsent.length
  }

  get oldest(): ChannelObserver | null {
    return this.#unsent[0]?.observer ?? null
  }

  /** Whether the system has accepted everything. */
  get isFlushed(): boolean {
    return this.#issued === this.#written
  }

  /** Whether bytes wait for the client to read. */
  get isBlocked(): boolean {
    return this.#socket.writableLength > 0
  }

  /** A number that changes when bytes were received, or accepted by the system. */
  get movedBytes(): number {
    const { bytesRead, bytesWritten, writableLength } = this.#socket
    return bytesRead + bytesWritten - writableLength - queuedBytes(this.#socket)
  }

  /** Text is in Latin-1. With `isHeldBack` it leaves with the other writes of this turn of the event loop. Returns false before a drain. */
  write(data: string | Uint8Array, isHeldBack: boolean): boolean {
    const socket = this.#socket
    if (isHeldBack && socket.writableCorked === 0) corkUntilPollEnds(socket)
    this.#issued++
    if (typeof data === 'string') return socket.write(data, 'latin1', this.#onWritten)
    return socket.write(data, this.#onWritten)
  }

  onceDrained(listener: () => void): void {
    this.#whenDrained = listener
  }

  /** Writes what is held back. */
  flush(): void {
    while (this.#socket.writableCorked > 0) this.#socket.uncork()
  }

  /** The response is complete; it is reported when the system has accepted it. */
  complete(response: WrittenResponse): void {
    response.lastWrite = this.#issued
    this.#unsent.push(response)
    this.#reportSent()
  }

  abandon(reason: Error): void {
    const unsent = this.#unsent
    this.#unsent = []
    for (const { observer } of unsent) observer.abandon(reason)
  }

  #wasWritten(error: Error | null | undefined): void {
    // The connection closes.
    if (error !== undefined && error !== null) return
    this.#written++
    this.#reportSent()
    this.#onProgress()
  }

  #reportSent(): void {
    while (this.#unsent.length > 0 && this.#unsent[0]!.lastWrite <= this.#written)
      this.#unsent.shift()!.observer.onResponseSent()
  }

  #onDrain(): void {
    const listener = this.#whenDrained
    this.#whenDrained = null
    listener?.()
    this.#onProgress()
  }
}

/** Bytes of the current write that the system has not accepted; node:net uses it for its time-out too. */
function queuedBytes(socket: Socket & { readonly _handle?: { readonly writeQueueSize?: number } | null }): number {
  return socket._handle?.writeQueueSize ?? 0
}
