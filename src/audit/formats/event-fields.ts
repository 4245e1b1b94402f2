import { isPlainObject, type JsonObject, type JsonValue, setOwn } from '#json'

/** The value at a path of an event; undefined where there is nothing. */
export function valueAt(event: JsonObject, path: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = event
  for (const name of path) {
    if (!isPlainObject(value) || !Object.hasOwn(value, name)) return undefined
    value = (value as JsonObject)[name]
  }
  return value
}

/** A text of an event that is not empty. */
export function textAt(event: JsonObject, ...path: readonly string[]): string | undefined {
  const value = valueAt(event, path)
  return typeof value === 'string' && value !== '' ? value : undefined
}

export function objectAt(event: JsonObject, ...path: readonly string[]): JsonObject | undefined {
  const value = valueAt(event, path)
  return isPlainObject(value) ? (value as JsonObject) : undefined
}

/** A whole number of an event, which may be written as text (`response.statusCode`). */
export function integerAt(event: JsonObject, ...path: readonly string[]): number | undefined {
  const value = valueAt(event, path)
  if (typeof value === 'number') return Number.isSafeInteger(value) ? value : undefined
  return typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : undefined
}

/** The fields of the gateway itself: the group `gateway`, or `ig` with `compatibility`. */
export function gatewayFields(event: JsonObject): JsonObject {
  return objectAt(event, 'gateway') ?? objectAt(event, 'ig') ?? {}
}

/** First value of a request header; names are compared without regard to case. */
export function requestHeader(event: JsonObject, name: string): string | undefined {
  for (const [key, value] of Object.entries(objectAt(event, 'http', 'request', 'headers') ?? {})) {
    if (key.toLowerCase() !== name) continue
    const first = Array.isArray(value) ? value[0] : value
    return typeof first === 'string' ? first : undefined
  }
  return undefined
}

/** The URL of the request, with the names that a schema has for its text and its host. */
export function urlFields(
  event: JsonObject,
  names: { readonly text: string; readonly host: string },
): JsonObject | undefined {
  const text = textAt(event, 'http', 'request', 'path')
  if (text === undefined) return undefined
  const url = URL.parse(text)
  if (url === null) return { [names.text]: text }
  return compact({
    [names.text]: text,
    scheme: url.protocol.slice(0, -1),
    [names.host]: url.hostname === '' ? undefined : url.hostname,
    port: url.port === '' ? undefined : Number(url.port),
    path: url.pathname,
  })
}

/** Milliseconds that the request took. */
export function elapsedMillis(event: JsonObject): number | undefined {
  return integerAt(event, 'response', 'elapsedTime')
}

/** An object without members that are undefined or empty objects; undefined where nothing is left. */
export function compact(members: Readonly<Record<string, JsonValue | undefined>>): JsonObject | undefined {
  const kept: JsonObject = {}
  let isEmpty = true
  for (const [name, value] of Object.entries(members)) {
    if (value === undefined || (isPlainObject(value) && Object.keys(value).length === 0)) continue
    setOwn(kept, name, value)
    isEmpty = false
  }
  return isEmpty ? undefined : kept
}

/** A copy of an object without some of its members. */
export function without(object: JsonObject | undefined, ...names: readonly string[]): JsonObject | undefined {
  if (object === undefined) return undefined
  return compact(Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name))))
}

/** Fields with a counterpart in each schema; the others keep their names. */
const MAPPED = ['_id', 'timestamp', 'eventName', 'transactionId', 'traceId', 'userId', 'client', 'server']

/** The parts of an event without counterpart in other schemas. */
export function unmappedFields(topic: string, event: JsonObject): JsonObject | undefined {
  if (topic !== 'access') return without(event, ...MAPPED)
  return compact({
    ...without(event, ...MAPPED, 'http', 'response'),
    http: compact({
      request: without(objectAt(event, 'http', 'request'), 'method', 'path'),
      response: objectAt(event, 'http', 'response'),
    }),
    response: without(objectAt(event, 'response'), 'status', 'statusCode', 'elapsedTime', 'elapsedTimeUnits'),
  })
}
