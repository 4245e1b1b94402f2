import {
  type Exchange,
  isKnownMethod,
  methodAttribute,
  type Request,
  type RequestOutcome,
  withoutBrackets,
} from '#http'
import { maskedPath } from '#logging'

/** Limits of texts that clients choose, in characters. */
const MAX_TEXT = 256

type Attributes = Record<string, string | number | undefined>

/** The method, where it is a known one: names of spans must not be chosen by clients. */
export function safeMethod(method: string): string {
  return isKnownMethod(method) ? method : 'HTTP'
}

/** `error.type` of a request at the gateway; null for a success. Responses of 4xx are errors of the client. */
export function errorOf({ response, end }: RequestOutcome): string | null {
  if (response !== null && response.status >= 500) return String(response.status)
  return end === 'sent' ? null : end
}

/** Attributes of a request at the gateway (semantic conventions for HTTP servers, stable). No query. */
export function requestAttributes(
  method: string,
  exchange: Exchange,
  { response }: RequestOutcome,
  error: string | null,
): Attributes {
  const { originalUri, client, request, audit } = exchange
  const decision = audit?.decision ?? null
  return {
    ...methodAttributes(method),
    'url.scheme': originalUri.scheme,
    'url.path': maskedPath(originalUri.rawPath),
    'server.address': bounded(withoutBrackets(originalUri.host)),
    'server.port': originalUri.effectivePort,
    'network.protocol.version': protocolVersion(request.version),
    'client.address': client.remoteAddress,
    'user_agent.original': client.userAgent === null ? undefined : bounded(client.userAgent),
    'http.route': audit?.routeId ?? undefined,
    'http.response.status_code': response?.status,
    'error.type': error ?? undefined,
    'gateway.transaction_id': exchange.transactionId.value,
    'gateway.decision.by': decision?.by,
    'gateway.decision.reason': decision?.reason,
  }
}

/** Attributes of a request to an upstream (semantic conventions for HTTP clients, stable). No query, no credentials. */
export function clientAttributes({ method, uri }: Request, resends: number): Attributes {
  return {
    ...methodAttributes(method),
    'url.full': `${uri.origin}${maskedPath(uri.rawPath)}`,
    'server.address': bounded(withoutBrackets(uri.host)),
    'server.port': uri.effectivePort,
    'http.request.resend_count': resends === 0 ? undefined : resends,
  }
}

/** `1.1` of `HTTP/1.1`, `2` of `HTTP/2.0`. */
export function protocolVersion(version: string): string {
  return version.replace(/^HTTP\//, '').replace(/^([2-9])\.0$/, '$1')
}

function methodAttributes(method: string): Attributes {
  const attribute = { 'http.request.method': methodAttribute(method) }
  return isKnownMethod(method) ? attribute : { ...attribute, 'http.request.method_original': bounded(method) }
}

function bounded(text: string): string {
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT)}...`
}
