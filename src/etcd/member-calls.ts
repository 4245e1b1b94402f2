import { acquireClient, type Client } from '#client'
import { Body, type Exchange, Headers, internalCall, internalExchange, Request, type Response, Uri } from '#http'
import type { JsonObject, JsonValue } from '#json'
import { EtcdError } from './etcd-error.ts'
import { closedError, failureOf, MAX_RESPONSE_BYTES, MemberRefusal, refusedBy, type Secrets } from './member-failure.ts'
import { refusalIn } from './refusal.ts'
import type { EtcdSettings } from './settings.ts'
import { jsonObjectIn } from './watch-frames.ts'

/** Of a response that is an error. */
const MAX_REFUSAL_BYTES = 65_536

const CALL_TIMEOUT = 5_000
const CONNECT_TIMEOUT = 2_000
const CONNECTIONS = 8
/** All clients of one thread with equal settings share connections. */
const MAX_WATCHES = 1_000
const MAX_WAITING = 1_000
/** Idle connections are closed before firewalls forget them: a write over a dead connection has an unknown outcome. */
const IDLE_TIME = 30_000

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
    // A request in flight was sent.
    if (this.#closed && !(error instanceof EtcdError)) return closedError(true)
    return failureOf(error, origin, this.callTimeout)
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
