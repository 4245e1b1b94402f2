import type { RequestEvent } from '#contracts'
import { auditUser } from '#contracts'
import type { Exchange } from '#http'
import { maskText } from '#logging'
import type { Clock } from '#schema'

const MAX_PATH = 1_024
const MAX_NAME = 256

/** A request that has ended. */
export interface EndedRequest {
  readonly exchange: Exchange
  /** Milliseconds. */
  readonly elapsed: number
  readonly status: number | null
  /** Id of its trace. */
  readonly trace: string | null
  readonly clock: Clock
}

/** Fields that are known when a request begins. */
export const START_FIELDS = {
  method: ({ request }: Exchange): string => request.method,
  path: ({ originalUri }: Exchange): string => originalUri.rawPath.slice(0, MAX_PATH),
} as const

/** Fields of an event, each computed only where it is needed. */
export const FIELDS: { readonly [F in keyof RequestEvent]: (request: EndedRequest) => RequestEvent[F] } = {
  timestamp: ({ clock, elapsed }) => new Date(clock.now() - elapsed).toISOString(),
  method: ({ exchange }) => START_FIELDS.method(exchange),
  path: ({ exchange }) => START_FIELDS.path(exchange),
  status: ({ status }) => status,
  elapsed: ({ elapsed }) => Math.round(elapsed * 10) / 10,
  route: ({ exchange }) => exchange.audit?.routeId ?? null,
  user: ({ exchange }) => userOf(exchange)?.slice(0, MAX_NAME) ?? null,
  transactionId: ({ exchange }) => exchange.transactionId.value,
  trace: ({ trace }) => trace,
}

export function eventOf(request: EndedRequest): RequestEvent {
  return {
    timestamp: FIELDS.timestamp(request),
    method: FIELDS.method(request),
    path: maskText(FIELDS.path(request)),
    status: FIELDS.status(request),
    elapsed: FIELDS.elapsed(request),
    route: FIELDS.route(request),
    user: FIELDS.user(request),
    transactionId: FIELDS.transactionId(request),
    trace: FIELDS.trace(request),
  }
}

function userOf({ audit }: Exchange): string | null {
  try {
    return audit === null ? null : (audit.userId ?? auditUser(audit.latest as Exchange))
  } catch {
    return null
  }
}
