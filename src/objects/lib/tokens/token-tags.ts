import { hash } from 'node:crypto'
import type { Notification } from '#contracts'
import { isPlainObject, type JsonObject, type JsonValue } from '#json'

/** The fields that identify a token, or its grant, in notifications of an access manager (protocol 6.4). */
const TAG_FIELDS = ['authGrantId', 'auditTrackingId', 'jti']

const MAX_TAG_LENGTH = 512
/** Shorter strings of a notification are neither a token nor a digest. */
const MIN_TOKEN_LENGTH = 16
/** Maximum of values read from one notification. A notification with more invalidates every token. */
const MAX_VALUES = 1_000
/** Fields of notifications that identify no token. */
const NO_TAGS: ReadonlySet<string> = new Set(['eventType', 'realm'])
const HEX_DIGEST = /^[0-9a-fA-F]{64}$/

/** Cache key of a token: caches do not hold the tokens themselves for as long as their entries (threats B55). */
export function digestOf(token: string): string {
  return hash('sha256', token, 'base64url')
}

/** The ids of a token at its server. */
export function tagsOfToken(info: JsonObject): string[] {
  return TAG_FIELDS.map((field) => info[field]).filter(isTag)
}

/**
 * The tags that a notification invalidates. The field that identifies the token is undocumented, so every string is used as an id,
 * as the token itself and as its digest. The ids are random, and an entry that is removed without need is loaded again.
 * A notification about tokens without an id, or with too many values, invalidates every token.
 */
export function tagsOfNotification({ topic, body }: Notification): readonly string[] | 'everything' {
  const texts = textsIn(body)
  if (texts === null || (texts.length === 0 && topic.includes('oauth2'))) return 'everything'
  const tags: string[] = []
  for (const value of texts) {
    if (value.length <= MAX_TAG_LENGTH) tags.push(value)
    if (value.length < MIN_TOKEN_LENGTH) continue
    tags.push(HEX_DIGEST.test(value) ? Buffer.from(value, 'hex').toString('base64url') : digestOf(value))
  }
  return tags
}

/** The strings of a body; null where it has more than MAX_VALUES values. */
function textsIn(body: JsonObject): string[] | null {
  const texts: string[] = []
  const values: JsonValue[] = Object.keys(body)
    .filter((field) => !NO_TAGS.has(field))
    .map((field) => body[field] as JsonValue)
  if (values.length > MAX_VALUES) return null
  for (let at = 0; at < values.length; at++) {
    const value = values[at]
    if (typeof value === 'string') texts.push(value)
    else if (Array.isArray(value) || isPlainObject(value)) {
      const inner = Object.values(value) as JsonValue[]
      if (values.length + inner.length > MAX_VALUES) return null
      values.push(...inner)
    }
  }
  return texts
}

function isTag(value: JsonValue | undefined): value is string {
  return typeof value === 'string' && value !== '' && value.length <= MAX_TAG_LENGTH
}
