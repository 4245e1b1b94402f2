import type { FormattedRecord } from '#durable-queue'
import {
  type AccessAuditor,
  ActiveList,
  type EventStorage,
  type Exchange,
  type RefusedRequest,
  RequestAudit,
  type RequestLine,
  type RequestOutcome,
  type Response,
  refusedPath,
  type SerialId,
  type SerialIds,
  type Uri,
} from '#http'
import type { Logger } from '#logging'
import type { Clock, RecordedEvent } from '#schema'
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
  eventOf(data: AccessEventData, now: number): FormattedRecord
  /** Null where no handler keeps events beyond the process. */
  readonly begin: ((data: AccessEventData, now: number) => RecordedEvent | null) | null
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
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** One request in flight, and its event: it is written at once, so that nothing of the request is copied. */
class AccessRecord extends RequestAudit implements AccessEventData, AccessRequest, AccessResponse {
  readonly startedAt: number
  readonly method: string
  readonly origin: string
  readonly rawPath: string
  readonly rawQuery: string | null
  readonly headers: readonly string[]
  isSuccessful = false
  statusCode: number | null = null
  elapsedTime = 0
  reason: string | null = null
  /** Null until the event is written. */
  #id: SerialId | null = null
  responseHeaders: readonly string[] | null = null
  readonly #audit: AccessAudit
  readonly #exchange: Exchange
  #hasOutcome = false
  #isReported = false
  #recorded: RecordedResponse | null = null

  /** `outer` is the record of the service around, which has seen the request before any filter. */
  constructor(audit: AccessAudit, exchange: Exchange, outer: AccessRecord | null) {
    super(exchange)
    this.#audit = audit
    this.#exchange = exchange
    const { needs, clock } = audit.input
    const { request, originalUri } = exchange
    this.startedAt = outer?.startedAt ?? clock.now()
    this.method = outer?.method ?? request.method
    this.origin = audit.originOf(originalUri)
    // RFC 9112 section 3.3: the path of the asterisk-form is empty.
    this.rawPath = originalUri.rawPath === '*' ? '' : originalUri.rawPath
    this.rawQuery = needs.hasQuery ? originalUri.rawQuery : null
    this.headers = outer?.headers ?? request.headers.snapshot()
  }

  // The record itself: saves two objects for each request. It changes with the request: an event is written before its next change, or with it.
  get request(): AccessRequest {
    return this
  }

  get response(): AccessResponse | null {
    return this.#hasOutcome ? this : null
  }

  get id(): SerialId {
    this.#id ??= this.#audit.input.ids.next()
    return this.#id
  }

  get transactionId(): string {
    return this.#exchange.transactionId.value
  }

  get client(): AccessEventData['client'] {
    return this.#exchange.client
  }

  get exchangeId(): SerialId {
    return this.#exchange.id
  }

  override get isRecorded(): boolean {
    return this.#audit.input.begin !== null
  }

  override record(response: Response): EventStorage | null {
    const { begin, clock, logger } = this.#audit.input
    const userId = this.userId ?? this.#userId(response)
    // An expression that waits for something must not delay the response: its event is published at the end.
    if (begin === null || userId instanceof Promise) return null
    // Another response may replace one that can not be sent.
    this.#recorded?.event.rollback()
    try {
      const now = clock.now()
      this.#setOutcome({ response, end: 'sent' }, userId, now)
      const event = begin(this, now)
      this.#recorded = event && { event, response, at: now }
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
      this.#endRecorded(recorded, outcome, now)
      return
    }
    recorded?.event.rollback()
    const userId = this.userId ?? this.#userId(outcome.response)
    if (userId instanceof Promise) void userId.then((id) => this.#publish(outcome, id, now))
    else this.#publish(outcome, userId, now)
  }

  #endRecorded({ event, at }: RecordedResponse, outcome: RequestOutcome, now: number): void {
    if (now - at < MAX_DIFFERENCE) {
      event.commit()
      return
    }
    this.#setResponse(outcome, now)
    event.amend(this.#audit.input.eventOf(this, now))
  }

  #publish(outcome: RequestOutcome, userId: string | null, now: number): void {
    this.#setOutcome(outcome, userId, now)
    this.#audit.input.publish(this, now)
  }

  /** What the event says from now on. */
  #setOutcome(outcome: RequestOutcome, userId: string | null, now: number): void {
    this.userId = boundedUser(userId)
    this.#setResponse(outcome, now)
    this.responseHeaders = this.#headersOf(outcome.response)
  }

  #setResponse({ response, end }: RequestOutcome, now: number): void {
    const statusCode = response?.status ?? null
    this.#hasOutcome = true
    this.isSuccessful = end === 'sent' && statusCode !== null && statusCode < 400
    this.statusCode = statusCode
    this.elapsedTime = Math.max(0, Math.round(now - this.startedAt))
    this.reason = end === 'sent' ? null : end === 'aborted' ? 'the client closed the connection' : 'truncated'
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
    const { input } = this.#audit
    const now = input.clock.now()
    const userId = this.userId ?? this.#userId(null)
    if (userId instanceof Promise) void userId.then((id) => input.publish(this.#unended(id), now))
    else input.publish(this.#unended(userId), now)
  }

  /** The first event of a long request is another one than that of its end. */
  #unended(userId: string | null): AccessEventData {
    const { startedAt, transactionId, trackingIds, client, request, exchangeId } = this
    const { routeId, routeName, decision, operation, extension } = this
    return {
      id: this.#audit.input.ids.next(),
      startedAt,
      transactionId,
      userId: boundedUser(userId),
      trackingIds,
      client,
      request,
      responseHeaders: null,
      response: null,
      exchangeId,
      routeId,
      routeName,
      decision,
      operation,
      extension,
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
}

function boundedUser(userId: string | null): string | null {
  return userId !== null && userId.length > MAX_USER ? userId.slice(0, MAX_USER) : userId
}
