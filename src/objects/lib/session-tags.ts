import { createHash } from 'node:crypto'
import type { Notification } from '#contracts'

/** Fields of notifications that identify no session. */
const NO_TAGS: ReadonlySet<string> = new Set(['eventType', 'realm'])

/** Stands for a session token in indexes and logs. */
export function tokenDigest(token: string): string {
  return createHash('sha256').update(token).digest('base64url')
}

/** Whether a notification concerns nothing that the gateway caches. */
export function isIgnored({ topic, body }: Notification): boolean {
  return topic === '/agent/config' || (isAboutSessions(topic) && body['eventType'] === 'SESSION_CREATION')
}

/**
 * The tags that a notification invalidates: every string of its body, since the names of the fields are in no public text, each
 * also as the token it may be. An event that is not known counts as the end of a session.
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
