import { parseCookieHeader, parseForm } from '#http'
import type { JsonObject } from '#json'
import type { PointerTree } from '../policies/pointer-tree.ts'

type Lists = Record<string, string[]>

/** Reads the fields of messages that the policies of a service include, and no others: values of the rest are not touched. */
export class AccessFields {
  /** Lower-case names of the request headers that are included, or all; null for none. */
  readonly requestHeaderNames: HeaderNames | null
  readonly #responseHeaderNames: HeaderNames | null
  readonly hasQuery: boolean
  readonly hasCookies: boolean

  constructor(include: PointerTree) {
    this.requestHeaderNames = headerNames(include.at(['http', 'request', 'headers']))
    this.#responseHeaderNames = headerNames(include.at(['http', 'response', 'headers']))
    this.hasQuery = include.at(['http', 'request', 'queryParameters']) !== null
    this.hasCookies = include.at(['http', 'request', 'cookies']) !== null
  }

  /** Without `Cookie`, which has a field of its own. */
  requestHeaders(headers: readonly string[]): Lists {
    return this.requestHeaderNames === null ? {} : included(headers, this.requestHeaderNames, 'cookie')
  }

  get hasResponseHeaders(): boolean {
    return this.#responseHeaderNames !== null
  }

  responseHeaders(headers: readonly string[]): Lists | null {
    return this.#responseHeaderNames === null ? null : included(headers, this.#responseHeaderNames, null)
  }

  query(rawQuery: string | null): JsonObject {
    return { ...parseForm(rawQuery ?? '', { keepNamesWithoutValue: true }) }
  }

  cookies(headers: readonly string[]): JsonObject {
    const cookies: JsonObject = Object.create(null)
    for (let at = 0; at < headers.length; at += 2) {
      if (headers[at]!.toLowerCase() !== 'cookie') continue
      for (const { name, value } of parseCookieHeader(headers[at + 1]!)) cookies[name] = value
    }
    return cookies
  }
}

/** Lower-case names, or all. */
type HeaderNames = ReadonlySet<string> | 'all'

function headerNames(tree: PointerTree | null): HeaderNames | null {
  if (tree === null) return null
  return tree.isCovered ? 'all' : new Set(tree.names().map((name) => name.toLowerCase()))
}

function included(raw: readonly string[], names: HeaderNames, except: string | null): Lists {
  // Names of the client may be `__proto__`; those that policies name are safe, and plain objects are cheaper to serialize.
  const lists: Lists = names === 'all' ? Object.create(null) : {}
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at]!.toLowerCase()
    if (name === except || (names !== 'all' && !names.has(name))) continue
    const values = lists[name]
    if (values === undefined) lists[name] = [raw[at + 1]!]
    else values.push(raw[at + 1]!)
  }
  return lists
}
