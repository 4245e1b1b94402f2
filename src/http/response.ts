import { type Exposure, exposed } from '#expression'
import { Body } from './body.ts'
import { Entity, setEntity } from './entity.ts'
import { DEFAULT_ENTITY_LIMITS, type EntityLimits } from './entity-limits.ts'
import { Headers } from './headers.ts'
import { reasonPhrase, Status } from './status.ts'
import type { Upgrade } from './upgrade.ts'

/** Headers, or names with one or more values. */
export type HeaderInit = Headers | Record<string, string | string[]>

/** Parts of a response beside its status. */
export interface ResponseInit {
  reason?: string
  headers?: HeaderInit
  body?: Body | string | Uint8Array
  trailers?: Headers
  cause?: Error
  version?: string
  upgrade?: Upgrade
  /** Whether the status was received from a server. */
  isReceived?: boolean
}

/** A response of a server or of the gateway. */
export class Response {
  #status: number
  /** The status that a server sent; 0 in a response of the gateway. */
  readonly #receivedStatus: number
  reason: string
  headers: Headers
  body: Body
  entityLimits: EntityLimits = DEFAULT_ENTITY_LIMITS
  trailers: Headers | null
  /** The fault behind an error response; for logs, never sent. */
  cause: Error | null
  version: string
  /** The upgraded protocol of a 101; without it no 101 is sent. */
  upgrade: Upgrade | null
  #generated: Body | null = null

  constructor(status: number, init?: ResponseInit) {
    this.#status = checkedStatus(status)
    this.#receivedStatus = init?.isReceived === true ? status : 0
    this.reason = init?.reason ?? reasonPhrase(status)
    this.headers = headersOf(init?.headers)
    this.body = bodyOf(init?.body)
    this.trailers = init?.trailers ?? null
    this.cause = init?.cause ?? null
    this.version = init?.version ?? 'HTTP/1.1'
    this.upgrade = init?.upgrade ?? null
  }

  get status(): number {
    return this.#status
  }

  set status(value: number) {
    this.#status = checkedStatus(value)
  }

  /** Whether a server chose the status, as opposed to the gateway: a status that a filter changed is that of the gateway. */
  get isReceived(): boolean {
    return this.#receivedStatus === this.#status
  }

  /** Whether the gateway made this response for an error, and no filter has replaced its content. */
  get isGenerated(): boolean {
    return this.#generated !== null && this.#generated === this.body
  }

  /** The content is that of the gateway: it may be replaced by one in a format that the client accepts. */
  markGenerated(): void {
    this.#generated = this.body
  }

  get [exposed](): Exposure<Response> {
    return EXPOSURE
  }
}

/** A response of the gateway itself: plain text by default, `nosniff`, errors not cacheable. */
export function respond(status: number, headers?: Record<string, string | string[]>, body?: string): Response {
  const all = headersOf(headers)
  if (body !== undefined && body !== '') {
    if (!all.has('content-type')) all.add('Content-Type', 'text/plain; charset=utf-8')
    if (!all.has('x-content-type-options')) all.add('X-Content-Type-Options', 'nosniff')
  }
  if ((status === 401 || status === 403) && !all.has('cache-control')) all.add('Cache-Control', 'no-store')
  const response = new Response(status, body === undefined ? { headers: all } : { headers: all, body })
  if (status >= 400 && isPlainText(all.get('content-type'))) response.markGenerated()
  return response
}

/** 503 for a request that can not be decided or served now. The client may repeat it, and caches must not store it. */
export function respondUnavailable(body?: string): Response {
  return respond(503, { 'Retry-After': '5', 'Cache-Control': 'no-store' }, body)
}

function isPlainText(contentType: string | null): boolean {
  return contentType === null || contentType.startsWith('text/plain')
}

function checkedStatus(status: number): number {
  if (Number.isInteger(status) && status >= 100 && status <= 999) return status
  throw new RangeError(`response status: expected an integer from 100 to 999, got ${status}`)
}

function headersOf(init: HeaderInit | undefined): Headers {
  if (init instanceof Headers) return init
  const headers = new Headers()
  if (init === undefined) return headers
  for (const name of Object.keys(init)) {
    const value = init[name]!
    if (typeof value === 'string') headers.add(name, value)
    else for (const each of value) headers.add(name, each)
  }
  return headers
}

function bodyOf(content: Body | string | Uint8Array | undefined): Body {
  if (content === undefined) return Body.empty
  return content instanceof Body ? content : Body.of(content)
}

function assignStatus(response: Response, value: unknown): void {
  const code = value instanceof Status ? value.code : Number(value)
  response.status = code
  response.reason = value instanceof Status ? value.reasonPhrase : reasonPhrase(code)
}

const EXPOSURE: Exposure<Response> = {
  kind: 'response',
  get: {
    status: (self) => new Status(self.status, self.reason),
    version: (self) => self.version,
    headers: (self) => self.headers,
    trailers: (self) => self.trailers,
    entity: (self) => new Entity(self, 'response'),
    cause: (self) => (self.cause === null ? null : { message: self.cause.message }),
  },
  set: {
    status: assignStatus,
    entity: (self, value) => setEntity(self, value),
  },
}
