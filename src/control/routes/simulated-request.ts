import type { SimulatedRequestMessage } from '#contracts'
import { Refusal } from '#crest'
import { isToken } from '#http'
import { isPlainObject, type JsonValue } from '#json'

const MAX_TOKEN = 128
const FIELD_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/
const ABSOLUTE = /^(https?):\/\/([^/?#\s]+)([^#\s]*)$/i
const MEMBERS = new Set(['method', 'uri', 'headers', 'entity', 'from'])

/** Reads `{ method, uri, headers, entity, from }`. */
export function simulatedRequest(body: JsonValue): SimulatedRequestMessage | Refusal {
  if (!isPlainObject(body)) return new Refusal(400, 'the body: expected { "method", "uri", "headers" }')
  const unknown = Object.keys(body).find((name) => !MEMBERS.has(name))
  if (unknown !== undefined)
    return new Refusal(400, `${JSON.stringify(unknown.slice(0, 40))}: expected only ${[...MEMBERS].join(', ')}`)
  const { method = 'GET', uri, headers = {}, entity = '', from = '127.0.0.1' } = body
  if (typeof method !== 'string' || !isToken(method, MAX_TOKEN))
    return new Refusal(400, 'method: expected a method such as "GET"')
  if (typeof entity !== 'string') return new Refusal(400, 'entity: expected a text')
  if (typeof from !== 'string') return new Refusal(400, 'from: expected an address')
  const [, scheme = 'http', host = 'localhost', rest = ''] = (typeof uri === 'string' && ABSOLUTE.exec(uri)) || []
  const isPath = typeof uri === 'string' && /^\/\S*$/.test(uri)
  if (!isPath && !(typeof uri === 'string' && ABSOLUTE.test(uri))) {
    return new Refusal(400, 'uri: expected one such as "https://host/path", or a path')
  }
  const fields = headerFields(headers)
  if (fields === null) return new Refusal(400, 'headers: expected names with a text or a list of texts each')
  const hasHost = fields.some((name, at) => at % 2 === 0 && name.toLowerCase() === 'host')
  const target = isPath ? (uri as string) : rest.startsWith('/') ? rest : `/${rest}`
  return {
    method,
    target,
    rawHeaders: [...(hasHost ? [] : ['Host', host]), ...fields],
    scheme: scheme.toLowerCase() === 'https' ? 'https' : 'http',
    clientAddress: from,
    body: entity,
  }
}

/** Header fields as a flat list; null where they are invalid. */
export function headerFields(headers: unknown): string[] | null {
  if (!isPlainObject(headers)) return null
  const fields: string[] = []
  for (const [name, given] of Object.entries(headers)) {
    for (const value of Array.isArray(given) ? given : [given]) {
      if (!isToken(name, MAX_TOKEN) || typeof value !== 'string' || !FIELD_VALUE.test(value)) return null
      fields.push(name, value)
    }
  }
  return fields
}
