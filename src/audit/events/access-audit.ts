import {
  type AccessAuditor,
  ActiveList,
  type Exchange,
  type RefusedRequest,
  RequestAudit,
  type RequestOutcome,
  type Response,
} from '#http'
import type { JsonObject } from '#json'
import type { Logger } from '#logging'
import type { Clock } from '#schema'
import type { EventIds } from '../event.ts'
import { EVENTS } from '../log-events.ts'
import { type AccessEventData, type AccessNames, accessEvent } from './access-event.ts'
import type { AccessFields } from './access-fields.ts'

/** Settings and services of access audit. */
interface AccessAuditInput {
  readonly fields: AccessFields
  readonly names: AccessNames
  /** Milliseconds after which a request in flight leaves a first event. */
  readonly longRunningAfter: number
  readonly clock: Clock
  readonly ids: EventIds
  /** User of a request, by its contexts or by an expression. */
  userIdOf(exchange: Exchange, response: Response | null): string | null | Promise<string | null>
  publish(event: JsonObject): void
  readonly logger: Logger
}

const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}/
const NO_TRACE = '0'.repeat(32)

/** Publishes an access event for each request of a listener or route, when the response has been sent. */
export class AccessAudit implements AccessAuditor {
  readonly input: AccessAuditInput
  readonly active = new ActiveList<AccessRecord>()

  constructor(input: AccessAuditInput) {
    this.input = input
  }

  begin(exchange: Exchange): void {
    const outer = exchange.audit
    const record = new AccessRecord(this, exchange, outer instanceof AccessRecord ? outer.startedAt : null)
    outer?.discard()
    exchange.audit = record
    this.active.add(record)
  }

  refused({ secure, client, server, status, reason }: RefusedRequest): void {
    const { ids, names, clock, publish } = this.input
    const id = ids.next()
    const data: AccessEventData = {
      id,
      startedAt: clock.now(),
      transactionId: id,
      traceId: null,
      userId: null,
      server,
      client,
      request: { secure },
      responseHeaders: null,
      response: { isSuccessful: false, statusCode: status, elapsedTime: 0, reason: null },
      exchangeId: null,
      routeId: null,
      routeName: null,
      decision: { result: 'DENIED', by: 'listener', reason },
      extension: null,
    }
    publish(accessEvent(data, names))
  }

  /** Publishes a first event for each request that has been in flight for `longRunningAfter`; called periodically. */
  reportLongRunning(): void {
    const before = this.input.clock.now() - this.input.longRunningAfter
    for (const record of this.active.all()) record.reportLongRunning(before)
  }
}

/** One request in flight. */
class AccessRecord extends RequestAudit {
  readonly startedAt: number
  readonly #audit: AccessAudit
  readonly #exchange: Exchange
  /** As it arrived: filters change the request. */
  readonly #request: JsonObject
  readonly #traceId: string | null
  #isReported = false

  constructor(audit: AccessAudit, exchange: Exchange, startedAt: number | null) {
    super(exchange)
    this.#audit = audit
    this.#exchange = exchange
    const { fields, clock } = audit.input
    const { request, originalUri, client } = exchange
    this.startedAt = startedAt ?? clock.now()
    this.#request = {
      secure: client.secure,
      method: request.method,
      path: `${originalUri.scheme}://${originalUri.authority}${originalUri.rawPath}`,
    }
    if (fields.hasQuery) this.#request['queryParameters'] = fields.query(originalUri.rawQuery)
    this.#request['headers'] = fields.requestHeaders(request.headers)
    if (fields.hasCookies) this.#request['cookies'] = fields.cookies(request.headers)
    this.#traceId = traceId(request.headers.get('traceparent'))
  }

  override end({ response, end }: RequestOutcome): void {
    const { input, active } = this.#audit
    active.delete(this)
    const elapsedTime = Math.max(0, Math.round(input.clock.now() - this.startedAt))
    const statusCode = response?.status ?? null
    const isSuccessful = end === 'sent' && statusCode !== null && statusCode < 400
    const reason = end === 'sent' ? null : end === 'aborted' ? 'the client closed the connection' : 'truncated'
    const publish = (userId: string | null): void => {
      const responseHeaders = response === null ? null : input.fields.responseHeaders(response.headers)
      this.#publish(userId, { isSuccessful, statusCode, elapsedTime, reason }, responseHeaders)
    }
    const userId = this.userId ?? this.#userId(response)
    if (userId instanceof Promise) void userId.then(publish)
    else publish(userId)
  }

  override discard(): void {
    this.#audit.active.delete(this)
  }

  reportLongRunning(before: number): void {
    if (this.#isReported || this.startedAt > before) return
    this.#isReported = true
    const userId = this.userId ?? this.#userId(null)
    const publish = (id: string | null): void => this.#publish(id, null, null)
    if (userId instanceof Promise) void userId.then(publish)
    else publish(userId)
  }

  /** Never rejects: an event without user is better than none. */
  #userId(response: Response | null): string | null | Promise<string | null> {
    const { input } = this.#audit
    const failed = (error: unknown): null => {
      input.logger.limited(error).warn({ error }, EVENTS.USER_UNKNOWN)
      return null
    }
    try {
      const userId = input.userIdOf(this.latest as Exchange, response)
      return userId instanceof Promise ? userId.catch(failed) : userId
    } catch (error) {
      return failed(error)
    }
  }

  #publish(
    userId: string | null,
    response: AccessEventData['response'],
    responseHeaders: AccessEventData['responseHeaders'],
  ): void {
    const { ids, names, publish } = this.#audit.input
    const { client, id: exchangeId, transactionId } = this.#exchange
    const data: AccessEventData = {
      id: ids.next(),
      startedAt: this.startedAt,
      transactionId: transactionId.value,
      traceId: this.#traceId,
      userId,
      server: { ip: client.localAddress, port: client.localPort },
      client: { ip: client.remoteAddress, port: client.remotePort },
      request: this.#request,
      responseHeaders,
      response,
      exchangeId,
      routeId: this.routeId,
      routeName: this.routeName,
      decision: this.decision,
      extension: this.extension,
    }
    publish(accessEvent(data, names))
  }
}

/** The trace of a `traceparent` header (W3C Trace Context); null without a valid one. */
function traceId(header: string | null): string | null {
  const id = header === null ? null : (TRACEPARENT.exec(header)?.[1] ?? null)
  return id === NO_TRACE ? null : id
}
