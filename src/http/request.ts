import { type Exposure, exposed } from '#expression'
import { Body } from './body.ts'
import { type Cookie, cookiesByName } from './cookies.ts'
import { Entity, setEntity } from './entity.ts'
import { DEFAULT_ENTITY_LIMITS, type EntityLimits } from './entity-limits.ts'
import { type Form, parseForm } from './form.ts'
import { Headers } from './headers.ts'
import { isToken } from './token.ts'
import { Uri } from './uri.ts'
import { InvalidUriError } from './uri-syntax.ts'

/** A request of a client, or of the gateway to a server. */
export class Request {
  method: string
  uri: Uri
  version: string
  headers: Headers
  body: Body
  entityLimits: EntityLimits = DEFAULT_ENTITY_LIMITS
  #cookies: Readonly<Record<string, Cookie[]>> | null = null
  #cookieText = ''

  constructor(init: { method: string; uri: Uri; headers?: Headers; body?: Body; version?: string }) {
    this.method = init.method
    this.uri = init.uri
    this.version = init.version ?? 'HTTP/1.1'
    this.headers = init.headers ?? new Headers()
    this.body = init.body ?? Body.empty
  }

  /** The cookies by name, parsed on first use and after a change of the header. */
  get cookies(): Readonly<Record<string, Cookie[]>> {
    const values = this.headers.all('cookie')
    const text = values.length === 1 ? values[0]! : values.join('\n')
    if (this.#cookies === null || text !== this.#cookieText) {
      this.#cookies = cookiesByName(values)
      this.#cookieText = text
    }
    return this.#cookies
  }

  get queryParams(): Form {
    return parseForm(this.uri.rawQuery ?? '', { keepNamesWithoutValue: true })
  }

  /** A copy with its own request line and headers, and the same body. */
  clone(): Request {
    const { method, uri, headers, body, version } = this
    const copy = new Request({ method, uri: uri.clone(), headers: headers.clone(), body, version })
    copy.entityLimits = this.entityLimits
    return copy
  }

  get [exposed](): Exposure<Request> {
    return EXPOSURE
  }
}

/** Query and urlencoded body together, the query first. */
function queryAndForm(request: Request): Form {
  const form = request.queryParams
  const posted = new Entity(request, 'request').form
  for (const name of Object.keys(posted)) form[name] = [...(form[name] ?? []), ...posted[name]!]
  return form
}

/** A URI as assigned by an expression; a text without a host keeps the server of the current one. */
function assignUri(request: Request, value: unknown): void {
  if (value instanceof Uri) {
    request.uri = value.clone()
    return
  }
  if (typeof value !== 'string') throw new InvalidUriError(`request.uri: expected text or a uri, got ${typeof value}`)
  const uri = Uri.parse(value)
  if (uri.host === '') uri.rebase(request.uri)
  request.uri = uri
}

const MAX_METHOD = 64

function assignMethod(request: Request, value: unknown): void {
  if (typeof value !== 'string' || !isToken(value, MAX_METHOD)) throw new TypeError('request.method: expected a token')
  request.method = value
}

const EXPOSURE: Exposure<Request> = {
  kind: 'request',
  get: {
    method: (self) => self.method,
    uri: (self) => self.uri,
    version: (self) => self.version,
    headers: (self) => self.headers,
    cookies: (self) => self.cookies,
    form: queryAndForm,
    queryParams: (self) => self.queryParams,
    entity: (self) => new Entity(self, 'request'),
  },
  set: {
    method: assignMethod,
    uri: assignUri,
    entity: (self, value) => setEntity(self, value),
  },
}
