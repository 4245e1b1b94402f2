import type { FormattedRecord, QueueBounds } from '#durable-queue'
import type { EventStorage } from '#http'

/** The queue of an audit event handler. */
export interface QueuePlan extends QueueBounds {
  /** `drop` discards and counts new events; `block` delays new requests first. */
  readonly onFull: 'drop' | 'block'
  /** Milliseconds that a request waits at most. */
  readonly maxBlockTime: number
}

/** Destination of an event handler; `type` selects the transport, which has further members. */
export interface TransportPlan {
  readonly type: string
  /** A folder that one service alone may write to, without symbolic links. */
  readonly exclusive?: string
}

/** An event handler as plain data, for the writer on the control thread. */
export interface HandlerPlan {
  readonly name: string
  /** Position in `eventHandlers`; disabled handlers have no plan. */
  readonly position: number
  readonly topics: readonly string[]
  /** Number of the format: handlers with the same number get the same texts. */
  readonly format: number
  readonly transport: TransportPlan
  readonly queue: QueuePlan
  /** Whether its events can be read again, in the form in which they were published. */
  readonly supportsQueries: boolean
}

/** The handlers of an audit service, as plain data. */
export interface AuditPlan {
  /** Qualified name of the service. */
  readonly service: string
  readonly handlers: readonly HandlerPlan[]
  /** The document that declares the service, and its revision: a later revision replaces the earlier one. */
  readonly document?: { readonly name: string; readonly revision: string }
  /** Name of the handler that is queried; null for the first that supports queries and takes the topic. */
  readonly handlerForQueries: string | null
}

/** An event that was published before the end of its request. */
export interface RecordedEvent {
  readonly stored: EventStorage
  /** The request has ended as the event says. */
  commit(): void
  /** The request has ended as this event says, which takes the place of the other. */
  amend(event: FormattedRecord): void
  /** The request has ended in another way: the event is not published. */
  rollback(): void
}

/** Passes events of one audit service to the writer. */
export interface AuditOutlet {
  /** Never blocks and never throws. */
  publish(event: FormattedRecord): void
  /**
   * Publishes the event of a request whose response is complete but for its last bytes, which wait until it is stored. Null where
   * no handler keeps events beyond the process; the result is null where events can not be stored now.
   */
  readonly begin: ((event: FormattedRecord) => RecordedEvent | null) | null
  /** Whether the queue of a handler with `onFull: block` is full. */
  readonly isFull: boolean
  /** Resolves when it is no longer full, at most after `maxBlockTime`. */
  waitForRoom(): Promise<void>
  /** Applies changed transports of the same handlers. */
  renew(plan: AuditPlan): void
  /** Serves the queries of `/api/audit/<topic>`: called for the service of config.json. */
  serveQueries(): void
  close(): void
}

/** Drops all events: for documents that are checked or explained, not run. */
export const DISCARDING_OUTLET: AuditOutlet = {
  publish: () => {},
  begin: null,
  isFull: false,
  waitForRoom: () => Promise.resolve(),
  renew: () => {},
  serveQueries: () => {},
  close: () => {},
}
