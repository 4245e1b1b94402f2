import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Duplex, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { homePage } from './home-page.ts'
import type { TourLinks } from './tour.ts'
import { acceptWebSocket } from './websocket-echo.ts'

/** An application behind a gateway that returns the requests it receives. */
interface ProtectedApplication extends AsyncDisposable {
  readonly url: string
  /** Addresses for links in its pages, once they are known. */
  setLinks(links: TourLinks): void
}

const MAX_BODY = 1024 * 1024
const MAX_DOWNLOAD = 1024 * 1024 * 1024
const MAX_DELAY = 60_000
const EVENTS = 5
const BETWEEN_EVENTS = 300

/** Starts the application on a free port of the loopback interface. */
export async function startProtectedApplication(): Promise<ProtectedApplication> {
  let links: TourLinks | null = null
  const server = createServer((request, response) => {
    // A client that disconnects during a response is no error.
    response.on('error', () => {})
    answer(request, response, links).catch(() => response.destroy())
  })
  const upgraded = new Set<Duplex>()
  server.on('upgrade', (request, socket) => {
    upgraded.add(socket)
    socket.once('close', () => upgraded.delete(socket))
    acceptWebSocket(request, socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    setLinks: (known) => {
      links = known
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      for (const socket of upgraded) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

async function answer(request: IncomingMessage, response: ServerResponse, links: TourLinks | null): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://application')
  const [, first = '', second = ''] = url.pathname.split('/')
  switch (first) {
    case '':
      return send(response, 200, 'text/html; charset=utf-8', pageFor(request, links))
    case 'echo':
      return echo(request, response)
    case 'stream':
      return stream(response)
    case 'slow':
      await delay(numberOf(url, 'ms', 1000, MAX_DELAY))
      return send(response, 200, 'text/plain', 'that took a while\n')
    case 'status':
      return send(response, /^[2-5]\d\d$/.test(second) ? Number(second) : 400, 'text/plain', `status ${second}\n`)
    case 'download':
      return download(response, numberOf(url, 'bytes', 1024 * 1024, MAX_DOWNLOAD))
    default:
      return send(response, 404, 'text/plain', 'the application has no such page\n')
  }
}

/** The gateway reports in headers which route the request took, and its user. */
function pageFor({ headers }: IncomingMessage, links: TourLinks | null): string {
  const header = (name: string): string | null => (typeof headers[name] === 'string' ? headers[name] : null)
  const request = {
    user: header('x-user'),
    login: header('x-login'),
    greeting: header('x-greeting'),
    isSecure: header('x-forwarded-proto') === 'https',
  }
  return homePage(header('x-demo-step') ?? '', request, links)
}

function send(response: ServerResponse, status: number, type: string, content: string): void {
  response.writeHead(status, { 'Content-Type': type }).end(content)
}

/** Returns the request as received from the gateway. */
async function echo(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let body = ''
  for await (const chunk of request.setEncoding('utf8')) {
    body += chunk
    if (body.length > MAX_BODY) return send(response, 413, 'text/plain', 'too long to echo\n')
  }
  const { method, url, headers } = request
  send(response, 200, 'application/json', `${JSON.stringify({ method, path: url, headers, body }, null, 2)}\n`)
}

/** Server-sent events with pauses, which show whether a proxy buffers them. */
async function stream(response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' })
  for (let number = 1; number <= EVENTS && !response.destroyed; number++) {
    response.write(`data: event ${number} of ${EVENTS}\n\n`)
    if (number < EVENTS) await delay(BETWEEN_EVENTS)
  }
  response.end()
}

async function download(response: ServerResponse, bytes: number): Promise<void> {
  response.writeHead(200, { 'Content-Type': 'application/octet-stream', 'Content-Length': bytes })
  await pipeline(Readable.from(dots(bytes)), response)
}

function* dots(bytes: number): Generator<Buffer> {
  const block = Buffer.alloc(Math.min(bytes, 65_536), '.')
  for (let left = bytes; left > 0; left -= block.length) yield left < block.length ? block.subarray(0, left) : block
}

function numberOf(url: URL, name: string, fallback: number, most: number): number {
  const text = url.searchParams.get(name)
  return text !== null && /^\d{1,12}$/.test(text) ? Math.min(Number(text), most) : fallback
}

function delay(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}
