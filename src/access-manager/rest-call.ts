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

/** How long one call may take; whoever waits for it is a request of a user. */
const DEADLINE = 5_000
const MAX_ANSWER_BYTES = 262_144
const MAX_DEPTH = 32

/**
 * Asks the access manager and reads the whole answer, whatever its status; a redirect is an answer as any other
 * (threats B65). Rejects with an AccessManagerError where there is none in time, or a larger one than there can be.
 */
export async function callRest(handler: Handler, call: RestCall, deadline = DEADLINE): Promise<RestAnswer> {
  const exchange = ownExchange(requestOf(call), call.onBehalfOf ?? null)
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    const error = new Error(`there was no answer within ${deadline} ms`)
    exchange.abort(error)
    reject(error)
  }, deadline)
  try {
    const answer = handler(exchange).then(answerOf)
    // Whoever lost the race has nobody left to tell.
    answer.catch(() => {})
    return await Promise.race([answer, late])
  } catch (cause) {
    throw new AccessManagerError('unavailable', 'the access manager gave no answer', { cause })
  } finally {
    clearTimeout(timer)
    exchange.complete()
  }
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

async function answerOf({ status, headers, body }: Response): Promise<RestAnswer> {
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
