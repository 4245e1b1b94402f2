// HTTP/2 frames written by hand, for requests that no client sends.
import { connect as connectPlain, type Socket } from 'node:net'
import { connect } from 'node:tls'
import { once } from './waiting.ts'

export const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1')

/** Frame types. */
export const FRAME = {
  data: 0,
  headers: 1,
  priority: 2,
  reset: 3,
  settings: 4,
  ping: 6,
  goaway: 7,
  windowUpdate: 8,
  continuation: 9,
}

/** One frame: type, flags, stream, payload. */
export function frame(type: number, flags: number, stream: number, payload: Uint8Array = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head[3] = type
  head[4] = flags
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}

/** A received frame. */
export interface Frame {
  readonly type: number
  readonly flags: number
  readonly stream: number
  readonly payload: Buffer
}

/** The complete frames at the start of received bytes. */
export function framesOf(received: Buffer): Frame[] {
  const found: Frame[] = []
  for (let at = 0; at + 9 <= received.length; ) {
    const end = at + 9 + received.readUIntBE(at, 3)
    if (end > received.length) break
    const payload = received.subarray(at + 9, end)
    found.push({ type: received[at + 3]!, flags: received[at + 4]!, stream: received.readUInt32BE(at + 5), payload })
    at = end
  }
  return found
}

/** A header block of literal fields without indexing. */
export function literal(fields: Readonly<Record<string, string>>): Buffer {
  const parts = Object.entries(fields).map(([name, value]) =>
    Buffer.concat([
      Buffer.from([0, name.length]),
      Buffer.from(name),
      Buffer.from([value.length]),
      Buffer.from(value, 'latin1'),
    ]),
  )
  return Buffer.concat(parts)
}

/** The header block of `GET /`. */
export const GET = literal({ ':method': 'GET', ':scheme': 'https', ':authority': 'localhost', ':path': '/' })

/** A connection on which frames are written by hand. */
export class FrameClient implements AsyncDisposable {
  readonly socket: Socket
  readonly closed: Promise<void>
  received = Buffer.alloc(0)

  private constructor(socket: Socket) {
    this.socket = socket
    this.closed = new Promise((resolve) => socket.once('close', () => resolve()))
    socket.on('error', () => {})
    socket.on('data', (chunk: Buffer) => {
      if (this.received.length < 100_000) this.received = Buffer.concat([this.received, chunk])
    })
  }

  static async open(port: number, scheme: 'http' | 'https' = 'https'): Promise<FrameClient> {
    const client = await FrameClient.connected(port, scheme)
    client.send(PREFACE, frame(FRAME.settings, 0, 0))
    return client
  }

  /** A connection without the preface. */
  static async connected(port: number, scheme: 'http' | 'https'): Promise<FrameClient> {
    const to = { port, host: '127.0.0.1' }
    const isSecure = scheme === 'https'
    const socket = isSecure ? connect({ ...to, ALPNProtocols: ['h2'], rejectUnauthorized: false }) : connectPlain(to)
    const client = new FrameClient(socket)
    await once(socket, isSecure ? 'secureConnect' : 'connect')
    return client
  }

  send(...frames: Uint8Array[]): boolean {
    return !this.socket.destroyed && this.socket.write(Buffer.concat(frames))
  }

  /** Waits for a frame; fails when the connection ends before. */
  async receives(wanted: (received: Frame) => boolean): Promise<Frame> {
    for (;;) {
      const found = framesOf(this.received).find(wanted)
      if (found !== undefined) return found
      if (this.socket.destroyed) throw new Error('the connection ended before the frame came')
      await Promise.race([once(this.socket, 'data'), this.closed])
    }
  }

  /** Waits until the socket has drained, or is closed. */
  async flushed(): Promise<void> {
    if (this.socket.destroyed || !this.socket.writableNeedDrain) return
    await Promise.race([once(this.socket, 'drain').catch(() => this.closed), this.closed])
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.socket.destroy()
    await this.closed
  }
}
