import type { IncomingHttpHeaders } from 'node:http'

/** A received request. */
export interface ReceivedRequest {
  /** Name of the endpoint; `unknown` for a path without an endpoint. */
  readonly endpoint: string
  readonly method: string
  /** Path and query. */
  readonly target: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
  /** By the clock of the server. */
  readonly at: number
}

/** Maximum of all recorded bodies together. */
const MOST_CHARACTERS = 64 * 1024 * 1024

/** The last requests, for tests. */
export class ReceivedRequests {
  readonly #most: number
  #requests: ReceivedRequest[] = []
  #characters = 0
  readonly #waiting = new Set<() => void>()

  constructor(most: number) {
    this.#most = most
  }

  add(request: ReceivedRequest): void {
    this.#requests.push(request)
    this.#characters += request.body.length
    while (this.#requests.length > this.#most || this.#characters > MOST_CHARACTERS)
      this.#characters -= this.#requests.shift()?.body.length ?? this.#characters
    for (const resolve of this.#waiting) resolve()
    this.#waiting.clear()
  }

  /** Requests of one endpoint, or all; the oldest first. */
  list(endpoint?: string): readonly ReceivedRequest[] {
    return endpoint === undefined ? [...this.#requests] : this.#requests.filter((one) => one.endpoint === endpoint)
  }

  /** Resolves when this many requests of the endpoint have been received. */
  async count(endpoint: string, wanted: number): Promise<void> {
    while (this.list(endpoint).length < wanted) await new Promise<void>((resolve) => this.#waiting.add(resolve))
  }

  clear(): void {
    this.#requests = []
    this.#characters = 0
  }
}
