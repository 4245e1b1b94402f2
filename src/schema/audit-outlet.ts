import type { EventStorage } from '#http'

/** Bounds of the queue of an audit event handler. */
export interface QueuePlan {
  /** Events in memory. */
  readonly maxEvents: number
  /** Bytes in memory. */
  readonly maxBytes: number
  /** `drop` discards and counts new events; `block` delays new requests first. */
  readonly onFull: 'drop' | 'block'
  /** Milliseconds that a request waits at most. */
  readonly maxBlockTime: number
  /** Segment files on disk; null keeps events in memory only. */
  readonly spool: SpoolPlan | null
}

/** Segment files of a handler. */
export interface SpoolPlan {
  readonly directory: string
  readonly maxBytes: number
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

/** Memory in which an event writes a text by itself, from `size` on. */
export interface TextTarget {
  /** Position after what was written, which the event moves. */
  size: number
  /** Range of the id in the memory, which the event sets. */
  idStart: number
  idEnd: number
  /** The memory, with room for so many bytes. Valid until the next call. */
  room(bytes: number): Buffer
}

/** One event for the handlers. */
export interface FormattedEvent {
  readonly topic: string
  /** `_id` of the event. */
  readonly id: string
  /** Position of the id in the first text, which is ASCII up to its end; absent where the text has no id there. */
  readonly idAt?: number | undefined
  /** One for each format number; undefined where no handler with that format accepts the topic. May be formatted when it is read. */
  readonly texts: readonly (string | undefined)[]
  /**
   * Writes the text of a format without line end, in ASCII and with the id: without a string in between. Null where no handler with
   * that format accepts the topic; false where `texts` has to be used, and what was written is discarded.
   */
  write?(format: number, target: TextTarget): boolean | null
  /** Milliseconds since the epoch. */
  readonly time: number
}

/** An event that was published before the end of its request. */
export interface RecordedEvent {
  readonly stored: EventStorage
  /** The request has ended as the event says. */
  confirm(): void
  /** The request has ended as this event says, which takes the place of the other. */
  replace(event: FormattedEvent): void
  /** The request has ended in another way: the event is not published. */
  withdraw(): void
}

/** Passes events of one audit service to the writer. */
export interface AuditOutlet {
  /** Never blocks and never throws. */
  publish(event: FormattedEvent): void
  /**
   * Publishes the event of a request whose response is complete but for its last bytes, which wait until it is stored. Null where
   * no handler keeps events beyond the process; the result is null where events can not be stored now.
   */
  readonly record: ((event: FormattedEvent) => RecordedEvent | null) | null
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
  record: null,
  isFull: false,
  waitForRoom: () => Promise.resolve(),
  renew: () => {},
  serveQueries: () => {},
  close: () => {},
}
