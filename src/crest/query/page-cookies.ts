import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { parseJson } from '#json'
import type { SortValue } from './sort-keys.ts'

/** The position in a result after which the next page starts: the sort key of an entry, which may be deleted since. */
export interface PagePosition {
  readonly values: readonly SortValue[]
  readonly id: string
}

const MAC_BYTES = 16
const MAX_COOKIE_LENGTH = 65_536

/**
 * Creates and verifies paging cookies. A cookie has the key of the last entry, so that pages are correct when entries are added
 * or removed; it is signed, and valid only for its query.
 */
export class PageCookies {
  readonly #key: Uint8Array

  /** With the default random key, cookies are valid until the process ends. */
  constructor(key: Uint8Array = randomBytes(32)) {
    this.#key = key
  }

  /** The cookie of a position in the result of a query; `query` is any text that identifies it. */
  make(query: string, { values, id }: PagePosition): string {
    const payload = Buffer.from(JSON.stringify([digest(query), id, ...values]), 'utf8')
    return Buffer.concat([this.#mac(payload), payload]).toString('base64url')
  }

  /** The position in a cookie; an error message where it is not a cookie of this query. */
  read(query: string, cookie: string): PagePosition | string {
    if (cookie.length > MAX_COOKIE_LENGTH) return UNKNOWN
    const bytes = Buffer.from(cookie, 'base64url')
    if (bytes.toString('base64url') !== cookie) return UNKNOWN
    const payload = bytes.subarray(MAC_BYTES)
    if (bytes.length <= MAC_BYTES || !timingSafeEqual(bytes.subarray(0, MAC_BYTES), this.#mac(payload))) return UNKNOWN
    const [madeFor, id, ...values] = parseJson(payload.toString('utf8')) as [string, string, ...SortValue[]]
    if (madeFor !== digest(query))
      return '_pagedResultsCookie: made for another query; page on with the same filter and sort keys'
    return { id, values }
  }

  #mac(payload: Uint8Array): Uint8Array {
    return createHmac('sha256', this.#key).update(payload).digest().subarray(0, MAC_BYTES)
  }
}

const UNKNOWN = '_pagedResultsCookie: not a cookie of this server; start again without one'

function digest(query: string): string {
  return createHash('sha256').update(query).digest('base64url').slice(0, 16)
}
