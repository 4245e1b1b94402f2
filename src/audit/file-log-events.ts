import { logEvents } from '#logging'
import type { TrailEnv } from '#trail'
import events from './file-log-events.json' with { type: 'json' }

export const EVENTS = logEvents('GW_AUDIT_FILE', events)

/** The log events of a trail of audit events. */
export const TRAIL_EVENTS: TrailEnv['events'] = {
  'head-missing': EVENTS.CHAIN_HEAD_MISSING,
  'head-rejected': EVENTS.CHAIN_HEAD_REJECTED,
  'end-missing': EVENTS.CHAIN_TRUNCATED,
  'text-added': EVENTS.CHAIN_TEXT_ADDED,
  'step-failed': EVENTS.STEP_FAILED,
}
