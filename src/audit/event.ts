import type { JsonObject } from '#json'
import { jsonText } from '#logging'

/** Fields of every audit event. */
export interface AuditEvent extends JsonObject {
  _id: string
  /** ISO 8601 in UTC with milliseconds. */
  timestamp: string
  eventName: string
  transactionId: string
}

/** Longer lines are not written, and passed over where a file holds one. */
export const MAX_LINE_BYTES = 16_384

const TOPIC = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/

/** Whether a text can be a topic: topics are parts of file names. */
export function isTopicName(text: string): boolean {
  return TOPIC.test(text)
}

/** The text that puts events in the order in which they happened, by code unit. */
export function chronologicalKey({ id, timestamp }: { readonly id: string; readonly timestamp: unknown }): string {
  return `${timestamp} ${id.slice(id.lastIndexOf('-') + 1).padStart(16, '0')}`
}

/** An event as a line of its own. */
export function eventLine(event: JsonObject): string {
  return `${jsonText(event)}\n`
}
