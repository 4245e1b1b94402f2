import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import type { JsonObject } from '#json'
import { waitUntil } from './waiting.ts'

/** A client of Server-Sent Events. */
export class EventSourceClient implements Disposable {
  status = 0
  headers: IncomingMessage['headers'] = {}
  /** Everything received. */
  text = ''
  /** Whether the response has ended, in order or not. */
  isEnded = false
  isTruncated = false
  readonly #request: ClientRequest

  private constructor(url: string, headers: Readonly<Record<string, string>>) {
    this.#request = request(url, { headers, agent: false }, (response) => {
      this.status = response.statusCode ?? 0
      this.headers = response.headers
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        this.text += chunk
      })
      response.on('end', () => {
        this.isEnded = true
      })
      response.on('error', () => {
        this.isEnded = true
        this.isTruncated = true
      })
    })
    this.#request.on('error', () => {
      this.isEnded = true
    })
    this.#request.end()
  }

  /** Resolves with the head of the response. */
  static async open(url: string, headers: Readonly<Record<string, string>> = {}): Promise<EventSourceClient> {
    const client = new EventSourceClient(url, headers)
    await waitUntil(`the head of ${url}`, () => client.status !== 0)
    return client
  }

  /** The data of all complete events. */
  get events(): JsonObject[] {
    const parts = this.text.split('\n\n').slice(0, -1)
    return parts.filter((part) => part.startsWith('data: ')).map((part) => JSON.parse(part.slice(6)) as JsonObject)
  }

  /** Waits for an event. */
  async next(what: string, matches: (event: JsonObject) => boolean): Promise<JsonObject> {
    await waitUntil(what, () => this.events.some(matches))
    return this.events.find(matches) as JsonObject
  }

  /** Waits until the response has ended. */
  ended(): Promise<void> {
    return waitUntil('the event stream has ended', () => this.isEnded)
  }

  [Symbol.dispose](): void {
    this.#request.destroy()
  }
}
