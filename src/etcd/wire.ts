// The JSON form of etcd's messages (proto3 JSON mapping): 64-bit integers are texts, bytes are base64, and fields with the
// default of their type are left out.
import { isPlainObject, type JsonObject, type JsonValue } from '#json'
import type { KeyRange, KeyValue, WatchEvent } from './key-value.ts'
import { MalformedResponse } from './malformed-response.ts'

const MAX_INT64 = 2n ** 63n - 1n
const INTEGER = /^\d{1,20}$/
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/

const ZERO = Buffer.from([0])

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Revision, count, time or size: never negative. */
export function integerOf(value: JsonValue | undefined, name: string): bigint {
  const number = digitsOf(value, name)
  if (number > MAX_INT64) throw new MalformedResponse(`${name}: expected a 64-bit integer, got a larger one`)
  return number
}

/** Identifier of a cluster, member or lease as decimal text; `0` where it is left out. */
export function idOf(value: JsonValue | undefined, name: string): string {
  // Leases are signed, and a server may choose any 64-bit number.
  if (typeof value === 'string' && /^-\d{1,19}$/.test(value)) return value
  return digitsOf(value, name).toString()
}

function digitsOf(value: JsonValue | undefined, name: string): bigint {
  if (value === undefined || value === null) return 0n
  if (typeof value === 'string' && INTEGER.test(value)) return BigInt(value)
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return BigInt(value)
  throw new MalformedResponse(`${name}: expected an integer, got ${typeOf(value)}`)
}

function bytesOf(value: JsonValue | undefined, name: string): Buffer {
  if (value === undefined || value === null) return Buffer.alloc(0)
  if (typeof value !== 'string' || value.length % 4 !== 0 || !BASE64.test(value))
    throw new MalformedResponse(`${name}: expected base64, got ${typeOf(value)}`)
  return Buffer.from(value, 'base64')
}

export function textOf(value: JsonValue | undefined, name: string): string {
  if (value === undefined || value === null) return ''
  if (typeof value !== 'string') throw new MalformedResponse(`${name}: expected text, got ${typeOf(value)}`)
  return value
}

export function flagOf(value: JsonValue | undefined, name: string): boolean {
  if (value === undefined || value === null) return false
  if (typeof value !== 'boolean') throw new MalformedResponse(`${name}: expected a boolean, got ${typeOf(value)}`)
  return value
}

export function objectOf(value: JsonValue | undefined, name: string): JsonObject {
  if (!isPlainObject(value)) throw new MalformedResponse(`${name}: expected an object, got ${typeOf(value)}`)
  return value as JsonObject
}

export function objectsOf(value: JsonValue | undefined, name: string): JsonObject[] {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value)) throw new MalformedResponse(`${name}: expected a list, got ${typeOf(value)}`)
  return value.map((each, index) => objectOf(each, `${name}[${index}]`))
}

function typeOf(value: JsonValue | undefined): string {
  if (value === null || value === undefined) return 'nothing'
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'string' ? 'another text' : `a ${typeof value}`
}

/** The revision of the store when it answered. */
export function revisionOf(response: JsonObject): bigint {
  return integerOf(objectOf(response['header'], 'header')['revision'], 'header.revision')
}

/** A key and its value; `key` is null where it is not UTF-8, and so none of ours. */
export interface RawItem extends Omit<KeyValue, 'key'> {
  readonly key: string | null
  readonly rawKey: Buffer
}

export function rawItemOf(object: JsonObject, name: string): RawItem {
  const rawKey = bytesOf(object['key'], `${name}.key`)
  if (rawKey.length === 0) throw new MalformedResponse(`${name}.key: expected a key, got nothing`)
  const lease = idOf(object['lease'], `${name}.lease`)
  return {
    key: decodedKey(rawKey),
    rawKey,
    value: bytesOf(object['value'], `${name}.value`),
    modRevision: integerOf(object['mod_revision'], `${name}.mod_revision`),
    createRevision: integerOf(object['create_revision'], `${name}.create_revision`),
    lease: lease === '0' ? null : lease,
  }
}

/** Items of a range, without those whose key is not UTF-8. */
export function readable(items: readonly RawItem[]): KeyValue[] {
  return items.flatMap(({ key, rawKey: _, ...rest }) => (key === null ? [] : [{ key, ...rest }]))
}

export function eventsOf(value: JsonValue | undefined): WatchEvent[] {
  return objectsOf(value, 'events').flatMap((event, index) => {
    const name = `events[${index}]`
    const [item] = readable([rawItemOf(objectOf(event['kv'], `${name}.kv`), `${name}.kv`)])
    return item === undefined ? [] : [{ type: eventType(event['type'], name), item }]
  })
}

function eventType(value: JsonValue | undefined, name: string): 'put' | 'delete' {
  if (value === undefined || value === 'PUT' || value === 0) return 'put'
  if (value === 'DELETE' || value === 1) return 'delete'
  throw new MalformedResponse(`${name}.type: expected PUT or DELETE, got another one`)
}

function decodedKey(bytes: Buffer): string | null {
  try {
    return utf8.decode(bytes)
  } catch {
    return null
  }
}

/** `key` and `range_end` of a request. */
export function rangeOf(range: KeyRange): { key: string; range_end?: string } {
  if ('key' in range) return { key: encodedKey(range.key) }
  const [first, end] =
    'first' in range
      ? [keyBytes(range.first), keyAfter(keyBytes(range.last))]
      : [keyBytes(range.prefix), endOfPrefix(keyBytes(range.prefix))]
  return { key: first.toString('base64'), range_end: end.toString('base64') }
}

/** The next key: no other one is between the two. */
export function keyAfter(key: Buffer): Buffer {
  return Buffer.concat([key, ZERO])
}

/** The first key beyond all keys with the prefix. UTF-8 has no byte 0xff, so that the last byte can grow. */
export function endOfPrefix(prefix: Buffer): Buffer {
  const end = Buffer.from(prefix)
  end[end.length - 1]! += 1
  return end
}

export function encodedKey(key: string): string {
  return keyBytes(key).toString('base64')
}

/** An empty key would be refused by etcd, and an empty prefix would be the whole store. */
export function keyBytes(key: string): Buffer {
  if (key === '') throw new TypeError('key: expected a text that is not empty, got an empty one')
  return Buffer.from(key, 'utf8')
}
