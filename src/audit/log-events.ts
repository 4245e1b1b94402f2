import type { DeliveryWording } from '#durable-queue'
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
  TOPIC_REFUSED: {
    message: 'audit event of a script or an AuditFilter is dropped, because of its topic',
    meaning:
      'No event handler of the audit service of the request has the topic, or the topic is one of the gateway itself. The request is not affected.',
    action: 'Check the topic that is sent: `problem` says what is wrong. Otherwise add it to the topics of a handler.',
  },
  USER_UNKNOWN: {
    message: 'userIdExpression failed; the access event has no userId',
    meaning: 'The expression threw for this request. The event is published without user.',
    action: 'Check userIdExpression of the audit service.',
  },
  CLOSE_FAILED: {
    message: 'the connection of an audit handler could not be closed',
    meaning:
      'The destination did not end its connection in time. Events that were not accepted are counted as lost or are in the spool.',
    action: 'Check the destination if this is repeated; no action is needed for a gateway that stops.',
  },
  DELIVERY_FAILED: {
    message: 'audit events can not be delivered; they are queued, and sent again',
    meaning:
      'The destination of the handler, such as a file or a broker, fails. Traffic is not affected; events are delivered in order when it recovers.',
    action:
      'Check the destination: free space and permissions of a directory, address, credentials and state of a broker.',
  },
  EVENT_REFUSED: {
    message: 'the destination refused an audit event for good; it is lost',
    meaning:
      'The destination will never accept the event, because of its size for example. The other events are delivered.',
    action: 'Compare the limits of the destination, such as its maximum message size, with the events.',
  },
  EVENT_TOO_LARGE: {
    message: 'audit events are too large and were dropped',
    meaning: 'Single events exceed the limit of the queue or of a line and are lost.',
    action: 'Reduce the audited fields by filter policies.',
  },
  EVENTS_LOST: {
    message: 'audit events could not be delivered before the handler was closed and are lost',
    meaning: 'The destination did not accept the events in the time of the shutdown, and no spool holds them.',
    action: 'Check the destination; enable the spool of the handler so that events survive a restart.',
  },
  EVENTS_NOT_STORED: {
    message: 'audit events could neither be delivered nor stored in the spool before the handler was closed',
    meaning: 'Those that are in the journals of units are delivered at the next start; others are lost.',
    action: 'Check the destination, the disk of the spool, and spool.maxBytes of the handler.',
  },
  JOURNAL_UNREADABLE: {
    message: 'a journal of audit events that another process left can not be read',
    meaning: 'Its events are not delivered now; the journal is left, and read again when the gateway is started.',
    action: 'Check the permissions of the file, and the disk; the error names it.',
  },
  QUEUE_FULL: {
    message: 'audit events are dropped: the queue is full',
    meaning:
      'Further events of the handler are dropped and counted in `gw_audit_lost_total` until the destination accepts events again.',
    action: 'Check the destination; enable the spool, or increase its size, so that longer outages lose nothing.',
  },
  SPOOL_FAILED: {
    message: 'the spool of audit events can not be used; events are queued in memory only',
    meaning: 'Events are delivered, but those that wait in memory are lost if the gateway stops.',
    action: 'Check free space and permissions of the spool directory.',
  },
  SPOOL_FULL: {
    message: 'the spool of audit events is full; further events are queued in memory only',
    meaning: 'The outage of the destination is longer than the spool is large.',
    action: 'Restore the destination, or increase the size of the spool.',
  },
  SPOOL_LOCKED: {
    message: 'the spool of audit events is in use by another process; events are queued in memory only',
    meaning:
      'Two gateways, or two handlers, have the same spool directory. The spool is opened as soon as the other one ends.',
    action: 'Give each handler and each gateway a directory of its own.',
  },
  SPOOL_READ_FAILED: {
    message: 'the next audit events can not be read from the spool; they stay there, and reading is tried again',
    meaning:
      'Events are not delivered, since those in the spool come first. New events are written to the spool or queued.',
    action: 'Check the permissions of the segment files in the spool directory, and the limit of open files.',
  },
  SPOOL_UNREADABLE: {
    message: 'audit events in the spool can not be read and are lost',
    meaning: 'Lines of a segment file have a wrong checksum, or the file was removed.',
    action: 'Check the disk of the spool directory, and that no other program changes files in it.',
  },
})

/** Log entries of the queues of audit events. */
export const AUDIT_WORDING: DeliveryWording = { noun: 'audit events', events: EVENTS }
