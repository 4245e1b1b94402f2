import type { JsonObject } from '#json'
import { kind, type QueuePlan, type TransportPlan } from '#schema'

/** A topic of audit events with the JSON Schema of its events. */
export interface AuditTopic {
  readonly name: string
  readonly schema: JsonObject
}

/** The JSON of an event, in one line. */
export interface JsonShape {
  /** Name of the member with the id. */
  readonly idName: '_id' | '_eventId'
  /** Members after those of the event. */
  readonly members: JsonObject
}

/** Formats events for a destination. */
export interface EventFormat {
  /** Formats with equal keys give equal texts: an event is formatted once for all handlers that share one. */
  readonly key: string
  /** The formatter of a topic, without line end. */
  forTopic(topic: AuditTopic): (event: JsonObject) => string
  /** Set where texts are the JSON of the event: such events can be serialized without an object. */
  json?(topic: AuditTopic): JsonShape
  /** The first line of a file of the topic; absent where files have none. */
  header?(topic: AuditTopic): string
}

/** Secrets, keys and trust of a transport that may be rotated. */
export interface TransportRenewal {
  /** The transport with them as they are now. */
  read(): Promise<TransportPlan>
  /** Calls the listener when they may have changed; returns a function that stops it. */
  onChange(listener: () => void): () => void
}

/** An audit event handler: where events go, and in which form. Its transport runs on the control thread. */
export interface AuditEventHandler {
  readonly name: string
  readonly topics: readonly string[]
  readonly enabled: boolean
  readonly format: EventFormat
  readonly transport: TransportPlan
  /** Secrets, keys and trust of the transport; absent where it has none. */
  readonly renewal?: TransportRenewal
  /** The spool has no directory yet: the audit service assigns it. */
  readonly queue: Omit<QueuePlan, 'spool'> & { readonly spool: { readonly maxBytes: number } | null }
  /** Whether `/api/audit/<topic>` can query its events. */
  readonly supportsQueries: boolean
}

/** Event handlers of an audit service, chosen by `class`. */
export const AuditEventHandlerKind = kind<AuditEventHandler>('AuditEventHandler')
