import type { Socket } from 'node:net'
import { TcpPeer } from './tcp-peer.ts'

/** A record that a producer has sent. */
export interface ProducedRecord {
  readonly topic: string
  readonly partition: number
  readonly key: string | null
  readonly value: string
}

/** Error code of a record batch, as the protocol numbers them; 0 stores it, null gives no answer. */
export type Verdict = (records: readonly ProducedRecord[], attempt: number) => number | null

const PRODUCE = 0
const METADATA = 3
const API_VERSIONS = 18
const INIT_PRODUCER_ID = 22
const PARTITIONS = 2

export const MESSAGE_TOO_LARGE = 10
export const NOT_LEADER_OR_FOLLOWER = 6

/** One broker of the Kafka protocol, in the oldest versions of the requests that producers send. */
export class KafkaBroker implements AsyncDisposable {
  /** Records of accepted batches, in the order of arrival. */
  readonly stored: ProducedRecord[] = []
  /** `acks` of each produce request. */
  readonly acks: number[] = []
  verdict: Verdict = () => 0
  #attempts = 0
  #peer: TcpPeer | null = null

  static async start(): Promise<KafkaBroker> {
    const broker = new KafkaBroker()
    broker.#peer = await TcpPeer.start((socket) => broker.#serve(socket), { reads: false })
    return broker
  }

  get port(): number {
    return (this.#peer as TcpPeer).port
  }

  /** Resets all connections. */
  reset(): void {
    this.#peer?.reset()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#peer?.[Symbol.asyncDispose]()
  }

  #serve(socket: Socket): void {
    let received: Buffer = Buffer.alloc(0)
    socket.on('data', (data: Buffer) => {
      received = Buffer.concat([received, data])
      while (received.length >= 4 && received.length >= 4 + received.readInt32BE()) {
        const end = 4 + received.readInt32BE()
        this.#answer(socket, new Reader(received.subarray(4, end)))
        received = received.subarray(end)
      }
    })
  }

  #answer(socket: Socket, request: Reader): void {
    const api = request.int(2)
    request.int(2)
    const correlationId = request.int(4)
    request.text()
    const body = this.#body(api, request)
    if (body === null) return
    socket.write(Buffer.concat([int(4, 4 + body.length), int(4, correlationId), body]))
  }

  #body(api: number, request: Reader): Buffer | null {
    if (api === API_VERSIONS) return apiVersions()
    if (api === METADATA) return this.#metadata(request)
    if (api === INIT_PRODUCER_ID) return Buffer.concat([int(4, 0), int(2, 0), int(8, 7), int(2, 0)])
    return api === PRODUCE ? this.#produce(request) : null
  }

  #metadata(request: Reader): Buffer {
    const topics = Array.from({ length: request.int(4) }, () => request.text() ?? '')
    const partition = (index: number) =>
      Buffer.concat([int(2, 0), int(4, index), int(4, 1), array([int(4, 1)]), array([int(4, 1)])])
    const partitions = array(Array.from({ length: PARTITIONS }, (_, index) => partition(index)))
    return Buffer.concat([
      array([Buffer.concat([int(4, 1), text('127.0.0.1'), int(4, this.port), int(2, -1)])]),
      int(4, 1),
      array(topics.map((topic) => Buffer.concat([int(2, 0), text(topic), int(1, 0), partitions]))),
    ])
  }

  #produce(request: Reader): Buffer | null {
    request.text()
    this.acks.push(request.int(2))
    request.int(4)
    const attempt = this.#attempts++
    let isAnswered = true
    const topics = Array.from({ length: request.int(4) }, () => {
      const topic = request.text() ?? ''
      const partitions = Array.from({ length: request.int(4) }, () => {
        const partition = request.int(4)
        const records = recordsIn(new Reader(request.bytes(request.int(4))), topic, partition)
        const code = this.verdict(records, attempt)
        if (code === null) isAnswered = false
        else if (code === 0) this.stored.push(...records)
        return Buffer.concat([int(4, partition), int(2, code ?? 0), int(8, 0), int(8, -1)])
      })
      return Buffer.concat([text(topic), array(partitions)])
    })
    return isAnswered ? Buffer.concat([array(topics), int(4, 0)]) : null
  }
}

/** ApiVersions 3: a compact array, each element with an empty tag buffer. */
function apiVersions(): Buffer {
  const versions = [
    [PRODUCE, 3],
    [METADATA, 1],
    [API_VERSIONS, 3],
    [INIT_PRODUCER_ID, 0],
  ] as const
  const apis = versions.map(([api, version]) =>
    Buffer.concat([int(2, api), int(2, version), int(2, version), int(1, 0)]),
  )
  return Buffer.concat([int(2, 0), int(1, apis.length + 1), ...apis, int(4, 0), int(1, 0)])
}

/** Records of a batch of format 2, without compression. */
function recordsIn(batch: Reader, topic: string, partition: number): ProducedRecord[] {
  batch.bytes(8 + 4 + 4 + 1 + 4 + 2 + 4 + 8 + 8 + 8 + 2 + 4)
  return Array.from({ length: batch.int(4) }, () => {
    batch.varint()
    batch.int(1)
    batch.varint()
    batch.varint()
    const keyLength = batch.varint()
    const key = keyLength < 0 ? null : batch.bytes(keyLength).toString()
    const value = batch.bytes(batch.varint()).toString()
    batch.varint()
    return { topic, partition, key, value }
  })
}

class Reader {
  readonly #buffer: Buffer
  #at = 0

  constructor(buffer: Buffer) {
    this.#buffer = buffer
  }

  int(bytes: 1 | 2 | 4): number {
    return this.bytes(bytes).readIntBE(0, bytes)
  }

  bytes(length: number): Buffer {
    this.#at += length
    return this.#buffer.subarray(this.#at - length, this.#at)
  }

  text(): string | null {
    const length = this.int(2)
    return length < 0 ? null : this.bytes(length).toString()
  }

  /** Zigzag encoding. */
  varint(): number {
    let value = 0
    let factor = 1
    for (;;) {
      const byte = (this.#buffer[this.#at++] ?? 0) as number
      value += (byte & 0x7f) * factor
      if (byte < 0x80) return value % 2 === 0 ? value / 2 : -(value + 1) / 2
      factor *= 128
    }
  }
}

function int(bytes: 1 | 2 | 4 | 8, value: number): Buffer {
  const buffer = Buffer.alloc(bytes)
  if (bytes === 8) buffer.writeBigInt64BE(BigInt(value))
  else buffer.writeIntBE(value, 0, bytes)
  return buffer
}

function text(value: string): Buffer {
  return Buffer.concat([int(2, Buffer.byteLength(value)), Buffer.from(value)])
}

function array(items: readonly Buffer[]): Buffer {
  return Buffer.concat([int(4, items.length), ...items])
}
