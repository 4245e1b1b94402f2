import { type Headers, parseCookieHeader, parseForm } from '#http'
import type { JsonObject } from '#json'
import type { PointerTree } from '../policies/pointer-tree.ts'

type Lists = Record<string, string[]>

/** Reads the fields of messages that the policies of a service include, and no others: values of the rest are not touched. */
export class AccessFields {
  readonly #requestHeaders: PointerTree | null
  readonly #responseHeaders: PointerTree | null
  readonly hasQuery: boolean
  readonly hasCookies: boolean

  constructor(include: PointerTree) {
    this.#requestHeaders = include.at(['http', 'request', 'headers'])
    this.#responseHeaders = include.at(['http', 'response', 'headers'])
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

function included(raw: readonly string[], names: PointerTree, except: string | null): Lists {
  // Names of the client may be `__proto__`; those that policies name are safe, and plain objects are cheaper to serialize.
  const lists: Lists = names.isCovered ? Object.create(null) : {}
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at]!.toLowerCase()
    if (name === except || (!names.isCovered && names.child(name) === null)) continue
    const values = lists[name]
    if (values === undefined) lists[name] = [raw[at + 1]!]
    else values.push(raw[at + 1]!)
  }
  return lists
}
