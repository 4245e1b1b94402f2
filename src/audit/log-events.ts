import { logEvents } from '#logging'

export const EVENTS = logEvents('GW_AUDIT', {
  EVENTS_LOST: {
    message: 'audit events could not be written and are lost',
    meaning: 'Changes of the configuration are missing in the audit trail.',
    action: 'Check the disk and the permissions of the audit directory.',
  },
  QUEUE_FULL: {
    message: 'audit events are dropped',
    meaning: 'Further audit events are dropped until the file can be written.',
    action: 'Check free space and permissions of the audit directory.',
  },
  WRITE_FAILED: {
    message: 'audit events can not be written; they wait, and are tried again',
    meaning: 'Audit events wait in memory and are written when the disk allows it.',
    action: 'Check free space and permissions of the audit directory.',
  },
})
