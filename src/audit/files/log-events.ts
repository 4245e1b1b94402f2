import { logEvents } from '#logging'

export const EVENTS = logEvents('GW_AUDIT_FILE', {
  CHAIN_HEAD_REJECTED: {
    message:
      'the head of a tamper-evident audit trail is not valid; the chain continues from the last line of its files',
    meaning: 'The head file was changed, or the secret of the trail was replaced. Removed lines may not be found.',
    action:
      'Run gateway audit verify on the files. After a change of the secret, verify older files with the older secret.',
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
