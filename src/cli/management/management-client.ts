import { type ClientRequest, type IncomingMessage, request as requestPlain } from 'node:http'
import { request as requestSecure } from 'node:https'
import { getCACertificates } from 'node:tls'
import { isPlainObject, type JsonObject } from '#json'

/** Milliseconds until a response has to be complete. */
const RESPONSE_TIMEOUT = 30_000

/** Milliseconds without any data on an event stream; the gateway sends a comment every ten seconds. */
const STREAM_TIMEOUT = 25_000

/** Bytes of one response, and characters of one event. */
const MAX_RESPONSE = 64 * 1024 * 1024

/** Entries of one page of a query. */
const PAGE_SIZE = 200

/** Pages of one query: more routes than a gateway can have. */
const MAX_PAGES = 10_000

/** The management API can not be used; the message has address, reason and remedy. */
export class ManagementUnavailable extends Error {
  override readonly name = 'ManagementUnavailable'
  /** Of the response; 0 without one. */
  readonly status: number

  constructor(message: string, status = 0) {
    super(message)
    this.status = status
  }
}

/** The management API refused a change; nothing has changed. */
export class ManagementRefused extends Error {
  override readonly name = 'ManagementRefused'
  readonly status: number
  readonly detail: JsonObject

  constructor(message: string, status: number, detail: JsonObject) {
    super(message)
    this.status = status
    this.detail = detail
  }
}

/** Address and credentials of a management API. */
interface ManagementAccess {
  readonly url: URL
  readonly password: string | null
  /** Certificates in PEM beside those that Node trusts. */
  readonly ca: string | null
}

/** A client of the management API of a running gateway. */
export class ManagementClient {
  readonly #access: ManagementAccess

  constructor(access: ManagementAccess) {
    this.#access = access
  }

  /** The address without a path. */
  get address(): string {
    return this.#access.url.origin
  }

  /** Reads one resource. Throws ManagementUnavailable. */
  async read(path: string): Promise<JsonObject> {
    const signal = AbortSignal.timeout(RESPONSE_TIMEOUT)
    try {
      const response = await this.#send(path, 'application/json', signal)
      return this.#resource(response, await bodyText(response))
    } catch (error) {
      throw this.#unavailable(error, signal, `no complete response within ${RESPONSE_TIMEOUT / 1000} s`)
    }
  }

  /** Reads a resource of any status, such as the failed checks of a 503. Throws ManagementUnavailable. */
  async report(path: string, timeout: number): Promise<{ readonly status: number; readonly report: JsonObject }> {
    const signal = AbortSignal.timeout(timeout)
    try {
      const response = await this.#send(path, 'application/json', signal)
      const { statusCode: status = 0 } = response
      return { status, report: this.#json(status, await bodyText(response)) }
    } catch (error) {
      throw this.#unavailable(error, signal, `no response within ${timeout / 1000} s`)
    }
  }

  /** Sends an action. Throws ManagementUnavailable, or ManagementRefused for a request that can not be carried out. */
  async act(path: string, body: JsonObject, timeout = RESPONSE_TIMEOUT): Promise<JsonObject> {
    const signal = AbortSignal.timeout(timeout)
    try {
      const response = await this.#send(path, 'application/json', signal, JSON.stringify(body))
      return this.#resource(response, await bodyText(response), true)
    } catch (error) {
      if (error instanceof ManagementRefused || error instanceof ManagementUnavailable) throw error
      const unavailable = this.#unavailable(error, signal, `no complete response within ${timeout / 1000} s`)
      throw signal.aborted || isLost(error)
        ? new ManagementUnavailable(`${unavailable.message}; the outcome is unknown`)
        : unavailable
    }
  }

  /** Every entry of a collection, page by page; with all fields where none is named. Throws ManagementUnavailable. */
  async *query(path: string, fields: readonly string[]): AsyncGenerator<JsonObject> {
    let cookie: string | null = null
    for (let page = 0; page < MAX_PAGES; page++) {
      const parameters = new URLSearchParams({
        _queryFilter: 'true',
        _pageSize: String(PAGE_SIZE),
        ...(fields.length > 0 && { _fields: fields.join(',') }),
        ...(cookie !== null && { _pagedResultsCookie: cookie }),
      })
      const { results, pagedResultsCookie } = await this.read(`${path}?${parameters}`)
      if (!Array.isArray(results)) throw new ManagementUnavailable(`${this.address}: unexpected result of a query`)
      yield* results.filter(isPlainObject) as JsonObject[]
      if (typeof pagedResultsCookie !== 'string') return
      cookie = pagedResultsCookie
    }
  }

  /** The data of Server-Sent Events, until the stream or the signal ends. Throws ManagementUnavailable. */
  async *events(path: string, signal: AbortSignal): AsyncGenerator<JsonObject> {
    try {
      const response = await this.#send(path, 'text/event-stream', signal)
      if (response.statusCode !== 200) this.#resource(response, await bodyText(response))
      let text = ''
      for await (const chunk of response.setEncoding('utf8')) {
        text += chunk
        if (text.length > MAX_RESPONSE) throw new Error('an event is too large')
        const events = text.split('\n\n')
        text = events.pop() as string
        for (const event of events) {
          const data = event.split('\n').flatMap((line) => (line.startsWith('data:') ? [line.slice(5)] : []))
          if (data.length > 0) yield JSON.parse(data.join('\n')) as JsonObject
        }
      }
    } catch (error) {
      if (!signal.aborted) throw this.#unavailable(error, signal, 'no response')
    }
  }

  async #send(
    path: string,
    accept: string,
    signal: AbortSignal,
    action: string | null = null,
  ): Promise<IncomingMessage> {
    const { url, password, ca } = this.#access
    const target = new URL(url)
    const [pathname = '', query = ''] = path.split('?')
    target.pathname = `${url.pathname.replace(/\/$/, '')}${pathname}`
    target.search = query
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    // Basic, since a Bearer token has no spaces.
    const credentials =
      password === null ? {} : { Authorization: `Basic ${Buffer.from(`admin:${password}`).toString('base64')}` }
    const sent = action === null ? {} : { 'Content-Type': 'application/json' }
    const headers = { Accept: accept, ...credentials, ...sent }
    // An action may take long without a byte: its signal bounds it. Without 0, the agent of Node would set 5 seconds.
    const timeout = action === null ? STREAM_TIMEOUT : 0
    const options = { headers, signal, timeout, method: action === null ? 'GET' : 'POST' }
    const request: ClientRequest =
      target.protocol === 'https:'
        ? requestSecure(target, { ...options, ...(ca !== null && { ca: [...getCACertificates(), ca] }) }, resolve)
        : requestPlain(target, options, resolve)
    request.on('timeout', () => request.destroy(new Error(`no data for ${timeout / 1000} s`)))
    request.on('error', reject)
    request.end(action)
    return promise
  }

  /** The resource of a successful response. */
  #resource({ statusCode = 0, headers }: IncomingMessage, text: string, isAction = false): JsonObject {
    const json = this.#json(statusCode, text)
    if (statusCode === 200 || statusCode === 201) return json
    if (isAction && REFUSED.has(statusCode))
      throw new ManagementRefused(String(json['message'] ?? ''), statusCode, (json['detail'] ?? {}) as JsonObject)
    const { message = '' } = json
    const wait = headers['retry-after'] === undefined ? '' : `; try again in ${headers['retry-after']} s`
    throw new ManagementUnavailable(
      `${this.address}: ${statusCode}: ${String(message)}${wait}${REMEDY[statusCode] ?? ''}`,
      statusCode,
    )
  }

  #json(status: number, text: string): JsonObject {
    let json: unknown = null
    try {
      json = JSON.parse(text)
    } catch {
      // Reported below.
    }
    if (!isPlainObject(json)) throw new ManagementUnavailable(`${this.address}: no management API: ${status}`)
    return json as JsonObject
  }

  #unavailable(error: unknown, signal: AbortSignal, timeout: string): ManagementUnavailable {
    if (error instanceof ManagementUnavailable) return error
    // The error itself is that of an aborted request, or of a connection that was closed for it.
    if (signal.aborted) return new ManagementUnavailable(`${this.address}: ${timeout}`)
    const { name, message, code, errors } = error as NodeJS.ErrnoException & { readonly errors?: readonly Error[] }
    // An AggregateError of several addresses has no message.
    const text = message === '' ? (errors?.[0]?.message ?? code ?? name) : message
    // The advice of Node is about its own options.
    const reason = text.replace(/; if the root CA.*$/, '')
    return new ManagementUnavailable(`${this.address}: ${reason}${remedyOf(code ?? '')}`)
  }
}

/** Actions that can not be carried out: wrong content, no such resource, conflict, outdated, too large. */
const REFUSED: ReadonlySet<number> = new Set([400, 404, 409, 412, 413])

const REMEDY: Readonly<Record<number, string>> = {
  401: '; name the file of the admin password with --password-file FILE',
  404: '; the gateway may be of an older version',
}

function remedyOf(code: string): string {
  if (code === 'ECONNREFUSED') return '; start the gateway, or name its management connector with --gateway URL'
  if (/CERT|SELF_SIGNED|UNABLE_TO/.test(code))
    return '; name its certificate authority with --ca FILE, and its host name with --gateway URL'
  return ''
}

/** Whether the connection was lost after it was open, so that the other side may have got the request. */
function isLost(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return code === 'ECONNRESET' || code === 'EPIPE'
}

async function bodyText(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response) {
    size += (chunk as Buffer).length
    if (size > MAX_RESPONSE) throw new Error('the response is too large')
    chunks.push(chunk as Buffer)
  }
  return Buffer.concat(chunks).toString('utf8')
}
