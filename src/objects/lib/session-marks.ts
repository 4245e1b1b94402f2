import { createHash } from 'node:crypto'
import type { Notification } from '#contracts'

/** Fields of news that tell what happened and where, not to whom. */
const NO_NAMES: ReadonlySet<string> = new Set(['eventType', 'realm'])

/** A session token in indexes and logs: none can be got back from it. */
export function tokenDigest(token: string): string {
  return createHash('sha256').update(token).digest('base64url')
}

/** Whether a notification is about nothing that the gateway keeps. */
export function isIgnored({ topic, body }: Notification): boolean {
  return topic === '/agent/config' || (isAboutSessions(topic) && body['eventType'] === 'SESSION_CREATION')
}

/**
 * What a notification may call sessions that are kept: every text of its body, since the names of the fields are in no
 * public text, and each of them as the token it may be. An event that is not known is taken for an end.
 */
export function sessionMarks(notification: Notification): readonly string[] | 'everything' {
  const { topic, body } = notification
  if (!isAboutSessions(topic) || isIgnored(notification)) return []
  const names = Object.entries(body).flatMap(([field, value]) =>
    typeof value === 'string' && !NO_NAMES.has(field) ? [value] : [],
  )
  return names.length === 0 ? 'everything' : names.flatMap((name) => [name, tokenDigest(name)])
}

function isAboutSessions(topic: string): boolean {
  return topic.startsWith('/agent/session')
}
