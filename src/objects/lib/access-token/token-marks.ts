import { hash } from 'node:crypto'
import type { Notification } from '#contracts'
import { isPlainObject, type JsonObject, type JsonValue } from '#json'

/** The fields by which an access manager names a token, or the grant it belongs to, in its news (protocol 6.4). */
const NAMING_FIELDS = ['authGrantId', 'auditTrackingId', 'jti']

/** Longer values name nothing. */
const LONGEST_NAME = 512
/** A token, or its digest, is no shorter. */
const SHORTEST_TOKEN = 16
/** Values of one notification that are looked at; one with more may mean any token. */
const MOST_VALUES = 1_000
/** Fields of news that tell what happened and where, not to which token. */
const NO_NAMES: ReadonlySet<string> = new Set(['eventType', 'realm'])
const HEX_DIGEST = /^[0-9a-fA-F]{64}$/

/** What a token is known by without being known: two that differ in one bit have nothing in common (threats B55). */
export function digestOf(token: string): string {
  return hash('sha256', token, 'base64url')
}

/** The names that the server has for a token. */
export function namesIn(info: JsonObject): string[] {
  return NAMING_FIELDS.map((field) => info[field]).filter(isName)
}

/**
 * The marks that a notification may mean. Which field of it names the token is written down nowhere, so that every text
 * counts, also as the token itself or as its digest; the ids are random, and what goes without need is asked for again.
 * News about tokens that name none, or more than can be looked at, may mean any.
 */
export function marksIn({ topic, body }: Notification): readonly string[] | 'everything' {
  const texts = textsIn(body)
  if (texts === null || (texts.length === 0 && topic.includes('oauth2'))) return 'everything'
  const marks: string[] = []
  for (const value of texts) {
    if (value.length <= LONGEST_NAME) marks.push(value)
    if (value.length < SHORTEST_TOKEN) continue
    marks.push(HEX_DIGEST.test(value) ? Buffer.from(value, 'hex').toString('base64url') : digestOf(value))
  }
  return marks
}

/** The texts of a body; null where it holds more values than are looked at. */
function textsIn(body: JsonObject): string[] | null {
  const texts: string[] = []
  const values: JsonValue[] = Object.keys(body)
    .filter((field) => !NO_NAMES.has(field))
    .map((field) => body[field] as JsonValue)
  if (values.length > MOST_VALUES) return null
  for (let at = 0; at < values.length; at++) {
    const value = values[at]
    if (typeof value === 'string') texts.push(value)
    else if (Array.isArray(value) || isPlainObject(value)) {
      const inner = Object.values(value) as JsonValue[]
      if (values.length + inner.length > MOST_VALUES) return null
      values.push(...inner)
    }
  }
  return texts
}

function isName(value: JsonValue | undefined): value is string {
  return typeof value === 'string' && value !== '' && value.length <= LONGEST_NAME
}
