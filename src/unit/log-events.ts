import { logEvents } from '#logging'

export const EVENTS = logEvents('GW_UNIT', {
  ACCESS_LINES_LOST: {
    message: 'access lines were lost, because they could not be written in time',
    meaning:
      'An outage of the access log has ended, or the gateway stops: `lines` of its unit are missing. Requests are not affected.',
    action:
      'Make the reader or the disk faster, or sample with `accessLog.condition`; see `gw_access_log_lines_lost_total`.',
  },
  ACCESS_LINE_FAILED: {
    message: 'an access line could not be written',
    meaning: 'The request was served, and left no access line.',
    action: 'Correct `format` or `condition` of `accessLog` in admin.json: the error names the expression.',
  },
  ACCESS_LOG_FAILING: {
    message: 'the access log can not be written',
    meaning:
      'The disk is full, or the disk or the reader is slower than the traffic; requests are not affected. Lines are buffered, and dropped when the buffer is full.',
    action:
      'See `error` and `destination`: free space on the disk, or read the output. Writing is retried; the end of the outage is logged with the number of lost lines.',
  },
  ACCESS_LOG_NOT_REOPENED: {
    message: 'the file of the access log could not be opened again: lines go to the file that was open before',
    meaning: 'No line is lost; after a rotation, lines are in the renamed file.',
    action: 'See `error`: correct the path or its permissions, then send SIGHUP.',
  },
  CLOSE_FAILED: {
    message: 'a unit could not close one of its parts while it drained',
    meaning: 'The unit ended without closing all of its parts; it serves no more traffic.',
    action: 'Report it with the log entry: it is a fault of the gateway.',
  },
  CONTROL_MESSAGE_FAILED: {
    message: 'a message of the control thread could not be processed',
    meaning: 'A message of the control thread had no effect on this unit.',
    action: 'Report it with the log entry: it is a fault of the gateway.',
  },
  ERROR_PAGE_FAILED: {
    message: 'the handler of error responses failed',
    meaning: 'An error response got the content of the gateway instead; its status is not affected.',
    action: 'Check the handler in `errors` of admin.json, and the server it sends requests to.',
  },
  NO_RESPONSE: {
    message: 'the handler returned no response',
    meaning: 'The request got 500.',
    action: 'Check the handler or script of the route.',
  },
  REQUEST_FAILED: {
    message: 'the request failed',
    meaning: 'The request got 500.',
    action: 'See the error: a filter, a handler or a script of the route failed.',
  },
  ROUTE_NOT_RELEASED: {
    message: 'the retired route could not dispose all of its objects',
    meaning: 'Resources of the replaced version of a route, such as connections, may stay open until the process ends.',
    action: 'Report it with the log entry: it is a fault of the gateway.',
  },
  ROUTE_REQUESTS_CUT: {
    message: 'the retired route still has requests: they are aborted',
    meaning: 'Requests that were in flight 10 minutes after the route was replaced were aborted.',
    action: 'Check which requests run that long; the limit can not be changed.',
  },
  SESSION_NOT_SAVED: {
    message: 'session not saved: it is too large',
    meaning: 'The user may have to log in again.',
    action: 'Store less in the session, or use a session manager with a higher size limit.',
  },
})
