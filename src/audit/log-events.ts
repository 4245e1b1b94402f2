import { logEvents } from '#logging'

export const EVENTS = logEvents('GW_AUDIT', {
  EVENT_INVALID: {
    message: 'audit event violates the schema of its topic and is dropped',
    meaning: 'A script or an AuditFilter sent an event that its JSON schema refuses. The request is not affected.',
    action: 'Compare the fields that are sent with the schema in topicSchemasDirectory.',
  },
  EVENT_NOT_BUILT: {
    message: 'audit event could not be built and is dropped',
    meaning: 'A fault while an event was filtered or formatted. The request is not affected.',
    action: 'Report the error with its stack.',
  },
  USER_UNKNOWN: {
    message: 'userIdExpression failed; the access event has no userId',
    meaning: 'The expression threw for this request. The event is published without user.',
    action: 'Check userIdExpression of the audit service.',
  },
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
