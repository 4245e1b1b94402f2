import type { Exchange } from '#http'

/** Tokens that are valid in a header field, in which they are sent to the access manager. */
const TOKEN = /^[\x21-\x7e]{1,8192}$/

/** The session token in a cookie of the request; null without a valid one. */
export function sessionTokenOf(exchange: Exchange, cookieName: string): string | null {
  const cookies = exchange.request.cookies[cookieName] ?? []
  return cookies.find(({ value }) => TOKEN.test(value))?.value ?? null
}
