import { logEvents } from './log-event.ts'
import events from './log-events.json' with { type: 'json' }

export const EVENTS = logEvents('GW_LOG', events)
