import { UpstreamError, type UpstreamErrorCode } from '#client'
import { AccessManagerError } from '#contracts'
import { Body, type Exchange, type Handler, Headers, ownExchange, Request, type Response, type Uri } from '#http'
import { isPlainObject, type JsonObject, type JsonValue, parseJson } from '#json'

/** A question to the access manager. */
export interface RestCall {
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
 * (threats B65). Rejects with an AccessManagerError where there is none in time, or a larger one than there can be.
 */
export async function callRest(handler: Handler, call: RestCall, deadline: number): Promise<RestAnswer> {
  const exchange = ownExchange(requestOf(call), call.onBehalfOf ?? null)
  exchange.request.headers.set(TRANSACTION_HEADER, exchange.transactionId.value)
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    const message = `the access manager gave no answer within ${deadline} ms; check it, or raise callTimeout`
    const error = new AccessManagerError('unavailable', message)
    exchange.abort(error)
    reject(error)
  }, deadline)
  try {
    const answer = handler(exchange).then(answerOf)
    // Whoever lost the race has nobody left to tell.
    answer.catch(() => {})
    return await Promise.race([answer, late])
  } catch (error) {
    throw error instanceof AccessManagerError ? error : noAnswer(error)
  } finally {
    clearTimeout(timer)
    exchange.complete()
  }
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

function noAnswer(cause: unknown): AccessManagerError {
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

async function answerOf({ status, headers, body, cause }: Response): Promise<RestAnswer> {
  // Set by handlers that respond in place of the server.
  if (cause instanceof AccessManagerError || cause instanceof UpstreamError) {
    body.cancel()
    throw cause instanceof UpstreamError ? cause : new AccessManagerError('unavailable', cause.message, { cause })
  }
  const bytes = await body.read(MAX_ANSWER_BYTES)
  const value = valueIn(bytes)
  const json = isPlainObject(value) ? (value as JsonObject) : null
  return { status, headers, json, list: Array.isArray(value) ? value : null }
}

function valueIn(bytes: Uint8Array): JsonValue {
  try {
    return parseJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes), { depth: MAX_DEPTH })
  } catch {
    return null
  }
}
