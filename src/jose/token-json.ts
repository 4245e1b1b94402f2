import { isUtf8 } from 'node:buffer'
import { isPlainObject, type JsonObject } from '#json'
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
  const written = membersWritten(text, part)
  const value = parsed(text, part)
  if (!isPlainObject(value)) throw new TokenError(`the ${part} of the token is not a JSON object`)
  if (membersRead(value) !== written) throw new TokenError(`the ${part} of the token gives a member twice`)
  return value as JsonObject
}

function parsed(text: string, part: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new TokenError(`the ${part} of the token is not valid JSON`)
  }
}

/** Members in a value and in all values inside it. */
function membersRead(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  let found = 0
  if (Array.isArray(value)) {
    for (const item of value) found += membersRead(item)
    return found
  }
  for (const name of Object.keys(value)) found += 1 + membersRead((value as Record<string, unknown>)[name])
  return found
}

/**
 * Colons outside of strings: each member that was written has one, also those that a later twin replaced. The same walk
 * sees to it that nothing is nested too deep, before it is read.
 */
function membersWritten(text: string, part: string): number {
  let signs = 0
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit === 0x22) at = endOfString(text, at)
    else if (unit === 0x3a) signs++
    else if (unit === 0x7b || unit === 0x5b) {
      if (++depth > MAX_DEPTH) throw new TokenError(`the ${part} of the token is nested more than ${MAX_DEPTH} levels`)
    } else if (unit === 0x7d || unit === 0x5d) depth--
  }
  return signs
}

/** Where the string ends that begins at a quotation mark: at the next one before which no odd number of `\` stands. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let escapes = 0
    while (text.charCodeAt(at - 1 - escapes) === 0x5c) escapes++
    if (escapes % 2 === 0) return at
  }
  return text.length
}
