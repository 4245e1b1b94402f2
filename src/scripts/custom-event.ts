import { type Exchange, jsonCopy } from '#http'
import { isPlainObject, type JsonObject } from '#json'

/** Publishes an event of a custom audit topic through the audit service of the request; no-op without one. */
export function publishCustomEvent(exchange: Exchange, topic: string, fields: unknown): void {
  const event = jsonCopy(fields)
  if (!isPlainObject(event)) throw new TypeError('audit.send: expected a topic and a map of fields')
  const transactionId = exchange.transactionId.value
  exchange.auditPublisher?.send(topic, { eventName: topic, transactionId, ...(event as JsonObject) })
}
