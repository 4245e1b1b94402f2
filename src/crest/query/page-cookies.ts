import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { parseJson } from '#json'
import type { SortValue } from './sort-keys.ts'

/** The place in a result after which the next page begins: that of an entry, whether or not it is still there. */
export interface PagePlace {
  readonly values: readonly SortValue[]
  readonly id: string
}

const MAC_BYTES = 16
const MAX_COOKIE_LENGTH = 65_536

/**
 * Makes and reads the cookies of paging. A cookie has the key of the last entry, so that a page is right also when
 * entries came and went since; it is signed, and good only for the query it was made for.
 */
export class PageCookies {
  readonly #key: Uint8Array

  /** Without a key of its own, cookies are good until the process ends. */
  constructor(key: Uint8Array = randomBytes(32)) {
    this.#key = key
  }

  /** The cookie of a place in the result of a query, which any text may stand for. */
  make(query: string, { values, id }: PagePlace): string {
    const payload = Buffer.from(JSON.stringify([digest(query), id, ...values]), 'utf8')
    return Buffer.concat([this.#mac(payload), payload]).toString('base64url')
  }

  /** The position in a cookie; the reason as a text where it is not a cookie of this query. */
  read(query: string, cookie: string): PagePlace | string {
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
