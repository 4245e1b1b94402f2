import type { IncomingHttpHeaders } from 'node:http'
import type { Answer } from './answer.ts'

/** A request that was read and found a home. */
export interface Call {
  readonly method: string
  /** Realm path, `/` for the root. */
  readonly realm: string
  /** What follows the name of the endpoint in the path, without slashes at its ends. */
  readonly rest: string
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** One address and what it does. */
export interface Endpoint {
  /** By this name faults are set and received requests are listed. */
  readonly name: string
  readonly methods: readonly string[]
  handle(call: Call): Answer | Promise<Answer>
}

/** A header that must come once; several, or none, are undefined. */
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
