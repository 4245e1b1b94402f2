import type { Exchange } from './exchange.ts'
import type { Response } from './response.ts'

/** Answers a request. A refusal is a Response; an exception is a fault. */
export type Handler = (exchange: Exchange) => Promise<Response>

/** Answers a request itself or through the next handler. */
export type Filter = (exchange: Exchange, next: Handler) => Promise<Response>

/** Composes filters and a handler into one handler; the first filter is outermost. */
export function chain(filters: readonly Filter[], handler: Handler): Handler {
  return filters.reduceRight<Handler>((next, filter) => (exchange) => filter(exchange, next), handler)
}
