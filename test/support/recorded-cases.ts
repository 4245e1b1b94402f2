import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { RunningGateway } from './gateway.ts'

/** One request of a case; the default is `GET /p` without header fields. */
export interface RecordedRequest {
  readonly method?: string
  readonly path?: string
  readonly headers?: readonly (readonly [string, string])[]
  readonly body?: string
  readonly chunked?: boolean
  readonly times?: number
  /** Delay before it is sent, in milliseconds. */
  readonly wait?: number
  /** A file change instead of a request; its content is not recorded. */
  readonly skip?: boolean
  /** The case whose route handles it, if it is another one. */
  readonly case?: string
}

/** The compared parts of a response; header fields are sorted lines with lower-case names. */
export interface RecordedResponse {
  readonly status: number
  readonly headers: readonly string[]
  readonly body: string
}

/** A request received by the application. */
export interface RecordedUpstream {
  readonly line: string
  readonly headers: readonly string[]
  readonly body: string
}

/** A route with requests and their outcome. */
export interface RecordedCase {
  readonly id: string
  readonly group: string
  readonly what: string
  readonly route: Readonly<Record<string, unknown>> | string
  readonly files?: Readonly<Record<string, unknown>>
  readonly keepCookies?: boolean
  readonly requests: readonly RecordedRequest[]
  readonly openig: { readonly answers: readonly RecordedResponse[]; readonly upstream: readonly RecordedUpstream[] }
}

const file = new URL('../../../shared/corpora/openig/recorded.json', import.meta.url)

/** The cases of the corpus; null if it is not beside the checkout. */
export function recordedCases(): readonly RecordedCase[] | null {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as RecordedCase[]) : null
}

/** Port of the application in recordings without a placeholder. */
const RECORDED_PORT = '9250'

/** One gateway with the routes of many cases, distinguished by the field X-Case, and the application behind it. */
export class RecordedSite implements AsyncDisposable {
  readonly #gateway: RunningGateway
  readonly #application: Application

  private constructor(gateway: RunningGateway, application: Application) {
    this.#gateway = gateway
    this.#application = application
  }

  static async start(cases: readonly RecordedCase[]): Promise<RecordedSite> {
    const application = await Application.start()
    const filled = (content: unknown): unknown =>
      JSON.parse(withPorts(JSON.stringify(content), { upstream: application.port }))
    const files: Record<string, unknown> = {
      'config/config.json': {
        properties: { a: 'prop' },
        heap: [{ name: 'SharedHandler', type: 'StaticResponseHandler', config: { status: 200, entity: 'shared' } }],
        handler: {
          name: '_router',
          type: 'Router',
          config: { defaultHandler: { type: 'StaticResponseHandler', config: { status: 404, entity: 'NOROUTE' } } },
        },
      },
    }
    const routes: Record<string, unknown> = {}
    for (const { id, route, files: more = {} } of cases) {
      const condition = `\${request.headers['X-Case'][0] == '${id}'}`
      routes[id] = typeof route === 'string' ? route : filled({ name: id, condition, ...route })
      for (const [path, content] of Object.entries(more))
        files[path] = typeof content === 'string' ? content : filled(content)
    }
    const env = { PEER_TEST: 'from-env', PEER_STATUS: '203' }
    return new RecordedSite(await RunningGateway.start({ files, routes, env }), application)
  }

  /** The problems of a case's route that was not loaded. */
  problems(id: string): string[] {
    return this.#gateway.problems(`${id}.json`)
  }

  /** Runs a case; `change` makes the file changes that are not recorded. */
  async run(recorded: RecordedCase, change: (gateway: RunningGateway) => unknown): Promise<RecordedCase['openig']> {
    const answers: RecordedResponse[] = []
    const cookies = new Map<string, string>()
    this.#application.seen.length = 0
    for (const request of recorded.requests) {
      if (request.skip) {
        await change(this.#gateway)
        await this.#gateway.scan()
        continue
      }
      // Only throttling needs the delay; file changes are scanned for immediately.
      if (request.wait !== undefined && recorded.group === 'throttling')
        await new Promise((done) => setTimeout(done, request.wait))
      for (let time = 0; time < (request.times ?? 1); time++) {
        answers.push(await this.#send(recorded, request, cookies))
      }
    }
    return { answers, upstream: this.#application.seen.map((seen) => ({ ...seen })) }
  }

  async #send(
    recorded: RecordedCase,
    request: RecordedRequest,
    cookies: Map<string, string>,
  ): Promise<RecordedResponse> {
    const { body = '', path = '/p', chunked = false } = request
    const content = Buffer.from(sized(body))
    const fields: [string, string][] = (request.headers ?? []).map(([name, value]) => [
      name,
      value === RECORDED_PORT ? String(this.#application.port) : value,
    ])
    if (!fields.some(([name]) => name.toLowerCase() === 'host'))
      fields.unshift(['Host', `localhost:${this.#gateway.port}`])
    fields.push(['X-Case', request.case ?? recorded.id], ['Connection', 'close'])
    if (recorded.keepCookies && cookies.size > 0) {
      fields.push(['Cookie', [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')])
    }
    if (chunked) fields.push(['Transfer-Encoding', 'chunked'])
    else if (content.length > 0) fields.push(['Content-Length', String(content.length)])
    const head = [
      `${request.method ?? (body === '' ? 'GET' : 'POST')} ${path} HTTP/1.1`,
      ...fields.map((field) => field.join(': ')),
    ]
    const framed = chunked
      ? Buffer.concat([Buffer.from(`${content.length.toString(16)}\r\n`), content, Buffer.from('\r\n0\r\n\r\n')])
      : content
    const answer = parseResponse(
      await exchange(this.#gateway.port, Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), framed])),
    )
    for (const [name, value] of answer.fields) {
      const [, cookie, text] = name === 'set-cookie' ? (/^([^=]+)=([^;]*)/.exec(value) ?? []) : []
      if (cookie !== undefined) cookies.set(cookie, text as string)
    }
    const headers = answer.fields.map(([name, value]) => `${name}: ${value}`)
    return { status: answer.status, headers, body: answer.body }
  }

  /** Replaces placeholders by the ports of this run. */
  filled(recorded: RecordedCase['openig']): RecordedCase['openig'] {
    const ports = { upstream: this.#application.port, gateway: this.#gateway.port }
    return JSON.parse(withPorts(JSON.stringify(recorded), ports)) as RecordedCase['openig']
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#gateway[Symbol.asyncDispose]()
    await this.#application[Symbol.asyncDispose]()
  }
}

/** The application of the recording: responds with the request line. */
class Application implements AsyncDisposable {
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

  static async start(): Promise<Application> {
    const application = new Application()
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

function withPorts(text: string, ports: { readonly upstream: number; readonly gateway?: number }): string {
  const filled = text
    .replaceAll('UPSTREAM', String(ports.upstream))
    .replaceAll(`p${RECORDED_PORT}`, `p${ports.upstream}`)
    .replaceAll(`127.0.0.1%3A${RECORDED_PORT}`, `127.0.0.1%3A${ports.upstream}`)
  return ports.gateway === undefined ? filled : filled.replaceAll(/(localhost(?::|%3A)|\[)GW/g, `$1${ports.gateway}`)
}

/** Long bodies are recorded by their length. */
function sized(body: string): string {
  const [, length] = /^<(\d+) bytes>$/.exec(body) ?? []
  return length === undefined ? body : 'x'.repeat(Number(length))
}

function measured(body: string): string {
  return body.length > 100_000 ? `<${body.length} bytes>` : body
}

/** All bytes received on a new connection. */
function exchange(port: number, bytes: Uint8Array): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' })
    const chunks: Buffer[] = []
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    socket.on('error', reject)
    socket.on('end', () => resolve(Buffer.concat(chunks)))
    socket.write(bytes)
  })
}

function parseResponse(bytes: Buffer): { status: number; fields: [string, string][]; body: string } {
  let rest = bytes
  for (;;) {
    const end = rest.indexOf('\r\n\r\n')
    const [line = '', ...lines] = rest.subarray(0, end).toString('latin1').split('\r\n')
    const status = Number(line.split(' ')[1])
    rest = rest.subarray(end + 4)
    if (status < 200) continue
    const fields = lines.map((field): [string, string] => {
      const colon = field.indexOf(':')
      return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()]
    })
    const isChunked = fields.some(([name, value]) => name === 'transfer-encoding' && value === 'chunked')
    return { status, fields, body: (isChunked ? unchunked(rest) : rest).toString('utf8') }
  }
}

function unchunked(bytes: Buffer): Buffer {
  const chunks: Buffer[] = []
  for (let at = 0; ; ) {
    const end = bytes.indexOf('\r\n', at)
    const length = Number.parseInt(bytes.subarray(at, end).toString('latin1'), 16)
    if (end < 0 || length === 0) return Buffer.concat(chunks)
    chunks.push(bytes.subarray(end + 2, end + 2 + length))
    at = end + 2 + length + 2
  }
}
