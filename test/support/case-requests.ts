// Requests of a case to a gateway of any kind, byte by byte as the case has them, and the outcome.
import { connect } from 'node:net'
import type { CaseApplication, RecordedUpstream } from './case-application.ts'

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

/** The compared parts of a response; header fields are lines with lower-case names. */
export interface RecordedResponse {
  readonly status: number
  readonly headers: readonly string[]
  readonly body: string
}

/** The responses of a gateway, and the requests that the application received from it. */
export interface CaseOutcome {
  readonly answers: readonly RecordedResponse[]
  readonly upstream: readonly RecordedUpstream[]
}

/** A route with requests. */
export interface GatewayCase {
  readonly id: string
  readonly group: string
  readonly what: string
  readonly route: Readonly<Record<string, unknown>> | string
  readonly files?: Readonly<Record<string, unknown>>
  readonly keepCookies?: boolean
  readonly requests: readonly RecordedRequest[]
}

/** Port of the application in recordings without a placeholder. */
export const RECORDED_PORT = '9250'

/** Sends the requests of a case to a gateway; `change` makes the file changes that are not recorded. */
export async function runCase(
  port: number,
  application: CaseApplication,
  running: GatewayCase,
  change: () => Promise<void> = () => Promise.resolve(),
): Promise<CaseOutcome> {
  const answers: RecordedResponse[] = []
  const cookies = new Map<string, string>()
  application.seen.length = 0
  for (const request of running.requests) {
    if (request.skip) {
      await change()
      continue
    }
    // Only throttling needs the delay; file changes are scanned for immediately.
    if (request.wait !== undefined && running.group === 'throttling')
      await new Promise((done) => setTimeout(done, request.wait))
    for (let time = 0; time < (request.times ?? 1); time++) {
      answers.push(await send(port, application, running, request, cookies))
    }
  }
  return { answers, upstream: application.seen.map((seen) => ({ ...seen })) }
}

async function send(
  port: number,
  application: CaseApplication,
  running: GatewayCase,
  request: RecordedRequest,
  cookies: Map<string, string>,
): Promise<RecordedResponse> {
  const { body = '', path = '/p', chunked = false } = request
  const content = Buffer.from(sized(body))
  const fields: [string, string][] = (request.headers ?? []).map(([name, value]) => [
    name,
    value === RECORDED_PORT ? String(application.port) : value,
  ])
  if (!fields.some(([name]) => name.toLowerCase() === 'host')) fields.unshift(['Host', `localhost:${port}`])
  fields.push(['X-Case', request.case ?? running.id], ['Connection', 'close'])
  if (running.keepCookies && cookies.size > 0) {
    fields.push(['Cookie', [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')])
  }
  if (chunked) fields.push(['Transfer-Encoding', 'chunked'])
  else if (content.length > 0) fields.push(['Content-Length', String(content.length)])
  const method = request.method ?? (body === '' ? 'GET' : 'POST')
  const head = [`${method} ${path} HTTP/1.1`, ...fields.map((field) => field.join(': '))]
  const framed = chunked
    ? Buffer.concat([Buffer.from(`${content.length.toString(16)}\r\n`), content, Buffer.from('\r\n0\r\n\r\n')])
    : content
  const answer = parseResponse(
    await exchange(port, Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), framed])),
  )
  for (const [name, value] of answer.fields) {
    const [, cookie, text] = name === 'set-cookie' ? (/^([^=]+)=([^;]*)/.exec(value) ?? []) : []
    if (cookie !== undefined) cookies.set(cookie, text as string)
  }
  const headers = answer.fields.map(([name, value]) => `${name}: ${value}`)
  return { status: answer.status, headers, body: answer.body }
}

/** Long bodies are recorded by their length. */
function sized(body: string): string {
  const [, length] = /^<(\d+) bytes>$/.exec(body) ?? []
  return length === undefined ? body : 'x'.repeat(Number(length))
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
