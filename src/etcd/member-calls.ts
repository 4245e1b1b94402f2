import { acquireClient, type Client, UpstreamError, type UpstreamErrorCode } from '#client'
import {
  Body,
  BodyTooLargeError,
  type Exchange,
  Headers,
  InternalCallTimeoutError,
  internalCall,
  internalExchange,
  Request,
  type Response,
  Uri,
} from '#http'
import type { JsonObject, JsonValue } from '#json'
import { oneLine } from '#logging'
import { EtcdError } from './etcd-error.ts'
import { MalformedResponse } from './malformed-response.ts'
import { type Refusal, refusalIn } from './refusal.ts'
import type { EtcdSettings } from './settings.ts'
import { jsonObjectIn } from './watch-frames.ts'

/** Of a response, and of one object of a stream. Values are base64 in it, so that 6 MiB of them fit. */
export const MAX_RESPONSE_BYTES = 8_388_608
/** Of a response that is an error. */
const MAX_REFUSAL_BYTES = 65_536
/** Longest quotation of the peer in a message. */
const MAX_QUOTED = 200

const CALL_TIMEOUT = 5_000
const CONNECT_TIMEOUT = 2_000
const CONNECTIONS = 8
/** All clients of one thread with equal settings share connections. */
const MAX_WATCHES = 1_000
const MAX_WAITING = 1_000
/** Idle connections are closed before firewalls forget them: a write over a dead connection has an unknown outcome. */
const IDLE_TIME = 30_000

/** Failures before the first byte of the request was sent. */
const NOT_SENT: ReadonlySet<UpstreamErrorCode> = new Set([
  'GW_UPSTREAM_CONNECT',
  'GW_UPSTREAM_POOL_FULL',
  'GW_UPSTREAM_REQUEST',
  'GW_UPSTREAM_PROXY',
])

/** A refusal by a member, with what a caller inside of this folder decides by. */
export class MemberRefusal extends EtcdError {
  readonly renewsToken: boolean

  constructor(origin: string, { kind, message, uncertain, renewsToken }: Refusal, secrets: Secrets) {
    super(kind, `etcd ${origin}: ${quoted(message, secrets)}`, { endpoint: origin, uncertain })
    this.renewsToken = renewsToken
  }
}

/** Texts that a peer may know, but must not bring into a message. */
type Secrets = readonly (string | null)[]

/** A request to the JSON gateway of a member. */
interface MemberRequest {
  /** Below `/v3/`. */
  readonly path: string
  readonly message: JsonValue
  readonly token?: string | null
  /** A member without a leader refuses the request at once, instead of after a time-out. */
  readonly needsLeader?: boolean
  /** Other secrets than the token that must not be quoted. */
  readonly secrets?: Secrets
}

/** The response to a stream request, to be read by the caller, who completes or aborts the exchange. */
interface OpenStream {
  readonly exchange: Exchange
  readonly response: Response
}

/** Requests to single members, without failover. They reject with an EtcdError only. */
export class MemberCalls implements AsyncDisposable {
  readonly callTimeout: number
  readonly #calls: Client
  /** Streams have their own connections, and no limit of time between bytes. */
  readonly #streams: Client
  readonly #active = new Set<Exchange>()
  #closed = false

  constructor({ tls, callTimeout = CALL_TIMEOUT, connectTimeout = CONNECT_TIMEOUT }: EtcdSettings) {
    this.callTimeout = callTimeout
    const shared = {
      connectionTimeout: connectTimeout,
      disableReuseConnection: false,
      connectionTimeToLive: Number.POSITIVE_INFINITY,
      maxWaitQueueSize: MAX_WAITING,
      idleTime: IDLE_TIME,
      tls,
    }
    this.#calls = acquireClient({ ...shared, connections: CONNECTIONS, soTimeout: callTimeout })
    this.#streams = acquireClient({ ...shared, connections: MAX_WATCHES, soTimeout: Number.POSITIVE_INFINITY })
  }

  /** The response of a member, complete and within the time. */
  async call<T>(origin: string, request: MemberRequest, decode: (response: JsonObject) => T): Promise<T> {
    const exchange = this.#open(origin, request)
    try {
      const { status, body } = await internalCall((sent) => this.#calls.send(sent, sent.request), exchange, {
        timeout: this.callTimeout,
        maxBytes: MAX_RESPONSE_BYTES,
      })
      if (status !== 200) throw refusedBy(origin, status, body, secretsOf(request))
      const response = jsonObjectIn(body)
      const refusal = refusalIn(response)
      if (refusal !== null) throw new MemberRefusal(origin, refusal, secretsOf(request))
      return decode(response)
    } catch (error) {
      throw this.failureOf(error, origin)
    } finally {
      this.#active.delete(exchange)
    }
  }

  /** Resolves with the head of the response, whose body the member continues; the caller limits the time. */
  async stream(origin: string, request: MemberRequest, onOpen: (exchange: Exchange) => void): Promise<OpenStream> {
    const exchange = this.#open(origin, request)
    onOpen(exchange)
    try {
      const response = await this.#streams.send(exchange, exchange.request)
      if (response.status === 200) return { exchange, response }
      throw refusedBy(origin, response.status, await response.body.read(MAX_REFUSAL_BYTES), secretsOf(request))
    } catch (error) {
      this.ended(exchange)
      throw this.failureOf(error, origin)
    }
  }

  /** The stream of this exchange has ended, or is not needed any more. */
  ended(exchange: Exchange): void {
    this.#active.delete(exchange)
    exchange.abort(new Error('etcd: the stream is not read any more'))
    exchange.complete()
  }

  /** The error of a failed request; others than those of a peer are returned as they are. */
  failureOf(error: unknown, origin: string): unknown {
    if (error instanceof EtcdError) return error
    if (this.#closed) return closedError()
    if (error instanceof UpstreamError) {
      const reason =
        error.cause instanceof Error ? `${error.message} (${quoted(error.cause.message, [])})` : error.message
      return new EtcdError('unavailable', `etcd ${origin}: ${reason}`, {
        endpoint: origin,
        uncertain: !NOT_SENT.has(error.code),
        cause: error,
      })
    }
    const maybe = { endpoint: origin, uncertain: true, cause: error }
    if (error instanceof InternalCallTimeoutError)
      return new EtcdError(
        'unavailable',
        `etcd ${origin}: expected a response within ${this.callTimeout} ms, got none; check the member and the network`,
        maybe,
      )
    if (error instanceof BodyTooLargeError)
      return new EtcdError(
        'too-large',
        `etcd ${origin}: expected at most ${MAX_RESPONSE_BYTES} bytes, got more; ask for fewer keys`,
        maybe,
      )
    if (error instanceof MalformedResponse)
      return new EtcdError(
        'unavailable',
        `etcd ${origin}: ${error.message}; check that the endpoint is the client URL of etcd 3.4 or newer`,
        maybe,
      )
    return error
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    for (const exchange of [...this.#active]) exchange.abort(closedError())
    this.#active.clear()
    await Promise.all([this.#calls.release(), this.#streams.release()])
  }

  #open(origin: string, { path, message, token, needsLeader = true }: MemberRequest): Exchange {
    if (this.#closed) throw closedError()
    const body = Body.of(JSON.stringify(message))
    const headers = new Headers([
      ['Content-Type', 'application/json'],
      ['Content-Length', String(body.length)],
    ])
    if (typeof token === 'string') headers.set('Authorization', token)
    // gRPC metadata of the JSON gateway: fields with this prefix are passed on without it.
    if (needsLeader) headers.set('Grpc-Metadata-hasleader', 'true')
    const exchange = internalExchange(
      new Request({ method: 'POST', uri: Uri.parse(`${origin}/v3/${path}`), headers, body }),
    )
    this.#active.add(exchange)
    return exchange
  }
}

function secretsOf({ token, secrets = [] }: MemberRequest): Secrets {
  return [token ?? null, ...secrets]
}

/** The error of a response with another status than 200. */
function refusedBy(origin: string, status: number, body: Uint8Array, secrets: Secrets): EtcdError {
  let refusal: Refusal | null = null
  try {
    refusal = refusalIn(jsonObjectIn(body))
  } catch (error) {
    if (!(error instanceof MalformedResponse)) throw error
  }
  if (refusal !== null) return new MemberRefusal(origin, refusal, secrets)
  return new EtcdError(
    'unavailable',
    `etcd ${origin}: expected a response of etcd's JSON gateway, got status ${status}; check the endpoint, and that etcd is 3.4 or newer with --enable-grpc-gateway`,
    // A proxy may answer 5xx after it has forwarded the request; 3xx and 4xx are those of a server that did not take it.
    { endpoint: origin, uncertain: status < 300 || status >= 500 },
  )
}

function closedError(): EtcdError {
  return new EtcdError('unavailable', 'etcd: the client is closed')
}

function quoted(text: string, secrets: Secrets): string {
  let masked = text
  for (const secret of secrets) if (secret !== null && secret !== '') masked = masked.replaceAll(secret, '***')
  return oneLine(masked.slice(0, MAX_QUOTED))
}
