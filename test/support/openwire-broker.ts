// The broker's side of OpenWire, as ActiveMQ was seen to behave (packages/jms/openwire/recorded), with faults on demand.
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer, type TlsOptions } from 'node:tls'
import { CommandType } from '../../packages/jms/openwire/command-types.ts'
import { DataInput } from '../../packages/jms/openwire/data-input.ts'
import { DataOutput } from '../../packages/jms/openwire/data-output.ts'
import { FrameReader } from '../../packages/jms/openwire/frame-reader.ts'

/** A text message that arrived. */
export interface ReceivedMessage {
  readonly commandId: number
  readonly responseRequired: boolean
  readonly destination: string
  readonly correlationId: string | null
  readonly persistent: boolean
  /** Number of the transaction; null without. */
  readonly transaction: bigint | null
  readonly text: string
}

/** What the broker answers to a message: a response, none, or an exception. */
type Answer = 'accept' | 'ignore' | { readonly className: string; readonly message: string }

export interface BrokerOptions {
  readonly version?: number
  readonly maxFrameSize?: bigint
  readonly maxInactivityDuration?: bigint
  /** Whether structures are cached, as ActiveMQ does and Artemis does not; true by default. */
  readonly hasCache?: boolean
  readonly credentials?: { readonly userName: string; readonly password: string }
  /** Decides about each message; by default all are accepted. */
  readonly answer?: (message: ReceivedMessage, socket: Socket) => Answer
  /** Called for each connection; returning false leaves it without any answer. */
  readonly onConnection?: (socket: Socket) => boolean
  readonly tls?: TlsOptions
}

export class OpenWireBroker implements AsyncDisposable {
  readonly messages: ReceivedMessage[] = []
  /** Types of all commands, in order of arrival. */
  readonly commands: number[] = []
  readonly sockets = new Set<Socket>()
  /** Sends the responses that were left out. */
  readonly held: (() => void)[] = []
  /** Window of the last producer. */
  windowSize = 0
  /** Of all frames that arrived. */
  bytes = 0
  connections = 0
  readonly #options: BrokerOptions
  readonly #server: Server
  readonly #uncommitted: { readonly message: ReceivedMessage; readonly answer: Answer }[] = []
  #onCommand: (() => void) | null = null

  private constructor(options: BrokerOptions) {
    this.#options = options
    const serve = (socket: Socket): void => this.#serve(socket)
    this.#server = options.tls === undefined ? createServer(serve) : createTlsServer(options.tls, serve)
    // Failed handshakes are an outcome that tests expect.
    this.#server.on('tlsClientError', () => {})
  }

  static async start(options: BrokerOptions = {}, port = 0): Promise<OpenWireBroker> {
    const broker = new OpenWireBroker(options)
    broker.#server.listen(port, '127.0.0.1')
    await once(broker.#server, 'listening')
    return broker
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** Waits until a condition holds, checked after each command. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) {
      await new Promise<void>((resolve) => {
        this.#onCommand = resolve
      })
    }
  }

  /** Resets every connection, as when the process is killed. */
  reset(): void {
    for (const socket of this.sockets) socket.resetAndDestroy()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.sockets) socket.destroy()
    this.#server.close()
    if (this.#server.listening) await once(this.#server, 'close')
  }

  #serve(socket: Socket): void {
    this.connections++
    this.#uncommitted.length = 0
    this.sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => this.sockets.delete(socket))
    if (this.#options.onConnection?.(socket) === false) return
    socket.write(this.#wireFormatInfo())
    const frames = new FrameReader(64 * 1024 * 1024)
    const structures = new Structures(this.#options.hasCache ?? true)
    socket.on('data', (chunk: Buffer) => {
      for (const frame of frames.read(chunk)) this.#receive(frame, structures, socket)
    })
  }

  #receive(frame: Buffer, structures: Structures, socket: Socket): void {
    const input = new DataInput(frame)
    const type = input.byte()
    this.commands.push(type)
    this.bytes += frame.length
    if (type !== CommandType.WIRE_FORMAT_INFO) this.#answer(type, input, structures, socket)
    this.#onCommand?.()
  }

  #answer(type: number, input: DataInput, structures: Structures, socket: Socket): void {
    const [commandId, responseRequired] = [input.int(), input.boolean()]
    let answer: Answer = 'accept'
    if (type === CommandType.CONNECTION_INFO) answer = this.#authenticate(input, structures)
    if (type === CommandType.PRODUCER_INFO) this.windowSize = readProducerInfo(input, structures)
    if (type === CommandType.TEXT_MESSAGE) {
      const message = readTextMessage(commandId, responseRequired, input, {
        structures,
        version: this.#options.version ?? 12,
      })
      answer = this.#options.answer?.(message, socket) ?? 'accept'
      if (message.transaction === null) this.messages.push(message)
      else this.#uncommitted.push({ message, answer })
    }
    if (type === CommandType.TRANSACTION_INFO && responseRequired) answer = this.#commit()
    if (responseRequired && answer === 'ignore') this.held.push(() => socket.write(response(commandId, null)))
    if (responseRequired && answer !== 'ignore') socket.write(response(commandId, answer === 'accept' ? null : answer))
  }

  /** The answers to the messages of a transaction are those to its commit. */
  #commit(): Answer {
    const uncommitted = this.#uncommitted.splice(0)
    const failed = uncommitted.find(({ answer }) => typeof answer !== 'string')
    if (failed !== undefined) return failed.answer
    this.messages.push(...uncommitted.map(({ message }) => message))
    return uncommitted.some(({ answer }) => answer === 'ignore') ? 'ignore' : 'accept'
  }

  #authenticate(input: DataInput, structures: Structures): Answer {
    const { credentials } = this.#options
    structures.read(input, readName)
    input.string()
    const [password, userName] = [input.string(), input.string()]
    if (credentials === undefined) return 'accept'
    if (userName === credentials.userName && password === credentials.password) return 'accept'
    return {
      className: 'java.lang.SecurityException',
      message: `User name [${userName}] or password is invalid.`,
    }
  }

  #wireFormatInfo(): Buffer {
    const { version = 12, maxFrameSize = 104_857_600n, maxInactivityDuration = 30_000n } = this.#options
    const properties = new DataOutput()
    properties.int(4)
    properties.utf('CacheEnabled')
    properties.byte(1)
    properties.boolean(this.#options.hasCache ?? true)
    properties.utf('CacheSize')
    properties.byte(5)
    properties.int(1024)
    for (const [name, value] of [
      ['MaxFrameSize', maxFrameSize],
      ['MaxInactivityDuration', maxInactivityDuration],
    ] as const) {
      properties.utf(name)
      properties.byte(6)
      properties.bigLong(value)
    }
    const marshalled = properties.take()
    return commandFrame((output) => {
      output.byte(CommandType.WIRE_FORMAT_INFO)
      output.bytes(Buffer.from('ActiveMQ'))
      output.int(version)
      output.boolean(true)
      output.int(marshalled.length)
      output.bytes(marshalled)
    })
  }
}

/** A frame with its size. */
export function commandFrame(write: (output: DataOutput) => void): Buffer {
  const output = new DataOutput()
  output.int(0)
  write(output)
  output.intAt(0, output.length - 4)
  return output.take()
}

export function response(correlationId: number, exception: { className: string; message: string } | null): Buffer {
  return commandFrame((output) => {
    output.byte(exception === null ? CommandType.RESPONSE : CommandType.EXCEPTION_RESPONSE)
    output.int(0)
    output.boolean(false)
    output.int(correlationId)
    if (exception === null) return
    output.boolean(true)
    output.string(exception.className)
    output.string(exception.message)
  })
}

/** The acknowledgement of bytes within the window of a producer. */
export function producerAck(size: number): Buffer {
  return commandFrame((output) => {
    output.byte(CommandType.PRODUCER_ACK)
    output.int(0)
    output.boolean(false)
    output.boolean(false)
    output.int(size)
  })
}

/** Structures of one connection, which a producer sends once where they are cached. */
class Structures {
  readonly #cache: Map<number, unknown> | null

  constructor(hasCache: boolean) {
    this.#cache = hasCache ? new Map() : null
  }

  read<T>(input: DataInput, nested: (input: DataInput) => T): T {
    if (this.#cache === null) return nested(input)
    const isSent = input.boolean()
    const index = input.short()
    if (!isSent) {
      if (!this.#cache.has(index)) throw new Error(`no structure ${index} in the cache`)
      return this.#cache.get(index) as T
    }
    const value = nested(input)
    if (index !== NOT_CACHED) this.#cache.set(index, value)
    return value
  }
}

/** Index of a structure that is not cached, as DataInput reads it. */
const NOT_CACHED = 0xffff

/** A structure with a name alone; null where it is absent. */
function readName(input: DataInput): { readonly type: number; readonly name: string | null } | null {
  return input.boolean() ? { type: input.byte(), name: input.string() } : null
}

function readProducerId(input: DataInput): string {
  const id = readName(input)
  input.long()
  input.long()
  return id?.name ?? 'none'
}

function readProducerInfo(input: DataInput, structures: Structures): number {
  structures.read(input, readProducerId)
  structures.read(input, readName)
  input.boolean()
  input.boolean()
  return input.int()
}

function readTransactionId(input: DataInput, structures: Structures): bigint | null {
  if (!input.boolean()) return null
  input.byte()
  const value = input.long()
  structures.read(input, readName)
  return value
}

function readTextMessage(
  commandId: number,
  responseRequired: boolean,
  input: DataInput,
  { structures, version }: { readonly structures: Structures; readonly version: number },
): ReceivedMessage {
  const producer = structures.read(input, readProducerId)
  const named = structures.read(input, readName)
  const destination = `${named?.type === CommandType.TOPIC ? 'topic' : 'queue'}://${named?.name}`
  const transaction = structures.read(input, () => readTransactionId(input, structures))
  structures.read(input, readName) // originalDestination
  input.boolean()
  input.byte()
  if (version >= 10) input.string()
  if (structures.read(input, readProducerId) !== producer) throw new Error('the message id is that of another producer')
  input.long()
  input.long()
  structures.read(input, readName) // originalTransactionId
  input.string()
  input.int()
  const correlationId = input.string()
  const persistent = input.boolean()
  input.long()
  input.byte()
  input.boolean()
  input.long()
  input.string()
  const content = new DataInput(input.byteSequence() as Buffer)
  const text = readText(content.bytes(content.int()))
  return { commandId, responseRequired, destination, correlationId, persistent, transaction, text }
}

/** Java's decoding: each sequence is one UTF-16 unit. */
function readText(bytes: Buffer): string {
  const units: number[] = []
  for (let at = 0; at < bytes.length; ) {
    const [first, second, third] = [bytes[at] as number, bytes[at + 1] as number, bytes[at + 2] as number]
    if (first < 0x80) {
      units.push(first)
      at += 1
    } else if (first < 0xe0) {
      units.push(((first & 0x1f) << 6) | (second & 0x3f))
      at += 2
    } else {
      units.push(((first & 0x0f) << 12) | ((second & 0x3f) << 6) | (third & 0x3f))
      at += 3
    }
  }
  let text = ''
  for (let at = 0; at < units.length; at += 4096) text += String.fromCharCode(...units.slice(at, at + 4096))
  return text
}
