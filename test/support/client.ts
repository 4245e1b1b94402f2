import { acquireClient, type Client, type ClientSettings } from '#client'
import type { Body, BodyControl, Exchange, Response } from '#http'
import { within } from './waiting.ts'

const SETTINGS: ClientSettings = {
  connections: 8,
  connectionTimeout: 2_000,
  soTimeout: 2_000,
  disableReuseConnection: false,
  connectionTimeToLive: Number.POSITIVE_INFINITY,
  maxWaitQueueSize: 100,
}

/** A client with short time-outs; a test overrides single settings. */
export function clientWith(settings: Partial<ClientSettings> = {}): Client {
  return acquireClient({ ...SETTINGS, ...settings })
}

/** Sends the exchange's own request. */
export function send(client: Client, exchange: Exchange): Promise<Response> {
  return client.send(exchange, exchange.request)
}

/** The whole body as text, byte for byte. */
export async function textOf(response: Response): Promise<string> {
  return Buffer.from(await response.body.read(1_048_576)).toString('latin1')
}

/** A reader of a body with back-pressure that the test controls. */
export class Reader {
  received = 0
  readonly done: Promise<void>
  readonly #control: BodyControl
  #blocking = false
  #onChunk: (() => void) | null = null

  constructor(body: Body) {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.done = promise
    // A caller that ignores the end must not get an unhandled rejection.
    promise.catch(() => {})
    this.#control = body.pipe({
      write: (chunk) => {
        this.received += chunk.length
        this.#onChunk?.()
        return !this.#blocking
      },
      end: () => resolve(),
      fail: reject,
    })
  }

  /** From the next chunk on the reader pauses the body. */
  block(): void {
    this.#blocking = true
  }

  unblock(): void {
    this.#blocking = false
    this.#control.resume()
  }

  cancel(): void {
    this.#control.cancel()
  }

  /** Reads one chunk, if the reader is blocked. */
  step(): void {
    this.#control.resume()
  }

  /** Resolves when at least that many bytes were received. */
  async atLeast(bytes: number): Promise<void> {
    while (this.received < bytes) {
      const chunk = new Promise<void>((resolve) => {
        this.#onChunk = resolve
      })
      await within(`${bytes} bytes of the body`, chunk)
    }
  }
}
