import { isPlainObject, JsonNumber, type JsonObject, type JsonValue } from '#json'

/** Attributes as OTLP carries them (opentelemetry-proto, JSON Protobuf encoding); undefined ones are left out. */
export function otlpAttributes(values: Readonly<Record<string, JsonValue | undefined>>): JsonValue[] {
  return Object.entries(values).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: otlpValue(value) }],
  )
}

/** A value as OTLP carries it: 64-bit numbers are texts. */
export function otlpValue(value: JsonValue): JsonObject {
  if (value === null) return {}
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  if (value instanceof JsonNumber) return { stringValue: value.text }
  if (typeof value === 'number') {
    return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value }
  }
  if (Array.isArray(value)) return { arrayValue: { values: value.map(otlpValue) } }
  return isPlainObject(value) ? { kvlistValue: { values: otlpAttributes(value as JsonObject) } } : {}
}

/** Attributes of texts and whole numbers as the JSON text of `otlpAttributes`, built directly: spans have many. */
export function attributesText(values: Readonly<Record<string, string | number | undefined>>): string {
  let text = ''
  for (const key in values) {
    const value = values[key]
    if (value === undefined) continue
    const content = typeof value === 'number' ? `{"intValue":"${value}"}` : `{"stringValue":${JSON.stringify(value)}}`
    text += `${text === '' ? '' : ','}{"key":"${key}","value":${content}}`
  }
  return `[${text}]`
}

/** Nanoseconds since the epoch as text, of milliseconds. */
export function nanoseconds(milliseconds: number): string {
  return `${Math.round(milliseconds * 1000)}000`
}
