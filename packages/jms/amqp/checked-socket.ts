import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import { reasonOf } from '../jms-error.ts'
import { AmqpFrames, FrameError } from './amqp-frames.ts'

/** The part of a socket that the AMQP library uses; it passes checked frames on, and closes at the first unsound one. */
export class CheckedSocket extends EventEmitter {
  readonly #socket: Socket
  readonly #frames = new AmqpFrames()
  #isClosed = false

  /** `onClosed` gets the reason once. */
  constructor(socket: Socket, onDrain: () => void, onClosed: (reason: string) => void) {
    super()
    this.#socket = socket
    // Without a listener of the library an error of the emitter would be thrown.
    this.on('error', () => {})
    const close = (reason: string): void => {
      if (this.#isClosed) return
      this.#isClosed = true
      socket.destroy()
      onClosed(reason)
      // The library stops its timers.
      this.emit('end')
    }
    socket.on('data', (chunk: Buffer) => this.#onData(chunk, close))
    socket.on('drain', onDrain)
    socket.on('error', (error) => close(reasonOf(error)))
    socket.on('close', () => close('the broker closed the connection'))
  }

  get needsDrain(): boolean {
    return this.#socket.writableNeedDrain
  }

  write(bytes: Buffer): boolean {
    return !this.#isClosed && this.#socket.write(bytes)
  }

  end(): void {
    this.#socket.end()
  }

  destroy(): void {
    this.#socket.destroy()
  }

  #onData(chunk: Buffer, close: (reason: string) => void): void {
    try {
      for (const frame of this.#frames.read(chunk)) {
        if (this.#isClosed) return
        this.emit('data', frame)
      }
    } catch (error) {
      if (!(error instanceof FrameError)) throw error
      close(error.message)
    }
  }
}
