import type { Exchange } from './exchange.ts'
import type { Response } from './response.ts'

/** Answers a request. An expected refusal is a Response; a throw is a fault. */
export type Handler = (exchange: Exchange) => Promise<Response>

/** Answers a request itself or through what comes after it. */
export type Filter = (exchange: Exchange, next: Handler) => Promise<Response>

/** Folds filters and the handler behind them into one handler; the first filter is outermost. */
export function chain(filters: readonly Filter[], handler: Handler): Handler {
  return filters.reduceRight<Handler>((next, filter) => (exchange) => filter(exchange, next), handler)
}
