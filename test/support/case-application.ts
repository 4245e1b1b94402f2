import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request received by the application. */
export interface RecordedUpstream {
  readonly line: string
  readonly headers: readonly string[]
  readonly body: string
}

/** The application behind the gateways of cases: responds with the request line. */
export class CaseApplication implements AsyncDisposable {
  readonly seen: RecordedUpstream[] = []
  readonly #server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const line = `${request.method} ${request.url}`
      const headers: string[] = []
      const { rawHeaders } = request
      for (let at = 0; at < rawHeaders.length; at += 2)
        headers.push(`${rawHeaders[at]?.toLowerCase()}: ${rawHeaders[at + 1]}`)
      this.seen.push({ line, headers, body: measured(Buffer.concat(chunks).toString()) })
      response.writeHead(200, { 'Content-Type': 'text/plain' })
      response.end(`up ${line}`)
    })
  })

  static async start(): Promise<CaseApplication> {
    const application = new CaseApplication()
    await new Promise<void>((done) => application.#server.listen(0, '127.0.0.1', done))
    return application
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((done) => this.#server.close(done))
  }
}

/** Long bodies are recorded by their length. */
function measured(body: string): string {
  return body.length > 100_000 ? `<${body.length} bytes>` : body
}
