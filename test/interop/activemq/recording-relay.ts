// A relay between producer and broker that records the frames of both, to be committed for tests without a broker.
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { FrameReader } from '../../../packages/jms/openwire/frame-reader.ts'
import { VERSION } from './broker.ts'

const FOLDER = join(import.meta.dirname, '..', '..', '..', 'src', 'jms', 'openwire', 'recorded')

/** Longest frame of a recording. */
const MAX_FRAME = 4096

export class RecordingRelay implements AsyncDisposable {
  /** `>` from the producer, `<` from the broker, then the frame in hexadecimal. */
  readonly frames: string[] = []
  readonly #server: Server

  private constructor(target: number) {
    this.#server = createServer((client) => {
      const broker = connect({ host: '127.0.0.1', port: target })
      const [out, back] = [new FrameReader(2 ** 30), new FrameReader(2 ** 30)]
      const keep = (mark: string, reader: FrameReader) => (chunk: Buffer) => {
        for (const frame of reader.read(chunk)) {
          if (frame.length <= MAX_FRAME) this.frames.push(`${mark}${frame.toString('hex')}`)
        }
      }
      client.on('data', keep('>', out)).on('error', () => broker.destroy())
      broker.on('data', keep('<', back)).on('error', () => client.destroy())
      client.pipe(broker)
      broker.pipe(client)
    })
  }

  static async start(target: number): Promise<RecordingRelay> {
    const relay = new RecordingRelay(target)
    relay.#server.listen(0, '127.0.0.1')
    await once(relay.#server, 'listening')
    return relay
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** Writes the frames into the folder of the codec. */
  save(name: string): void {
    mkdirSync(FOLDER, { recursive: true })
    const content = { broker: `ActiveMQ ${VERSION}`, frames: this.frames }
    writeFileSync(join(FOLDER, `${name}.json`), `${JSON.stringify(content, null, 2)}\n`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close()
  }
}
