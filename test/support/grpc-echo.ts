// A gRPC service and its client, both of @grpc/grpc-js. Messages are bytes: protocol buffers matter to neither side of a proxy.
import type { EventEmitter } from 'node:events'
import {
  type ChannelCredentials,
  type Client,
  Metadata,
  type MethodDefinition,
  makeGenericClientConstructor,
  Server,
  type ServerCredentials,
  type ServerDuplexStream,
  type ServerReadableStream,
  type ServerUnaryCall,
  type ServerWritableStream,
  type ServiceDefinition,
  type sendUnaryData,
  status,
} from '@grpc/grpc-js'

const method = (name: string, requestStream: boolean, responseStream: boolean): MethodDefinition<Buffer, Buffer> => ({
  path: `/test.Echo/${name}`,
  requestStream,
  responseStream,
  requestSerialize: (value) => value,
  requestDeserialize: (value) => value,
  responseSerialize: (value) => value,
  responseDeserialize: (value) => value,
})

const SERVICE: ServiceDefinition = {
  unary: method('Unary', false, false),
  upload: method('Upload', true, false),
  download: method('Download', false, true),
  chat: method('Chat', true, true),
}

type Call = ServerUnaryCall<Buffer, Buffer> | ServerWritableStream<Buffer, Buffer> | ServerDuplexStream<Buffer, Buffer>

/** A gRPC server of a test; `x-behaviour` in the metadata of a call selects a fault. */
export class EchoServer implements AsyncDisposable {
  readonly port: number
  /** Metadata of the calls, in order of arrival. */
  readonly calls: Metadata[]
  /** Calls that their client has cancelled. */
  readonly cancelled: Call[]
  /** Messages of server streams that were handed to HTTP/2. */
  readonly written: { messages: number }
  readonly #server: Server

  private constructor(
    server: Server,
    port: number,
    { calls, cancelled, written }: Pick<EchoServer, 'calls' | 'cancelled' | 'written'>,
  ) {
    this.#server = server
    this.port = port
    this.calls = calls
    this.cancelled = cancelled
    this.written = written
  }

  static async start(credentials: ServerCredentials): Promise<EchoServer> {
    const server = new Server({ 'grpc.max_receive_message_length': -1, 'grpc.max_send_message_length': -1 })
    const calls: Metadata[] = []
    const cancelled: Call[] = []
    const written = { messages: 0 }
    const begin = (call: Call): string => {
      calls.push(call.metadata)
      ;(call as EventEmitter).on('cancelled', () => cancelled.push(call))
      return String(call.metadata.get('x-behaviour')[0] ?? '')
    }
    server.addService(SERVICE, {
      unary: (call: ServerUnaryCall<Buffer, Buffer>, reply: sendUnaryData<Buffer>) => unary(begin(call), call, reply),
      upload: (call: ServerReadableStream<Buffer, Buffer>, reply: sendUnaryData<Buffer>) => {
        calls.push(call.metadata)
        upload(call, reply)
      },
      download: (call: ServerWritableStream<Buffer, Buffer>) => download(begin(call), call, written),
      chat: (call: ServerDuplexStream<Buffer, Buffer>) => chat(begin(call), call),
    })
    const port = await new Promise<number>((resolve, reject) => {
      server.bindAsync('127.0.0.1:0', credentials, (error, bound) => (error === null ? resolve(bound) : reject(error)))
    })
    return new EchoServer(server, port, { calls, cancelled, written })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.forceShutdown()
  }
}

function trailers(): Metadata {
  const metadata = new Metadata()
  metadata.set('x-trailer', 'last')
  metadata.set('x-detail-bin', Buffer.from([0, 1, 255]))
  return metadata
}

const refused = () => ({ code: status.FAILED_PRECONDITION, details: 'näh: 100 %', metadata: trailers() })

function unary(behaviour: string, call: ServerUnaryCall<Buffer, Buffer>, reply: sendUnaryData<Buffer>): void {
  if (behaviour === 'hang') return
  if (behaviour === 'error') {
    reply(refused())
    return
  }
  const head = new Metadata()
  head.set('x-head', 'first')
  call.sendMetadata(head)
  reply(null, call.request, trailers())
}

function upload(call: ServerReadableStream<Buffer, Buffer>, reply: sendUnaryData<Buffer>): void {
  let [messages, bytes] = [0, 0]
  call.on('data', (message: Buffer) => {
    messages++
    bytes += message.length
    // A response before the end of the request.
    if (message.toString('latin1', 0, 4) === 'stop') reply(refused())
  })
  call.on('end', () => reply(null, Buffer.from(`${messages} ${bytes}`), trailers()))
}

function download(behaviour: string, call: ServerWritableStream<Buffer, Buffer>, written: { messages: number }): void {
  const [count = 0, size = 0] = call.request.toString().split(' ').map(Number)
  let sent = 0
  const fill = (): void => {
    while (sent < count) {
      sent++
      written.messages++
      if (!call.write(Buffer.alloc(size, sent % 256))) {
        call.once('drain', fill)
        return
      }
    }
    if (behaviour === 'hang') return
    if (behaviour === 'error') call.emit('error', refused())
    else call.end(trailers())
  }
  fill()
}

function chat(_behaviour: string, call: ServerDuplexStream<Buffer, Buffer>): void {
  call.on('data', (message: Buffer) => call.write(message))
  call.on('end', () => call.end(trailers()))
}

type EchoClient = Client & {
  unary: (...args: unknown[]) => import('@grpc/grpc-js').ClientUnaryCall
  upload: (...args: unknown[]) => import('@grpc/grpc-js').ClientWritableStream<Buffer>
  download: (...args: unknown[]) => import('@grpc/grpc-js').ClientReadableStream<Buffer>
  chat: (...args: unknown[]) => import('@grpc/grpc-js').ClientDuplexStream<Buffer, Buffer>
}

/** A client of the service; closed at the end of its scope. */
export function echoClient(address: string, credentials: ChannelCredentials, name: string): EchoClient & Disposable {
  const Constructor = makeGenericClientConstructor(SERVICE, 'Echo')
  const client = new Constructor(address, credentials, {
    'grpc.ssl_target_name_override': name,
    'grpc.default_authority': name,
    'grpc.max_receive_message_length': -1,
    'grpc.max_send_message_length': -1,
    'grpc.enable_retries': 0,
    // A channel of its own: tests count connections.
    'grpc.use_local_subchannel_pool': 1,
  }) as unknown as EchoClient
  return Object.assign(client, { [Symbol.dispose]: () => client.close() })
}
