import type { Notification } from '#contracts'
import { isPlainObject, type JsonObject, parseJson } from '#json'

/** A parsed message of the access manager. */
type Incoming =
  | { readonly type: 'notification'; readonly notification: Notification }
  /** Acknowledges a subscription, by its id, else by its topic. */
  | { readonly type: 'registered'; readonly id: string | null; readonly topic: string | null }
  | { readonly type: 'refused'; readonly id: string | null }
  | { readonly type: 'unreadable'; readonly problem: string }

/** Notifications are flat. */
const MAX_DEPTH = 16

/** Parses a message; an unparseable one may have been a notification. */
export function readIncoming(text: string | null): Incoming {
  if (text === null) return unreadable('expected text, got bytes')
  let message: JsonObject
  try {
    const value = parseJson(text, { depth: MAX_DEPTH })
    if (!isPlainObject(value)) return unreadable('expected a JSON object')
    message = value as JsonObject
  } catch {
    return unreadable(`expected JSON, nested at most ${MAX_DEPTH} levels deep`)
  }
  const topic = textIn(message, 'topic')
  const id = textIn(message, 'id')
  const body = Object.hasOwn(message, 'body') ? message['body'] : undefined
  if (topic !== null && isPlainObject(body)) {
    return { type: 'notification', notification: { topic, body: body as JsonObject } }
  }
  if (body === undefined && Object.hasOwn(message, 'error')) return { type: 'refused', id }
  if (body === undefined && Object.hasOwn(message, 'message')) return { type: 'registered', id, topic }
  return unreadable('expected a topic with a body')
}

function textIn(message: JsonObject, name: string): string | null {
  const value = Object.hasOwn(message, name) ? message[name] : null
  return typeof value === 'string' ? value : null
}

function unreadable(problem: string): Incoming {
  return { type: 'unreadable', problem }
}
