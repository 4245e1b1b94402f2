import type { Exchange, Response } from '#http'

/** An object, known by its environment or its logger. */
interface Decider {
  readonly name: string | null
}

/** Statuses that are decisions of the gateway where it chose them. */
const DECIDED: ReadonlySet<number> = new Set([401, 403, 429, 503])

/** Records that an object refused a request. */
export function recordDenied(exchange: Exchange, { name }: Decider, reason: string, rule?: string): void {
  if (exchange.audit === null) return
  exchange.decided({ result: 'DENIED', by: name ?? '', reason, ...(rule !== undefined && { rule }) })
}

/** Records that an object could not decide: the request is refused to be safe. */
export function recordFailed(exchange: Exchange, { name }: Decider, reason: string): void {
  if (exchange.audit !== null) exchange.decided({ result: 'FAILED', by: name ?? '', reason })
}

/** Records a grant, for filters whose grant is a decision. */
export function recordGranted(
  exchange: Exchange,
  { name }: Decider,
  reason: string,
  more: { readonly rule?: string; readonly policy?: string; readonly fromCache?: boolean } = {},
): void {
  if (exchange.audit !== null) exchange.decided({ result: 'GRANTED', by: name ?? '', reason, ...more })
}

/** Records a status that an object chose as its decision; a refusal that led to it stays. */
export function recordStatus(exchange: Exchange, decider: Decider, status: number, reason: string): void {
  const { audit } = exchange
  if (audit === null || !DECIDED.has(status)) return
  if (audit.decision !== null && audit.decision.result !== 'GRANTED') return
  if (status === 503) recordFailed(exchange, decider, reason)
  else recordDenied(exchange, decider, reason)
}

/** The same for a response of an object, unless a server chose its status: the object may have passed the request on. */
export function recordResponse(
  exchange: Exchange,
  decider: Decider,
  { status, isReceived }: Pick<Response, 'status' | 'isReceived'>,
  reason: string,
): void {
  if (!isReceived) recordStatus(exchange, decider, status, reason)
}
