import type { Request } from './request.ts'
import type { AuditPublisher, RequestAudit } from './request-audit.ts'
import { type SerialId, SerialIds } from './serial-id.ts'
import { type Session, transientSession } from './session.ts'
import type { Span } from './span.ts'
import { TransactionId } from './transaction-id.ts'
import type { UpstreamTime } from './upstream-time.ts'

/** Sends informational (1xx) responses to the client, before the final one (RFC 9110 section 15.2). */
export interface InformationalSender {
  /** The fields as a flat list. */
  sendInformational(status: number, fields: readonly string[]): void
}

/** Names of cookies: a list, or a rule. */
export interface CookieNames {
  includes(name: string): boolean
}

/** Cookies of one session manager or filter. */
interface ReservedCookies {
  readonly names: CookieNames
  readonly others: ReservedCookies | null
}

/** Of the exchanges of the thread. */
const ids = new SerialIds()

/** State shared by an exchange and its children, created on first use. */
export class ExchangeState {
  /** Milliseconds since the epoch. */
  readonly receivedAt = Date.now()
  readonly #request: Request
  #replacements: Request[] | null = null
  #transactionId: TransactionId | null
  #attributes: Record<string, unknown> | null = null
  #session: Session | null = null
  #id: SerialId | null = null
  #reason: Error | null = null
  #controller: AbortController | null = null
  // Most exchanges have one subscriber, the upstream call: the list is created for a second one.
  #abortCallback: ((reason: Error) => void) | null = null
  #abortCallbacks: Set<(reason: Error) => void> | null = null
  #completeCallbacks: (() => void)[] | null = null
  #completed = false
  #reservedCookies: ReservedCookies | null = null
  /** Whether the response was truncated after its head. */
  isTruncated = false
  /** Null for a request without access event and access line. */
  audit: RequestAudit | null = null
  /** The audit service of the request, for custom events. */
  auditPublisher: AuditPublisher | null = null
  /** Null where no access line names it. */
  upstreamTime: UpstreamTime | null = null
  /** Null where the gateway does not trace. */
  span: Span | null = null
  /** Null for a client that accepts no informational responses. */
  informationalSender: InformationalSender | null = null

  constructor(request: Request, transactionId: TransactionId | null) {
    this.#request = request
    this.#transactionId = transactionId
  }

  get attributes(): Record<string, unknown> {
    this.#attributes ??= Object.create(null) as Record<string, unknown>
    return this.#attributes
  }

  get session(): Session {
    this.#session ??= transientSession()
    return this.#session
  }

  /** Null where no session was used. */
  get existingSession(): Session | null {
    return this.#session
  }

  get transactionId(): TransactionId {
    this.#transactionId ??= new TransactionId()
    return this.#transactionId
  }

  get id(): SerialId {
    this.#id ??= ids.next()
    return this.#id
  }

  get aborted(): boolean {
    return this.#reason !== null
  }

  get signal(): AbortSignal {
    if (this.#controller === null) {
      this.#controller = new AbortController()
      if (this.#reason !== null) this.#controller.abort(this.#reason)
    }
    return this.#controller.signal
  }

  reserveCookies(names: CookieNames): void {
    this.#reservedCookies = { names, others: this.#reservedCookies }
  }

  isReservedCookie(name: string): boolean {
    for (let each = this.#reservedCookies; each !== null; each = each.others) if (each.names.includes(name)) return true
    return false
  }

  /** The body of another request is cancelled when this exchange completes. */
  own(request: Request): void {
    if (request.body === this.#request.body) return
    this.#replacements ??= []
    this.#replacements.push(request)
  }

  onAbort(callback: (reason: Error) => void): () => void {
    if (this.#reason !== null) callback(this.#reason)
    if (this.#reason !== null || this.#completed) return NO_OP
    // The list keeps the order while it has entries.
    if (this.#abortCallback !== null || this.#abortCallbacks !== null) return this.#addAbortCallback(callback)
    this.#abortCallback = callback
    let subscribed = true
    return () => {
      if (subscribed) this.#abortCallback = null
      subscribed = false
    }
  }

  onComplete(callback: () => void): void {
    if (this.#completed) {
      callback()
      return
    }
    this.#completeCallbacks ??= []
    this.#completeCallbacks.push(callback)
  }

  abort(reason: Error): void {
    if (this.#reason !== null || this.#completed) return
    this.#reason = reason
    const callbacks = [this.#abortCallback ?? NO_OP, ...(this.#abortCallbacks ?? [])]
    this.#clearAbortCallbacks()
    this.#controller?.abort(reason)
    runAll(callbacks.map((callback) => () => callback(reason)))
  }

  complete(): void {
    if (this.#completed) return
    this.#completed = true
    // A reference to this object must not keep the connection of the client alive.
    this.informationalSender = null
    this.#clearAbortCallbacks()
    const callbacks = this.#completeCallbacks
    this.#completeCallbacks = null
    this.#request.body.cancel()
    if (this.#replacements !== null) for (const request of this.#replacements) request.body.cancel()
    if (callbacks !== null) runAll(callbacks)
  }

  #addAbortCallback(callback: (reason: Error) => void): () => void {
    // Wrapped, so that the same function can be registered twice and removed once.
    const entry = (reason: Error) => callback(reason)
    this.#abortCallbacks ??= new Set()
    this.#abortCallbacks.add(entry)
    return () => {
      this.#abortCallbacks?.delete(entry)
    }
  }

  #clearAbortCallbacks(): void {
    this.#abortCallback = null
    this.#abortCallbacks = null
  }
}

const NO_OP = (): void => undefined

/** Runs every callback even if one throws; the first error is thrown at the end. */
function runAll(callbacks: readonly (() => void)[]): void {
  const errors: unknown[] = []
  for (const callback of callbacks) {
    try {
      callback()
    } catch (error) {
      errors.push(error)
    }
  }
  if (errors.length > 0) throw errors[0]
}
