import type { JsonObject } from '#json'
import type { ActiveListItem } from './active-list.ts'
import type { ContextLink } from './context-link.ts'
import type { Response } from './response.ts'

/** A decision of the gateway about a request. */
export interface AuditDecision {
  readonly result: 'GRANTED' | 'DENIED' | 'FAILED'
  /** Name of the object that decided. */
  readonly by: string
  /** Reason in a few words, without data of the request. */
  readonly reason: string
  /** Policy of an access manager that decided. */
  readonly policy?: string
  /** Rule of the configuration that decided. */
  readonly rule?: string
  readonly fromCache?: boolean
}

/** Operations of Common REST, as events name them. */
export const CREST_OPERATIONS = ['CREATE', 'READ', 'UPDATE', 'DELETE', 'PATCH', 'ACTION', 'QUERY'] as const

/** Operation of a Common REST request. */
export interface CrestOperation {
  readonly operation: (typeof CREST_OPERATIONS)[number]
  /** Name of the action, of an ACTION. */
  readonly action?: string
}

/** How a request ended. */
export interface RequestOutcome {
  /** Response whose head was sent; null without one. */
  readonly response: Response | null
  /** `truncated`: the gateway ended the response before its framing says. `aborted`: the client left. */
  readonly end: 'sent' | 'truncated' | 'aborted'
}

/** The write of events to the journal that survives the process. */
export interface EventStorage {
  /**
   * Calls back once, when it has ended, also where it failed; at once where that is over. Promises would be several objects for each
   * response.
   */
  whenStored(next: () => void): void
}

/** Publishes audit events of custom topics. */
export interface AuditPublisher {
  /** An event of another topic, or one that violates its schema, is dropped, counted and logged. Never throws. */
  send(topic: string, event: JsonObject): void
  /** Counts an event that could not be built as one that was dropped. */
  countFailed(): void
}

/** An exchange, as far as this file needs it. */
interface AuditedExchange {
  readonly contexts: ContextLink | null
}

const MAX_TRACKING_IDS = 20
const MAX_TRACKING_ID = 256

/** Audit data of one request, collected while it is in flight. */
export abstract class RequestAudit implements ActiveListItem {
  slot = -1
  routeId: string | null = null
  routeName: string | null = null
  /** Set by a script; replaces the user that contexts name. */
  userId: string | null = null
  /** Ids of the request in other systems, added by scripts; null without any. */
  trackingIds: string[] | null = null
  decision: AuditDecision | null = null
  /** Null for requests that are not Common REST. */
  operation: CrestOperation | null = null
  /** Custom entries of the event. */
  extension: Record<string, unknown> | null = null
  /** The exchange with the context or session that was added last. */
  latest: AuditedExchange

  constructor(exchange: AuditedExchange) {
    this.latest = exchange
  }

  /** Continues the record of another auditor, which ends without an event. */
  takeOver(outer: RequestAudit | null): void {
    if (outer === null) return
    outer.discard()
    this.userId = outer.userId
    this.trackingIds = outer.trackingIds
    this.decision = outer.decision
    this.operation = outer.operation
    this.extension = outer.extension
  }

  /** Whether `record` is to be called before the last bytes of a response are sent. */
  get isRecorded(): boolean {
    return false
  }

  /** Stores the event of a request whose response is about to be complete; null where it can not be stored. Never throws. */
  record(_response: Response): EventStorage | null {
    return null
  }

  /** Publishes the access event; called once. */
  abstract end(outcome: RequestOutcome): void

  /** Stops recording without an event: another auditor takes over. */
  abstract discard(): void

  /** The event has each id once, and at most 20 of at most 256 characters. */
  addTrackingId(id: string): void {
    const bounded = id.slice(0, MAX_TRACKING_ID)
    this.trackingIds ??= []
    if (this.trackingIds.length < MAX_TRACKING_IDS && !this.trackingIds.includes(bounded))
      this.trackingIds.push(bounded)
  }

  extendWith(key: string, value: unknown): void {
    this.extension ??= Object.create(null) as Record<string, unknown>
    this.extension[key] = value
  }
}
