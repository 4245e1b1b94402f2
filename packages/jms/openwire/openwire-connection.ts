import type { Socket } from 'node:net'
import type { Clock } from '../clock.ts'
import { JmsError, reasonOf } from '../jms-error.ts'
import { Progress } from '../progress.ts'
import { FrameReader } from './frame-reader.ts'
import { InactivityMonitor } from './inactivity-monitor.ts'
import { type BrokerException, decodeCommand, type InboundCommand } from './inbound-command.ts'
import { encodeKeepAliveInfo } from './outbound-command.ts'
import { ProtocolError } from './protocol-error.ts'
import { encodeWireFormatInfo, initialDelayOf, type Negotiated, negotiate } from './wire-format.ts'

/** A broker sends responses and descriptions of itself to a producer: far less than this. */
const MAX_INBOUND_FRAME = 1024 * 1024

/** Receives responses and acknowledgements of messages. */
export interface ConnectionEvents {
  /** A response to a command that requires one. */
  response(commandId: number, exception: BrokerException | null): void
  /** The broker has taken so many bytes of messages that need no response. */
  producerAck(size: number): void
}

/** OpenWire commands over a socket: negotiation, responses, liveness. Every failure closes it. */
export class OpenWireConnection {
  readonly progress = new Progress()
  readonly #socket: Socket
  readonly #clock: Clock
  readonly #events: ConnectionEvents
  readonly #idleTimeout: number
  readonly #frames = new FrameReader(MAX_INBOUND_FRAME)
  #monitor: InactivityMonitor | null = null
  #negotiated: Negotiated | null = null
  #lastCommandId = 0

  constructor(socket: Socket, clock: Clock, idleTimeout: number, events: ConnectionEvents) {
    this.#socket = socket
    this.#clock = clock
    this.#idleTimeout = idleTimeout
    this.#events = events
    socket.on('data', (chunk: Buffer) => this.#onData(chunk))
    socket.on('drain', () => this.progress.changed())
    socket.on('error', (error) => this.fail(reasonOf(error)))
    socket.on('close', () => this.fail('the broker closed the connection'))
  }

  get isOpen(): boolean {
    return this.progress.failure === null
  }

  /** Exchanges the first frames. */
  async negotiate(host: string, timeout: number): Promise<Negotiated> {
    this.write(encodeWireFormatInfo(this.#idleTimeout, host))
    await this.progress.until(() => this.#negotiated !== null, timeout, 'no answer of an OpenWire broker')
    return this.#negotiated as unknown as Negotiated
  }

  /** Ids of commands are ints that start again after the largest. */
  nextCommandId(): number {
    this.#lastCommandId = (this.#lastCommandId % 0x7fff_ffff) + 1
    return this.#lastCommandId
  }

  write(bytes: Buffer): void {
    this.#monitor?.written()
    this.#socket.write(bytes)
  }

  /** Whether the socket accepts more bytes; false until the peer has read some. */
  get isWritable(): boolean {
    return !this.#socket.writableNeedDrain
  }

  /** Whether no written bytes wait in this process. */
  get isFlushed(): boolean {
    return this.#socket.writableLength === 0
  }

  /** Closes the connection at once; waits for it reject with the reason. */
  fail(reason: string): void {
    this.#monitor?.stop()
    this.progress.fail(new JmsError(reason))
    this.#socket.destroy()
  }

  /** Flushes written commands, then closes. */
  end(timeout: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(() => this.#socket.destroy(), timeout)
    this.#monitor?.stop()
    if (this.#socket.closed) resolve()
    this.#socket.once('close', () => resolve())
    this.#socket.end()
    return promise.finally(() => clearTimeout(timer))
  }

  #onData(chunk: Buffer): void {
    if (!this.isOpen) return
    this.#monitor?.received()
    try {
      for (const frame of this.#frames.read(chunk)) this.#onCommand(decodeCommand(frame))
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error
      this.fail(error.message)
    }
  }

  #onCommand(command: InboundCommand): void {
    if ((command.kind === 'wireFormat') === (this.#negotiated !== null)) {
      throw new ProtocolError(`a command ${command.kind} out of order`)
    }
    switch (command.kind) {
      case 'wireFormat':
        this.#negotiated = negotiate(command.info, this.#idleTimeout)
        this.#watch(this.#negotiated.maxInactivityDuration)
        this.progress.changed()
        break
      case 'response':
        this.#events.response(command.correlationId, command.exception)
        this.progress.changed()
        break
      case 'producerAck':
        this.#events.producerAck(command.size)
        this.progress.changed()
        break
      case 'keepAlive':
        // A peer that sends keep-alives and does not read must not fill the send buffer.
        if (command.responseRequired && this.isWritable) this.write(encodeKeepAliveInfo(command.commandId))
        break
      case 'connectionError':
        this.fail(describe(command.exception))
        break
      case 'close':
        this.fail('the broker is shutting down')
        break
      case 'other':
    }
  }

  #watch(maxInactivityDuration: number): void {
    if (maxInactivityDuration === 0) return
    this.#monitor = new InactivityMonitor(maxInactivityDuration, initialDelayOf(maxInactivityDuration), this.#clock, {
      keepAlive: () => {
        if (this.isWritable) this.write(encodeKeepAliveInfo(this.nextCommandId()))
      },
      inactive: () => this.fail(`no data from the broker within ${maxInactivityDuration} ms`),
    })
  }
}

/** An exception in a log line: its class without package, and its message. */
export function describe({ className, message }: BrokerException): string {
  const name = className.slice(className.lastIndexOf('.') + 1)
  return message === '' ? name : `${name}: ${message}`
}
