import { isUtf8 } from 'node:buffer'
import {
  DuplicateMemberError,
  isPlainObject,
  JsonLimitError,
  type JsonObject,
  type JsonValue,
  parseUniqueJson,
} from '#json'
import { TokenError } from './token-error.ts'

/** Deeper than the claims of any issuer; code that reads claims may recurse. */
const LIMITS = { depth: 32 }

/**
 * The JSON object in a part of a token, with exact numbers. Duplicate members are rejected (RFC 7515 section 4, RFC 7519
 * section 4): another parser could use the other one.
 */
export function readObject(bytes: Buffer, part: string): JsonObject {
  if (!isUtf8(bytes)) throw new TokenError(`the ${part} of the token is not valid UTF-8`)
  const value = parsed(bytes.toString('utf8'), part)
  if (!isPlainObject(value)) throw new TokenError(`the ${part} of the token is not a JSON object`)
  return value as JsonObject
}

function parsed(text: string, part: string): JsonValue {
  try {
    return parseUniqueJson(text, LIMITS)
  } catch (error) {
    if (error instanceof JsonLimitError) {
      throw new TokenError(`the ${part} of the token is nested more than ${LIMITS.depth} levels`)
    }
    if (error instanceof DuplicateMemberError) throw new TokenError(`the ${part} of the token gives a member twice`)
    throw new TokenError(`the ${part} of the token is not valid JSON`)
  }
}
