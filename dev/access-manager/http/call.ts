import type { IncomingHttpHeaders } from 'node:http'
import type { EndpointResponse } from './endpoint-response.ts'

/** A request to an endpoint. */
export interface Call {
  readonly method: string
  /** Realm path, `/` for the root. */
  readonly realm: string
  /** The rest of the path after the name of the endpoint, without leading and trailing slashes. */
  readonly rest: string
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface Endpoint {
  /** Name for faults and received requests. */
  readonly name: string
  readonly methods: readonly string[]
  handle(call: Call): EndpointResponse | Promise<EndpointResponse>
}

/** A header that occurs once; undefined where it is missing or repeated. */
export function headerOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name.toLowerCase()]
  return typeof value === 'string' ? value : undefined
}

/** The value of a cookie, undefined if missing. */
export function cookieOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  for (const pair of (headers.cookie ?? '').split(';')) {
    const at = pair.indexOf('=')
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim()
  }
  return undefined
}
