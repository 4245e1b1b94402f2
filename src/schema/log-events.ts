import { type LogEvent, logEvents } from '#logging'

export const EVENTS = logEvents('GW_CONFIG', {
  WARNING: {
    message: 'configuration warning',
    meaning:
      'The configuration is used as it stands. Part of it has no effect, is deprecated, or is weaker than it seems.',
    action: 'Change the field that the message names; `gateway validate` lists all warnings.',
  },
})

/** A warning about accepted configuration. */
export function configWarning(message: string): LogEvent {
  return EVENTS.WARNING.withMessage(message)
}
