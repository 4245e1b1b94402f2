import { type ContextKey, contextKey, type Exchange } from '#http'
import type { JsonObject } from '#json'

/** Content before or after a change. */
export interface AuditedState {
  readonly revision: string
  /** Without `_id` and `_rev`; only the pointers at which it differs from the other state are recorded. */
  readonly content: JsonObject
}

/** A change. Null: the resource did not exist before, or was deleted. */
export interface RecordedChange {
  readonly id: string
  readonly before: AuditedState | null
  readonly after: AuditedState | null
}

/** Receives the changes of a request. */
export interface ChangeRecorder {
  changed(change: RecordedChange): void
}

/** The context `changeRecorder`, of audited requests. */
export const ChangeRecorderContext: ContextKey<ChangeRecorder> = contextKey<ChangeRecorder>('changeRecorder')

/** For providers: records a change at the moment it takes effect. */
export function recordChange(exchange: Exchange, change: RecordedChange): void {
  exchange.context(ChangeRecorderContext)?.changed(change)
}
