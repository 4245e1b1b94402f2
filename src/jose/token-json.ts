import { isUtf8 } from 'node:buffer'
import { isPlainObject, type JsonObject, type JsonValue, parseJson } from '#json'
import { TokenError } from './token-error.ts'

/** Nothing that an issuer writes is deeper; every reader of claims may recurse into them. */
const MAX_DEPTH = 32

/**
 * The JSON object in a part of a token. A member that is given twice is refused (RFC 7515 section 4, RFC 7519
 * section 4): two readers could believe two different ones.
 */
export function readObject(bytes: Buffer, part: string): JsonObject {
  if (!isUtf8(bytes)) throw new TokenError(`the ${part} of the token is not valid UTF-8`)
  const text = bytes.toString('utf8')
  const value = parsed(text, part)
  if (!isPlainObject(value)) throw new TokenError(`the ${part} of the token is not a JSON object`)
  if (members(value) !== memberSigns(text)) {
    throw new TokenError(`the ${part} of the token gives a member twice`)
  }
  return value as JsonObject
}

function parsed(text: string, part: string): JsonValue {
  try {
    return parseJson(text, MAX_DEPTH)
  } catch {
    throw new TokenError(`the ${part} of the token is not valid JSON of at most ${MAX_DEPTH} levels`)
  }
}

/** Members in a value and in all values inside it. */
function members(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  if (Array.isArray(value)) {
    let inside = 0
    for (const item of value) inside += members(item)
    return inside
  }
  const names = Object.keys(value)
  let found = names.length
  for (const name of names) found += members((value as Record<string, unknown>)[name])
  return found
}

/** Colons outside of strings: each member that was written has one, also those that a later twin replaced. */
function memberSigns(text: string): number {
  let signs = 0
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit === 0x22) at = endOfString(text, at)
    else if (unit === 0x3a) signs++
  }
  return signs
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit === 0x22) return at
    if (unit === 0x5c) at++
  }
  return text.length
}
