import { auditUser } from '#contracts'
import { type Exchange, type LoggedRequest, type RefusedRequest, refusedPath } from '#http'
import { lastText, maskedPath } from '#logging'

/** Limits of texts that clients choose, in characters. */
const MAX_HOST = 256
const MAX_NAME = 256

/** Fields of an access line, before they are escaped for a format. */
export interface AccessEntry {
  /** When the request ended, in milliseconds since the epoch. */
  readonly time: number
  readonly method: string | null
  readonly host: string | null
  /** Without the query. */
  readonly path: string | null
  /** Null where no response was sent. */
  readonly status: number | null
  /** Bytes of the response content. */
  readonly bytes: number
  readonly durationMs: number
  readonly upstreamDurationMs: number | null
  /** Host and port of the last upstream. */
  readonly upstream: string | null
  /** Why it sent no response. */
  readonly upstreamFailure: string | null
  readonly route: string | null
  /** Qualified name of the object that decided, or `listener`. */
  readonly decidedBy: string | null
  readonly reason: string | null
  readonly client: string
  readonly user: string | null
  readonly protocol: string | null
  /** Version of TLS; null for cleartext. */
  readonly tls: string | null
  readonly transactionId: string
  readonly traceId: string | null
  readonly end: 'sent' | 'truncated' | 'aborted'
}

/** Requests mostly name the host of the one before. */
const hostOf = lastText(hostText, '', -1)

export function entryOf(
  { exchange, method, outcome, startedAt, connection }: LoggedRequest,
  time: number,
  now: number,
): AccessEntry {
  const { audit, originalUri, request, client } = exchange
  const decision = audit === null ? null : audit.decision
  return {
    time,
    method,
    host: hostOf(originalUri.host, originalUri.port),
    path: maskedPath(originalUri.rawPath),
    status: outcome.response === null ? null : outcome.response.status,
    bytes: connection.bytes,
    durationMs: now - startedAt,
    upstreamDurationMs: exchange.upstreamTime?.total ?? null,
    upstream: exchange.upstreamTime?.address ?? null,
    upstreamFailure: exchange.upstreamTime?.failure ?? null,
    route: audit === null ? null : audit.routeId,
    decidedBy: decision === null ? null : decision.by,
    reason: decision === null ? null : decision.reason,
    client: client.remoteAddress,
    user: userOf(exchange),
    protocol: request.version,
    tls: connection.tls,
    transactionId: exchange.transactionId.value,
    traceId: exchange.traceId,
    end: outcome.end,
  }
}

export function refusedEntry(
  { transactionId, client, tls, status, bytes, reason, line }: RefusedRequest,
  time: number,
): AccessEntry {
  return {
    time,
    method: line === null ? null : bounded(line.method, MAX_NAME),
    host: null,
    path: line === null ? null : maskedPath(refusedPath(line.target)),
    status,
    bytes,
    durationMs: 0,
    upstreamDurationMs: null,
    upstream: null,
    upstreamFailure: null,
    route: null,
    decidedBy: 'listener',
    reason,
    client: client.ip,
    user: null,
    protocol: line === null ? null : line.protocol,
    tls,
    transactionId,
    traceId: null,
    end: 'sent',
  }
}

function userOf({ audit }: Exchange): string | null {
  if (audit === null) return null
  try {
    const user = audit.userId ?? auditUser(audit.latest as Exchange)
    return user === null ? null : bounded(user, MAX_NAME)
  } catch {
    // A line without user is better than none.
    return null
  }
}

/** As the client named it, without user information. */
function hostText(host: string, port: number): string {
  return bounded(port < 0 ? host : `${host}:${port}`, MAX_HOST)
}

function bounded(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit)}...`
}
