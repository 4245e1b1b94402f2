import { setImmediate as nextTurn } from 'node:timers/promises'
import { BodyTooLargeError, type Exchange, mediaType } from '#http'
import {
  countMembers,
  exceedsDoubleRange,
  isPlainObject,
  JsonNumber,
  type JsonObject,
  JsonSyntaxError,
  type JsonValue,
  measureJson,
  parseJson,
  syntaxErrorIn,
} from '#json'
import { BODY_LIMITS, type BodyLimits } from '../resource-size.ts'
import { RequestError } from './refusal.ts'

const LARGE_BODY_BYTES = 64 * 1024

/** Longer texts are not parsed again for a better message. */
const MAX_REREAD = 65_536

const CHARSET = /;\s*charset\s*=\s*"?([^\s;"]+)"?/i

/** The JSON of a request; null where it has no body. Strict: UTF-8, no comments, no duplicate members, finite numbers. */
export async function readJsonBody(
  { request }: Exchange,
  limits: BodyLimits = BODY_LIMITS,
): Promise<JsonValue | undefined> {
  const bytes = await request.body.read(limits.bytes).catch((error: unknown) => {
    if (error instanceof BodyTooLargeError) throw new RequestError(413, `the body is larger than ${limits.bytes} bytes`)
    throw error
  })
  if (bytes.length === 0) return undefined
  if (mediaType(request.headers) !== 'application/json' || !isUtf8(request.headers.get('content-type') ?? '')) {
    throw new RequestError(415, 'Content-Type: expected application/json')
  }
  const coding = request.headers.get('content-encoding')
  if (coding !== null && coding.toLowerCase() !== 'identity') {
    throw new RequestError(415, 'Content-Encoding: expected a body that is not compressed')
  }
  const text = decode(bytes)
  const { members, excess } = measureJson(text, { depth: Number.POSITIVE_INFINITY, values: limits.values })
  if (excess !== null) throw new RequestError(400, `the body: ${excess.reason}`)
  // With a large body each step takes long, and so does the provider: yield to the event loop in between.
  const isLarge = bytes.length > LARGE_BODY_BYTES
  if (isLarge) await nextTurn()
  const value = parseStrictly(text, members)
  if (isLarge) await nextTurn()
  return value
}

/** The JSON object of a create or update. */
export async function readResourceBody(exchange: Exchange, limits?: BodyLimits): Promise<JsonObject> {
  const body = await readJsonBody(exchange, limits)
  if (body === undefined) throw new RequestError(400, 'expected a body: the resource as a JSON object')
  if (!isPlainObject(body)) throw new RequestError(400, 'the body: expected a JSON object, the resource')
  return body as JsonObject
}

function isUtf8(contentType: string): boolean {
  const charset = CHARSET.exec(contentType)?.[1]
  return charset === undefined || /^utf-?8$/i.test(charset)
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new RequestError(400, 'the body is not UTF-8 text')
  }
}

function parseStrictly(text: string, members: number): JsonValue {
  try {
    const value = parseJson(text)
    // JSON.parse uses the last of two members of one name; another parser could use the first.
    if (countMembers(value) !== members) throw duplicate(text)
    if (!isWritable(value)) throw new RequestError(400, 'the body: a number is too large')
    return value
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw new RequestError(400, `the body: ${whyNot(text, error)}`)
    throw error
  }
}

/** JSON.parse rarely reports the position. The parser of configuration files does, but is slower and accepts comments. */
function whyNot(text: string, { message }: JsonSyntaxError): string {
  if (text.length > MAX_REREAD) return message
  return syntaxErrorIn(text)?.message ?? 'not valid JSON; comments, a byte order mark and the like are for files'
}

/** Parses again with the slower parser, to name the member and its position. */
function duplicate(text: string): Error {
  return syntaxErrorIn(text) ?? new RequestError(400, 'the body: a member is given twice')
}

/** Whether other parsers can read all numbers of a value when it is serialised. */
function isWritable(value: JsonValue): boolean {
  if (typeof value !== 'object' || value === null) return true
  if (value instanceof JsonNumber) return !exceedsDoubleRange(value)
  return Object.values(value).every(isWritable)
}
