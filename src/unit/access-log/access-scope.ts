import { type Scope, scopeOf } from '#expression'
import { type Exchange, exchangeScope, type Response } from '#http'
import type { AccessEntry } from './access-entry.ts'
import { heapName } from './json-line.ts'

/** Bindings of expressions of the access log: those of the exchange, and `access`, the fields of the JSON line. */
export function accessScope(
  entry: AccessEntry,
  exchange: Exchange | null,
  response: Response | null,
  outer: Scope,
): Scope {
  const access = fieldsOf(entry)
  // A request that the listener refused has no exchange.
  if (exchange === null) return scopeOf({ access, response }, outer)
  return exchangeScope(exchange, response, scopeOf({ access }, outer))
}

function fieldsOf({ time, decidedBy, reason, durationMs, upstreamDurationMs, ...rest }: AccessEntry) {
  return {
    time: new Date(time).toISOString(),
    ...rest,
    durationMs: rounded(durationMs),
    upstreamDurationMs: upstreamDurationMs === null ? null : rounded(upstreamDurationMs),
    decidedBy: decidedBy === null ? null : { object: heapName(decidedBy), reason },
    sample: sampleOf(rest.transactionId),
  }
}

/** A number from 0 to 1 for sampling, the same in all gateways that share the transaction id (FNV-1a). */
function sampleOf(transactionId: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < transactionId.length; at++) {
    hash = Math.imul(hash ^ transactionId.charCodeAt(at), 0x01000193)
  }
  // The low bits of FNV are the better ones.
  return (hash & 0xffffff) / 0x1000000
}

function rounded(milliseconds: number): number {
  return Math.round(milliseconds * 10) / 10
}
