import { logEvents } from '#logging'
import type { TrailEnv } from '#trail'

export const EVENTS = logEvents('GW_AUDIT_FILE', {
  CHAIN_HEAD_MISSING: {
    message: 'the head of a tamper-evident audit trail is missing; the chain continues from the last line of its files',
    meaning:
      'The trail has lines, and the file of its head was removed: lines at its end may have been removed too. gateway audit verify reports this from now on.',
    action: 'Restore the files of the trail from a copy, or keep them as evidence and begin another folder.',
  },
  CHAIN_HEAD_REJECTED: {
    message:
      'the head of a tamper-evident audit trail is not valid; the chain continues from the last line of its files',
    meaning:
      'The head file was changed, or the secret of the trail was replaced. gateway audit verify reports it from now on, unless it has the secret of the head.',
    action:
      'Run gateway audit verify on the files. After a change of the secret, verify older files with the older secret.',
  },
  CHAIN_TEXT_ADDED: {
    message: 'a tamper-evident audit file has text that the gateway did not write',
    meaning:
      'Text was appended while the file was closed in order, or behind the back of the gateway. It is no event, and gateway audit verify reports it from now on.',
    action: 'Find out who can write to the audit directory.',
  },
  CHAIN_TRUNCATED: {
    message: 'lines are missing at the end of a tamper-evident audit trail',
    meaning: 'The file was truncated or replaced while the gateway did not write to it.',
    action: 'Run gateway audit verify on the files, and restore them from a copy.',
  },
  STEP_FAILED: {
    message: 'an audit file could not be maintained; events are written further',
    meaning: 'Rotation, retention, compression, a checkpoint or the head of a chain failed. It is tried again.',
    action: 'Check free space and permissions of the audit directory.',
  },
})

/** The log events of a trail of audit events. */
export const TRAIL_EVENTS: TrailEnv['events'] = {
  'head-missing': EVENTS.CHAIN_HEAD_MISSING,
  'head-rejected': EVENTS.CHAIN_HEAD_REJECTED,
  'end-missing': EVENTS.CHAIN_TRUNCATED,
  'text-added': EVENTS.CHAIN_TEXT_ADDED,
  'step-failed': EVENTS.STEP_FAILED,
}
