import { logEvents } from './log-event.ts'

export const EVENTS = logEvents('GW_LOG', {
  LINES_LOST: {
    message: 'log lines were lost, because they could not be written in time',
    meaning:
      'The reader of the log was slower than the log; the entry says how many lines are missing. Traffic is not affected.',
    action: 'Make the reader faster or raise the log level, and check `gw_log_lines_lost_total`.',
  },
})
