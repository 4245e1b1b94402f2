import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { CUT, type Faults } from '../control/faults.ts'
import type { ReceivedRequests } from '../control/received-requests.ts'
import { refuseUpgrade } from '../notifications/refusal.ts'
import type { CompleteSettings } from '../settings.ts'
import { crestError } from './endpoint-response.ts'
import { readBody } from './request-body.ts'
import { callEndpoint, type Endpoints, findEndpoint } from './routing.ts'
import { send } from './sending.ts'

const TIMEOUTS = { requestTimeout: 30_000, headersTimeout: 10_000, keepAliveTimeout: 30_000 }

interface ServerParts {
  readonly settings: CompleteSettings
  readonly realms: ReadonlySet<string>
  readonly faults: Faults
  readonly requests: ReceivedRequests
  readonly now: () => number
  readonly upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void
}

/** The HTTP server: reads requests, applies faults of tests, calls the endpoint. */
export class AccessManagerServer {
  readonly #parts: ServerParts
  readonly #server: Server
  #endpoints: Endpoints = { json: {}, oauth2: {}, pages: {} }

  constructor(parts: ServerParts) {
    this.#parts = parts
    const { tls } = parts.settings
    this.#server = tls ? createSecureServer({ ...TIMEOUTS, ...tls }) : createServer(TIMEOUTS)
    this.#server.maxConnections = parts.settings.limits.connections
    this.#server.on('request', (request, response) => {
      response.on('error', () => {})
      this.#serve(request, response).catch(() => {
        if (response.headersSent) response.destroy()
        else send(response, crestError(500, 'Internal server error'), { close: true })
      })
    })
    this.#server.on('upgrade', (request, socket, head) => {
      socket.on('error', () => socket.destroy())
      this.#upgrade(request, socket, head).catch(() => socket.destroy())
    })
  }

  /** Starts listening; returns the port. */
  async listen(): Promise<number> {
    const { port, host } = this.#parts.settings
    this.#server.listen(port, host)
    await once(this.#server, 'listening')
    return (this.#server.address() as AddressInfo).port
  }

  /** The endpoints; set when the URL of the server is known. */
  serve(endpoints: Endpoints): void {
    this.#endpoints = endpoints
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { faults, settings } = this.#parts
    const { url, path } = this.#target(request)
    const body = await readBody(request, settings.limits.bodyBytes)
    const destination =
      path === null
        ? { answer: crestError(404, 'Not found') }
        : findEndpoint(path, url.searchParams, this.#endpoints, this.#parts.realms)
    const name = 'endpoint' in destination ? destination.endpoint.name : 'unknown'
    this.#note(name, request, body ?? '')
    const fault = await faults.meet(name)
    if (fault === CUT) return void request.socket.destroy()
    if (fault !== null) return send(response, fault)
    if (body === null) return send(response, crestError(413, 'The request body is too long'), { close: true })
    if ('answer' in destination) return send(response, destination.answer)
    const { method = 'GET', headers } = request
    send(response, await callEndpoint(destination, { method, headers, body, query: url.searchParams }))
  }

  async #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const { path } = this.#target(request)
    if (path !== '/notifications') return refuseUpgrade(socket, 404)
    this.#note('notifications', request, '')
    const fault = await this.#parts.faults.meet('notifications')
    if (fault === CUT) return void socket.destroy()
    if (fault !== null) return refuseUpgrade(socket, fault.status)
    this.#parts.upgrade(request, socket, head)
  }

  /** The request URL, and its path below the context path; null for other paths. */
  #target(request: IncomingMessage): { url: URL; path: string | null } {
    const { contextPath } = this.#parts.settings
    const url = URL.parse(request.url ?? '/', 'http://access-manager') ?? new URL('http://access-manager/')
    const within = url.pathname === contextPath || url.pathname.startsWith(`${contextPath}/`)
    return { url, path: within ? url.pathname.slice(contextPath.length) : null }
  }

  #note(endpoint: string, { method = 'GET', url: target = '/', headers }: IncomingMessage, body: string): void {
    this.#parts.requests.add({ endpoint, method, target, headers, body, at: this.#parts.now() })
  }
}
