import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Responds in place of the target server; false forwards the request. */
export type Fault = (request: IncomingMessage, response: ServerResponse) => boolean

/** An error page of a load balancer. */
export const HTML_ERROR: Fault = (_request, response) => {
  response.writeHead(503, { 'content-type': 'text/html' }).end('<html><h1>503 Service Unavailable</h1></html>')
  return true
}

/** Reverse proxy between the gateway and a peer: counts requests and simulates outages. It keeps `Host`. */
export class Relay implements AsyncDisposable {
  /** `METHOD path` of every request. */
  readonly requests: string[] = []
  fault: Fault | null = null
  readonly #server: Server

  private constructor(target: string) {
    const { hostname, port } = new URL(target)
    this.#server = createServer((incoming, response) => {
      const { method, url: path, headers } = incoming
      this.requests.push(`${method} ${path}`)
      if (this.fault?.(incoming, response) === true) return void incoming.resume()
      const outgoing = request({ hostname, port, method, path, headers }, (answer) => {
        response.writeHead(answer.statusCode as number, answer.headers)
        answer.pipe(response)
      })
      outgoing.on('error', () => response.destroy())
      incoming.pipe(outgoing)
    })
  }

  static async start(target: string): Promise<Relay> {
    const relay = new Relay(target)
    await new Promise<void>((resolve) => relay.#server.listen(0, '127.0.0.1', resolve))
    return relay
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** Number of requests with this end of the path while `during` runs. */
  async count(pathEnd: string, during: () => Promise<void>): Promise<number> {
    const from = this.requests.length
    await during()
    return this.requests.slice(from).filter((each) => each.split('?')[0]?.endsWith(pathEnd)).length
  }

  /** Sets a fault while `during` runs. */
  async failing(fault: Fault, during: () => Promise<void>): Promise<void> {
    this.fault = fault
    try {
      await during()
    } finally {
      this.fault = null
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}
