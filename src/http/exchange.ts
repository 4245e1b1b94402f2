import type { ClientInfo } from './client-info.ts'
import { type ContextKey, type ContextLink, findContext } from './context-link.ts'
import { type CookieNames, ExchangeState, type InformationalSender } from './exchange-state.ts'
import type { Request } from './request.ts'
import type { AuditDecision, AuditPublisher, RequestAudit } from './request-audit.ts'
import type { SerialId } from './serial-id.ts'
import type { Session } from './session.ts'
import type { Span } from './span.ts'
import type { TemporaryStorage } from './temporary-storage.ts'
import { traceIdOf } from './trace-id.ts'
import type { TransactionId } from './transaction-id.ts'
import type { UpstreamTime } from './upstream-time.ts'
import type { Uri } from './uri.ts'

/** Initial values of an exchange. */
export interface ExchangeInit {
  request: Request
  client: ClientInfo
  storage: TemporaryStorage
  transactionId?: TransactionId
  session?: Session
  originalUri?: Uri
}

/** Ids of a request, in log entries about it. */
type RequestIds = {
  readonly transactionId: string
  readonly traceId?: string
}

/** A request in flight, its client, and the contexts that filters add downstream. */
export class Exchange {
  readonly request: Request
  readonly client: ClientInfo
  readonly storage: TemporaryStorage
  readonly originalUri: Uri
  /** Added contexts, the nearest first. */
  readonly contexts: ContextLink | null
  readonly #session: Session | null
  readonly #state: ExchangeState

  /** `parent` is for children only. */
  constructor(
    init: ExchangeInit,
    parent?: { state: ExchangeState; contexts: ContextLink | null; session: Session | null },
  ) {
    this.request = init.request
    this.client = init.client
    this.storage = init.storage
    this.originalUri = init.originalUri ?? init.request.uri.clone()
    this.contexts = parent?.contexts ?? null
    this.#session = parent === undefined ? (init.session ?? null) : parent.session
    this.#state = parent?.state ?? new ExchangeState(init.request, init.transactionId ?? null)
  }

  /** One map for an exchange and its children, without prototype. */
  get attributes(): Record<string, unknown> {
    return this.#state.attributes
  }

  get session(): Session {
    return this.#session ?? this.#state.session
  }

  /** The session where there is one; null where none was used. */
  get existingSession(): Session | null {
    return this.#session ?? this.#state.existingSession
  }

  get transactionId(): TransactionId {
    return this.#state.transactionId
  }

  /** Of the trace that the request belongs to; without tracing that of its `traceparent`. Null without one. */
  get traceId(): string | null {
    return this.#state.span?.traceId ?? traceIdOf(this.request.headers.raw())
  }

  /** Fields of log entries about the request. */
  get ids(): RequestIds {
    const { traceId } = this
    const transactionId = this.transactionId.value
    return traceId === null ? { transactionId } : { transactionId, traceId }
  }

  get id(): SerialId {
    return this.#state.id
  }

  /** Time at which the request was received, in milliseconds since the epoch. */
  get receivedAt(): number {
    return this.#state.receivedAt
  }

  /** A child with a further context, visible downstream only. */
  with<T extends object>(key: ContextKey<T>, value: T): Exchange {
    const child = this.#child(this, { name: key.name, value, parent: this.contexts }, this.#session)
    if (this.#state.audit !== null) this.#state.audit.latest = child
    return child
  }

  withRequest(request: Request): Exchange {
    this.#state.own(request)
    const { client, storage, originalUri } = this
    return this.#child({ request, client, storage, originalUri }, this.contexts, this.#session)
  }

  withSession(session: Session): Exchange {
    const child = this.#child(this, this.contexts, session)
    if (this.#state.audit !== null) this.#state.audit.latest = child
    return child
  }

  withOriginalUri(originalUri: Uri): Exchange {
    const { request, client, storage } = this
    return this.#child({ request, client, storage, originalUri }, this.contexts, this.#session)
  }

  /** The nearest context of that name, or null. */
  context<T extends object>(key: ContextKey<T>): T | null {
    return findContext(this.contexts, key)
  }

  /** Whether the client has disconnected. */
  get aborted(): boolean {
    return this.#state.aborted
  }

  /** Calls back when the client disconnects, at once if it has; returns the unsubscriber. */
  onAbort(callback: (reason: Error) => void): () => void {
    return this.#state.onAbort(callback)
  }

  get signal(): AbortSignal {
    return this.#state.signal
  }

  /** Calls back when the response was sent or the exchange was abandoned. */
  onComplete(callback: () => void): void {
    this.#state.onComplete(callback)
  }

  /** Whether the response was truncated after its head, through no fault of the client. */
  get isTruncated(): boolean {
    return this.#state.isTruncated
  }

  /** For the listener: the response body failed. */
  markTruncated(): void {
    this.#state.isTruncated = true
  }

  /** Audit data of the request; null where it leaves neither an access event nor an access line. */
  get audit(): RequestAudit | null {
    return this.#state.audit
  }

  set audit(audit: RequestAudit | null) {
    this.#state.audit = audit
  }

  /** The current span of the request; null where the gateway does not trace. */
  get span(): Span | null {
    return this.#state.span
  }

  set span(span: Span | null) {
    this.#state.span = span
  }

  /** The audit service of the request, for custom events; null without one. */
  get auditPublisher(): AuditPublisher | null {
    return this.#state.auditPublisher
  }

  set auditPublisher(publisher: AuditPublisher | null) {
    this.#state.auditPublisher = publisher
  }

  /** To which clients add their waits for upstreams; null where no access line names it. */
  get upstreamTime(): UpstreamTime | null {
    return this.#state.upstreamTime
  }

  set upstreamTime(time: UpstreamTime | null) {
    this.#state.upstreamTime = time
  }

  /** Records a decision for the access event and the access log. The last one counts, but a refusal is not replaced by a grant. */
  decided(decision: AuditDecision): void {
    const { audit } = this.#state
    if (audit === null) return
    if (decision.result === 'GRANTED' && audit.decision !== null && audit.decision.result !== 'GRANTED') return
    audit.decision = decision
  }

  /** For session managers and filters: their cookies, which no application may set. */
  reserveCookies(names: CookieNames): void {
    this.#state.reserveCookies(names)
  }

  isReservedCookie(name: string): boolean {
    return this.#state.isReservedCookie(name)
  }

  /** For handlers: forwards an informational response of the server. No filter sees it. */
  sendInformational(status: number, fields: readonly string[]): void {
    this.#state.informationalSender?.sendInformational(status, fields)
  }

  /** For the listener. */
  set informationalSender(sender: InformationalSender) {
    this.#state.informationalSender = sender
  }

  /** For the listener: the client has disconnected. */
  abort(reason: Error): void {
    this.#state.abort(reason)
  }

  /** For the listener: the exchange has ended; frees its resources. */
  complete(): void {
    this.#state.complete()
  }

  #child(init: ExchangeInit, contexts: ContextLink | null, session: Session | null): Exchange {
    return new Exchange(init, { state: this.#state, contexts, session })
  }
}
