import { logEvents } from '#logging'
import events from './log-events.json' with { type: 'json' }

export const EVENTS = logEvents('GW_CONTROL', events)
