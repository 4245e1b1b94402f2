import type { DeliveryWording } from '#durable-queue'
import { logEvents } from '#logging'
import events from './log-events.json' with { type: 'json' }

export const EVENTS = logEvents('GW_AUDIT', events)

/** Log entries of the queues of audit events. */
export const AUDIT_WORDING: DeliveryWording = { noun: 'audit events', events: EVENTS }
