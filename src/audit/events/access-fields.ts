import { type Headers, parseCookieHeader, parseForm } from '#http'
import type { JsonObject } from '#json'
import type { PointerTree } from '../policies/pointer-tree.ts'

type Lists = Record<string, string[]>

/** Reads the fields of messages that the policies of a service include, and no others: values of the rest are not touched. */
export class AccessFields {
  readonly #requestHeaders: HeaderNames | null
  readonly #responseHeaders: HeaderNames | null
  readonly hasQuery: boolean
  readonly hasCookies: boolean

  constructor(include: PointerTree) {
    this.#requestHeaders = headerNames(include.at(['http', 'request', 'headers']))
    this.#responseHeaders = headerNames(include.at(['http', 'response', 'headers']))
    this.hasQuery = include.at(['http', 'request', 'queryParameters']) !== null
    this.hasCookies = include.at(['http', 'request', 'cookies']) !== null
  }

  /** Without `Cookie`, which has a field of its own. */
  requestHeaders(headers: Headers): Lists {
    return this.#requestHeaders === null ? {} : included(headers.raw(), this.#requestHeaders, 'cookie')
  }

  responseHeaders(headers: Headers): Lists | null {
    return this.#responseHeaders === null ? null : included(headers.raw(), this.#responseHeaders, null)
  }

  query(rawQuery: string | null): JsonObject {
    return { ...parseForm(rawQuery ?? '', { keepNamesWithoutValue: true }) }
  }

  cookies(headers: Headers): JsonObject {
    const cookies: JsonObject = Object.create(null)
    for (const header of headers.all('cookie')) {
      for (const { name, value } of parseCookieHeader(header)) cookies[name] = value
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
