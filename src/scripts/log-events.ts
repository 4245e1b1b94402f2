import { type Logger, type LogLevel, logEvents } from '#logging'
import events from './log-events.json' with { type: 'json' }

export const EVENTS = logEvents('GW_SCRIPT', events)

/** Writes an entry of a script: its warnings and errors have one code. */
export function writeScriptEntry(logger: Logger, level: Exclude<LogLevel, 'silent'>, text: string): void {
  if (level === 'warn' || level === 'error') logger[level](EVENTS.MESSAGE.withMessage(text))
  else logger[level](text)
}
