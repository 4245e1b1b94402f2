import { type LogEvent, logEvents } from '#logging'
import events from './log-events.json' with { type: 'json' }

export const EVENTS = logEvents('GW_CONFIG', events)

/** A warning about accepted configuration. */
export function configWarning(message: string): LogEvent {
  return EVENTS.WARNING.withMessage(message)
}
