import type { ClientInfo } from './client-info.ts'
import { type ContextKey, type ContextLink, findContext } from './context-link.ts'
import { ExchangeLife, type InformationalSender } from './exchange-life.ts'
import type { Request } from './request.ts'
import type { Session } from './session.ts'
import type { TemporaryStorage } from './temporary-storage.ts'
import type { TransactionId } from './transaction-id.ts'
import type { Uri } from './uri.ts'

/** What an exchange starts with. */
export interface ExchangeInit {
  request: Request
  client: ClientInfo
  storage: TemporaryStorage
  transactionId?: TransactionId
  session?: Session
  originalUri?: Uri
}

/** One request on its way: the request, what is known about it, and the contexts filters add downstream. */
export class Exchange {
  readonly request: Request
  readonly client: ClientInfo
  readonly storage: TemporaryStorage
  readonly originalUri: Uri
  /** The contexts added so far, the nearest first. */
  readonly contexts: ContextLink | null
  readonly #session: Session | null
  readonly #life: ExchangeLife

  /** The second argument is for children only. */
  constructor(
    init: ExchangeInit,
    parent?: { life: ExchangeLife; contexts: ContextLink | null; session: Session | null },
  ) {
    this.request = init.request
    this.client = init.client
    this.storage = init.storage
    this.originalUri = init.originalUri ?? init.request.uri.clone()
    this.contexts = parent?.contexts ?? null
    this.#session = parent === undefined ? (init.session ?? null) : parent.session
    this.#life = parent?.life ?? new ExchangeLife(init.request, init.transactionId ?? null)
  }

  /** One map for all of the exchange, without prototype. */
  get attributes(): Record<string, unknown> {
    return this.#life.attributes
  }

  get session(): Session {
    return this.#session ?? this.#life.session
  }

  get transactionId(): TransactionId {
    return this.#life.transactionId
  }

  get id(): string {
    return this.#life.id
  }

  /** A child with one more context, seen downstream only. */
  with<T extends object>(key: ContextKey<T>, value: T): Exchange {
    return this.#child(this, { name: key.name, value, parent: this.contexts }, this.#session)
  }

  withRequest(request: Request): Exchange {
    this.#life.own(request)
    const { client, storage, originalUri } = this
    return this.#child({ request, client, storage, originalUri }, this.contexts, this.#session)
  }

  withSession(session: Session): Exchange {
    return this.#child(this, this.contexts, session)
  }

  withOriginalUri(originalUri: Uri): Exchange {
    const { request, client, storage } = this
    return this.#child({ request, client, storage, originalUri }, this.contexts, this.#session)
  }

  /** The nearest context of that name, or null. */
  context<T extends object>(key: ContextKey<T>): T | null {
    return findContext(this.contexts, key)
  }

  /** Whether the client has gone away. */
  get aborted(): boolean {
    return this.#life.aborted
  }

  /** Calls back when the client goes away, at once if it has; returns the unsubscriber. */
  onAbort(callback: (reason: Error) => void): () => void {
    return this.#life.onAbort(callback)
  }

  get signal(): AbortSignal {
    return this.#life.signal
  }

  /** Calls back when the response was sent completely or the exchange was abandoned. */
  onComplete(callback: () => void): void {
    this.#life.onComplete(callback)
  }

  /** Whether the response was truncated after its head, through no fault of the client. */
  get isTruncated(): boolean {
    return this.#life.isTruncated
  }

  /** For the listener: the response body failed. */
  markTruncated(): void {
    this.#life.isTruncated = true
  }

  /** For handlers: forwards an informational response of the server. No filter sees it. */
  sendInformational(status: number, fields: readonly string[]): void {
    this.#life.informationalSender?.sendInformational(status, fields)
  }

  /** For the listener. */
  set informationalSender(sender: InformationalSender) {
    this.#life.informationalSender = sender
  }

  /** For the listener: the client has gone away. */
  abort(reason: Error): void {
    this.#life.abort(reason)
  }

  /** For the listener: nothing more will be sent; frees what the exchange holds. */
  complete(): void {
    this.#life.complete()
  }

  #child(init: ExchangeInit, contexts: ContextLink | null, session: Session | null): Exchange {
    return new Exchange(init, { life: this.#life, contexts, session })
  }
}
