import { type ContextKey, contextKey, type Exchange } from '#http'
import type { JsonObject } from '#json'

/** A state of what was changed. */
export interface AuditedState {
  readonly revision: string
  /** Without `_id` and `_rev`; only the places where it differs from the other state are recorded. */
  readonly content: JsonObject
}

/** What has changed. Null stands for nothing: there was nothing before, or nothing is left. */
export interface RecordedChange {
  readonly id: string
  readonly before: AuditedState | null
  readonly after: AuditedState | null
}

/** Takes what a request has changed. */
export interface ChangeRecorder {
  changed(change: RecordedChange): void
}

/** The context `changeRecorder`, of requests whose changes are kept on record. */
export const ChangeRecorderContext: ContextKey<ChangeRecorder> = contextKey<ChangeRecorder>('changeRecorder')

/** For providers: says what was just changed, at the moment at which it counts. */
export function recordChange(exchange: Exchange, change: RecordedChange): void {
  exchange.context(ChangeRecorderContext)?.changed(change)
}
