import { createHash } from 'node:crypto'
import type { Notification } from '#contracts'

/** Fields of notifications that identify no session. */
const NO_TAGS: ReadonlySet<string> = new Set(['eventType', 'realm'])

/** Identifies a session token in indexes and logs. */
export function tokenDigest(token: string): string {
  return createHash('sha256').update(token).digest('base64url')
}

/** Whether a notification affects no cached data. */
export function isIgnored({ topic, body }: Notification): boolean {
  return topic === '/agent/config' || (isAboutSessions(topic) && body['eventType'] === 'SESSION_CREATION')
}

/**
 * The tags that a notification invalidates: every string of its body, since the field names are undocumented, and the digest of each,
 * since it may be a token. An unknown event counts as the end of a session.
 */
export function sessionTags(notification: Notification): readonly string[] | 'everything' {
  const { topic, body } = notification
  if (!isAboutSessions(topic) || isIgnored(notification)) return []
  const tags = Object.entries(body).flatMap(([field, value]) =>
    typeof value === 'string' && !NO_TAGS.has(field) ? [value] : [],
  )
  return tags.length === 0 ? 'everything' : tags.flatMap((tag) => [tag, tokenDigest(tag)])
}

function isAboutSessions(topic: string): boolean {
  return topic.startsWith('/agent/session')
}
