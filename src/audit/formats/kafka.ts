import type { JsonObject } from '#json'
import { jsonText } from '#logging'
import { textAt } from './event-fields.ts'
import { type FormatName, formatEvent } from './event-format.ts'

/** JSON text holds no tab, and neither does a key: it separates both in the text of a record. */
const SEPARATOR = '\t'

/** Key and value of a Kafka record as one text. The key is the transaction id: events of one transaction keep their order. */
export function kafkaText(format: FormatName, topic: string, event: JsonObject): string {
  const key = (textAt(event, 'transactionId') ?? '').replace(/[\u0000-\u001f\u007f]/g, '').toWellFormed()
  return `${key}${SEPARATOR}${jsonText(formatEvent(format, topic, event))}`
}

/** Splits the text of a record. */
export function kafkaKeyAndValue(text: string): { readonly key: string; readonly value: string } {
  const end = text.indexOf(SEPARATOR)
  return { key: text.slice(0, Math.max(end, 0)), value: text.slice(end + 1) }
}
