import { type Logger, type LogLevel, logEvents } from '#logging'

export const EVENTS = logEvents('GW_SCRIPT', {
  MESSAGE: {
    message: 'entry of a script',
    meaning: 'A script wrote this entry with its `logger`.',
    action: 'Ask the author of the script that the logger names.',
  },
  PROMISE_REJECTED: {
    message: 'a promise that the script did not wait for has failed',
    meaning: 'The request was not affected; the work of the promise was not completed.',
    action: 'Await the promise in the script, or handle its failure.',
  },
})

/** Writes an entry of a script: its warnings and errors have one code. */
export function writeScriptEntry(logger: Logger, level: Exclude<LogLevel, 'silent'>, text: string): void {
  if (level === 'warn' || level === 'error') logger[level](EVENTS.MESSAGE.withMessage(text))
  else logger[level](text)
}
