import { UpstreamError, type UpstreamErrorCode } from '#client'
import { AccessManagerError } from '#contracts'
import {
  Body,
  type Exchange,
  type Handler,
  Headers,
  InternalCallTimeoutError,
  internalCall,
  internalExchange,
  Request,
  type Uri,
} from '#http'
import { isPlainObject, type JsonObject, type JsonValue, parseJson } from '#json'

/** A question to the access manager. */
interface RestCall {
  readonly method: 'GET' | 'POST'
  readonly uri: Uri
  /** `Accept-API-Version: protocol=1.0,resource=<this>`; protocol 2 is refused by servers of the OpenAM 13 era. */
  readonly resource: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: JsonObject
  /** The exchange whose transaction the call belongs to. */
  readonly onBehalfOf?: Exchange
}

/** What it answered: never more than an answer of its REST API holds. */
export interface RestAnswer {
  readonly status: number
  readonly headers: Headers
  /** Null where the answer is no JSON object. */
  readonly json: JsonObject | null
  /** Null where the answer is no JSON list. */
  readonly list: readonly JsonValue[] | null
}

/** The only name under which access managers read transaction ids; the handler adds the one of the gateway. */
export const TRANSACTION_HEADER = 'X-ForgeRock-TransactionId'
const MAX_ANSWER_BYTES = 262_144
const MAX_DEPTH = 32

/**
 * Asks the access manager and reads the whole answer, whatever its status; a redirect is an answer as any other
 * (threats B65). Rejects with an AccessManagerError on a timeout or an oversized body.
 */
export async function callRest(handler: Handler, call: RestCall, deadline: number): Promise<RestAnswer> {
  const exchange = internalExchange(requestOf(call), call.onBehalfOf ?? null)
  exchange.request.headers.set(TRANSACTION_HEADER, exchange.transactionId.value)
  try {
    const { status, headers, cause, body } = await internalCall(handler, exchange, {
      timeout: deadline,
      maxBytes: MAX_ANSWER_BYTES,
      wantsBody: (response) => !isLocalFailure(response.cause),
    })
    if (cause instanceof AccessManagerError) throw new AccessManagerError('unavailable', cause.message, { cause })
    if (isLocalFailure(cause)) throw cause
    const value = valueIn(body)
    const json = isPlainObject(value) ? (value as JsonObject) : null
    return { status, headers, json, list: Array.isArray(value) ? value : null }
  } catch (error) {
    throw error instanceof AccessManagerError ? error : unavailable(error, deadline)
  }
}

/** Whether a handler responds in place of the access manager. */
function isLocalFailure(cause: Error | null): cause is Error {
  return cause instanceof AccessManagerError || cause instanceof UpstreamError
}

/** What the failures of a client mean where the server is the access manager. */
const FAILURES: Readonly<Partial<Record<UpstreamErrorCode, string>>> = {
  GW_UPSTREAM_CONNECT: 'the access manager can not be reached; check that it runs, and url of the AmService',
  GW_UPSTREAM_CLOSED: 'the access manager gave no answer: it closed the connection; check its log',
  GW_UPSTREAM_PROTOCOL: 'the access manager gave no HTTP response; check url of the AmService',
  GW_UPSTREAM_TIMEOUT: 'the access manager gave no answer within soTimeout of amHandler',
  GW_UPSTREAM_POOL_FULL: 'no connection to the access manager was free in time; raise connections of amHandler',
  GW_UPSTREAM_LOOP: 'url of the AmService leads to a connector of this gateway',
}

function unavailable(cause: unknown, deadline: number): AccessManagerError {
  if (cause instanceof InternalCallTimeoutError) {
    const message = `the access manager gave no answer within ${deadline} ms; check it, or raise callTimeout`
    return new AccessManagerError('unavailable', message)
  }
  const message = (cause instanceof UpstreamError && FAILURES[cause.code]) || 'the access manager gave no answer'
  const detail = cause instanceof UpstreamError ? cause.cause : cause
  return new AccessManagerError('unavailable', message, { cause: detail })
}

function requestOf({ method, uri, resource, headers = {}, body }: RestCall): Request {
  const fields = new Headers([
    ['Accept', 'application/json'],
    ['Accept-API-Version', `protocol=1.0,resource=${resource}`],
  ])
  for (const [name, value] of Object.entries(headers)) fields.set(name, value)
  if (body === undefined) return new Request({ method, uri, headers: fields })
  const content = Body.of(JSON.stringify(body))
  fields.set('Content-Type', 'application/json')
  fields.set('Content-Length', String(content.length))
  return new Request({ method, uri, headers: fields, body: content })
}

function valueIn(bytes: Uint8Array): JsonValue {
  try {
    return parseJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes), { depth: MAX_DEPTH })
  } catch {
    return null
  }
}
