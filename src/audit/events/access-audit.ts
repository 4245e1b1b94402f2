import {
  type AccessAuditor,
  ActiveList,
  type Exchange,
  type RefusedRequest,
  RequestAudit,
  type RequestLine,
  type RequestOutcome,
  type Response,
  refusedPath,
  type SerialIds,
  type Uri,
} from '#http'
import type { Logger } from '#logging'
import type { Clock, FormattedEvent, RecordedEvent } from '#schema'
import { EVENTS } from '../log-events.ts'
import type { AccessEventData, AccessRequest, AccessResponse } from './access-event.ts'

/** Settings and services of access audit. */
interface AccessAuditInput {
  readonly needs: { readonly hasQuery: boolean; readonly hasResponseHeaders: boolean }
  /** Milliseconds after which a request in flight leaves a first event. */
  readonly longRunningAfter: number
  readonly clock: Clock
  readonly ids: SerialIds
  /** User of a request, by its contexts or by an expression. */
  userIdOf(exchange: Exchange, response: Response | null): string | null | Promise<string | null>
  publish(data: AccessEventData, now: number): void
  eventOf(data: AccessEventData, now: number): FormattedEvent
  /** Null where no handler keeps events beyond the process. */
  readonly record: ((data: AccessEventData, now: number) => RecordedEvent | null) | null
  readonly logger: Logger
}

/** Publishes an access event for each request of a listener or route, when the response has been sent. */
export class AccessAudit implements AccessAuditor {
  readonly input: AccessAuditInput
  readonly active = new ActiveList<AccessRecord>()
  /** Scheme and authority of a URI. */
  readonly originOf = lastOrigin()

  constructor(input: AccessAuditInput) {
    this.input = input
  }

  begin(exchange: Exchange): void {
    const outer = exchange.audit
    const record = new AccessRecord(this, exchange, outer instanceof AccessRecord ? outer : null)
    record.takeOver(outer)
    exchange.audit = record
    this.active.add(record)
  }

  refused({ transactionId, secure, client, server, status, isSent, reason, line }: RefusedRequest): void {
    const { ids, clock, publish } = this.input
    const now = clock.now()
    const data: AccessEventData = {
      id: ids.next(),
      startedAt: now,
      transactionId,
      userId: null,
      trackingIds: null,
      client: {
        remoteAddress: client.ip,
        remotePort: client.port,
        localAddress: server.ip,
        localPort: server.port,
        secure,
      },
      request: line === null || line.method === '' ? null : refusedRequest(line),
      responseHeaders: null,
      response: { isSuccessful: false, statusCode: isSent ? status : null, elapsedTime: 0, reason: null },
      exchangeId: null,
      routeId: null,
      routeName: null,
      decision: { result: 'DENIED', by: 'listener', reason },
      operation: null,
      extension: null,
    }
    publish(data, now)
  }

  /** Publishes a first event for each request that has been in flight for `longRunningAfter`; called periodically. */
  reportLongRunning(): void {
    const before = this.input.clock.now() - this.input.longRunningAfter
    for (const record of this.active.all()) record.reportLongRunning(before)
  }
}

/** Names of methods are short, but clients of HTTP/2 choose any. */
const MAX_METHOD = 64

/** The host and the headers of a refused request were not checked. */
function refusedRequest({ method, target }: RequestLine): AccessRequest {
  return { method: method.slice(0, MAX_METHOD), origin: '', rawPath: refusedPath(target), rawQuery: null, headers: [] }
}

/** Most requests have the origin of the one before. */
function lastOrigin(): (uri: Uri) => string {
  let last = { scheme: '', userInfo: null as string | null, host: '', port: -1 }
  let origin = '://'
  return (uri) => {
    const { scheme, userInfo, host, port } = uri
    const isSame = port === last.port && host === last.host && scheme === last.scheme && userInfo === last.userInfo
    if (isSame) return origin
    last = { scheme, userInfo, host, port }
    origin = `${scheme}://${uri.authority}`
    return origin
  }
}

/** Names of users are short, but scripts and claims choose any. */
const MAX_USER = 1_024

/** Milliseconds by which the elapsed time of a recorded event may be too short; clients that read slowly need longer. */
const MAX_DIFFERENCE = 10

/** The event of a complete response, until it is sent. */
interface RecordedResponse {
  readonly event: RecordedEvent
  readonly response: Response
  readonly data: AccessEventData
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** One request in flight. */
class AccessRecord extends RequestAudit {
  readonly startedAt: number
  readonly #audit: AccessAudit
  readonly #exchange: Exchange
  readonly #request: AccessRequest
  #isReported = false
  #recorded: RecordedResponse | null = null

  /** `outer` is the record of the service around, which has seen the request before any filter. */
  constructor(audit: AccessAudit, exchange: Exchange, outer: AccessRecord | null) {
    super(exchange)
    this.#audit = audit
    this.#exchange = exchange
    const { needs } = audit.input
    const { request, originalUri } = exchange
    const arrived = outer === null ? { method: request.method, headers: request.headers.snapshot() } : outer.#request
    this.startedAt = outer?.startedAt ?? exchange.receivedAt
    this.#request = {
      method: arrived.method,
      origin: audit.originOf(originalUri),
      // RFC 9112 section 3.3: the path of the asterisk-form is empty.
      rawPath: originalUri.rawPath === '*' ? '' : originalUri.rawPath,
      rawQuery: needs.hasQuery ? originalUri.rawQuery : null,
      headers: arrived.headers,
    }
  }

  override get isRecorded(): boolean {
    return this.#audit.input.record !== null
  }

  override record(response: Response): Promise<void> | null {
    const { record, clock, logger } = this.#audit.input
    const userId = this.userId ?? this.#userId(response)
    // An expression that waits for something must not delay the response: its event is published at the end.
    if (record === null || userId instanceof Promise) return null
    // Another response may replace one that can not be sent.
    this.#recorded?.event.withdraw()
    try {
      const now = clock.now()
      const data = this.#data(userId, this.#outcome({ response, end: 'sent' }, now), this.#headersOf(response))
      const event = record(data, now)
      this.#recorded = event && { event, response, data, at: now }
    } catch (error) {
      this.#recorded = null
      logger.limited(error).error({ error }, EVENTS.EVENT_NOT_BUILT)
    }
    return this.#recorded?.event.stored ?? null
  }

  override end(outcome: RequestOutcome): void {
    const { input, active } = this.#audit
    active.delete(this)
    const now = input.clock.now()
    const recorded = this.#recorded
    if (recorded !== null && outcome.end === 'sent' && outcome.response === recorded.response) {
      const { event, data, at } = recorded
      if (now - at < MAX_DIFFERENCE) event.confirm()
      else event.replace(input.eventOf({ ...data, response: this.#outcome(outcome, now) }, now))
      return
    }
    recorded?.event.withdraw()
    this.#publish(outcome.response, this.#outcome(outcome, now), this.#headersOf(outcome.response), now)
  }

  #outcome({ response, end }: RequestOutcome, now: number): AccessResponse {
    const statusCode = response?.status ?? null
    return {
      isSuccessful: end === 'sent' && statusCode !== null && statusCode < 400,
      statusCode,
      elapsedTime: Math.max(0, Math.round(now - this.startedAt)),
      reason: end === 'sent' ? null : end === 'aborted' ? 'the client closed the connection' : 'truncated',
    }
  }

  #headersOf(response: Response | null): readonly string[] | null {
    return response !== null && this.#audit.input.needs.hasResponseHeaders ? response.headers.snapshot() : null
  }

  override discard(): void {
    this.#audit.active.delete(this)
  }

  reportLongRunning(before: number): void {
    if (this.#isReported || this.startedAt > before) return
    this.#isReported = true
    this.#publish(null, null, null, this.#audit.input.clock.now())
  }

  #publish(
    response: Response | null,
    outcome: AccessResponse | null,
    responseHeaders: readonly string[] | null,
    now: number,
  ): void {
    const userId = this.userId ?? this.#userId(response)
    if (userId instanceof Promise) {
      void userId.then((id) => this.#audit.input.publish(this.#data(id, outcome, responseHeaders), now))
    } else {
      this.#audit.input.publish(this.#data(userId, outcome, responseHeaders), now)
    }
  }

  /** Never rejects: an event without user is better than none. */
  #userId(response: Response | null): string | null | Promise<string | null> {
    try {
      const userId = this.#audit.input.userIdOf(this.latest as Exchange, response)
      return userId instanceof Promise ? userId.catch((error) => this.#userUnknown(error)) : userId
    } catch (error) {
      return this.#userUnknown(error)
    }
  }

  #userUnknown(error: unknown): null {
    this.#audit.input.logger.limited(error).warn({ error }, EVENTS.USER_UNKNOWN)
    return null
  }

  /** Without references to the exchange, which would live until the event is formatted. */
  #data(
    userId: string | null,
    response: AccessResponse | null,
    responseHeaders: readonly string[] | null,
  ): AccessEventData {
    const { client, id: exchangeId, transactionId } = this.#exchange
    return {
      // The first event of a long request is another one.
      id: (response === null ? null : this.#recorded?.data.id) ?? this.#audit.input.ids.next(),
      startedAt: this.startedAt,
      transactionId: transactionId.value,
      userId: userId !== null && userId.length > MAX_USER ? userId.slice(0, MAX_USER) : userId,
      trackingIds: this.trackingIds,
      client,
      request: this.#request,
      responseHeaders,
      response,
      exchangeId,
      routeId: this.routeId,
      routeName: this.routeName,
      decision: this.decision,
      operation: this.operation,
      extension: this.extension === null ? null : { ...this.extension },
    }
  }
}
