import { hash } from 'node:crypto'
import { type LoadResult, type RevocableCache, Unavailable } from '#cache'
import { AccessManagerError, type AmService, type Executor, type Notification, type UserProfile } from '#contracts'
import type { Environment } from '#schema'
import { isIgnored } from '../../lib/am/session-tags.ts'
import { openCache } from '../../lib/caching/cache.ts'

interface ProfileCacheSettings {
  readonly executor: Executor
  readonly maximumSize: number
  /** Milliseconds. */
  readonly maximumTimeToCache: number
}

/** Null for an unknown user. */
interface CachedProfile {
  readonly profile: UserProfile | null
}

/** Tag of all profiles. */
const ALL = 'all profiles'
/** Attributes by which notifications name a user. */
const NAMES: readonly string[] = ['username', '_id', 'uid', 'universalid', 'universalId', 'dn']
/** Fields of notifications that name no user. */
const NO_NAMES: ReadonlySet<string> = new Set(['eventType', 'realm'])

/**
 * Cached profiles, evicted by notifications that name the user and when notifications were missed. A profile is no proof of a
 * session: profiles are also looked up while notifications are disconnected.
 */
export class ProfileCache {
  readonly #cache: RevocableCache<CachedProfile>
  readonly #ttl: number

  constructor({ notifications }: AmService, settings: ProfileCacheSettings, env: Environment) {
    this.#ttl = settings.maximumTimeToCache
    this.#cache = openCache('user-profile', settings, null, env)
    if (notifications === null) return
    const stopListening = notifications.listen({
      notified: (notification) => this.#cache.invalidate(tagsOf(notification)),
      disconnected: () => this.#cache.invalidate([ALL]),
    })
    env.onDispose(stopListening)
  }

  async find(username: string, lookUp: () => Promise<UserProfile | null>): Promise<UserProfile | null> {
    const key = hash('sha256', username, 'base64url')
    const found = await this.#cache.get(key, async () => this.#entryOf(username, await lookUp()))
    if (found instanceof Unavailable) throw new AccessManagerError('unavailable', `users: ${found.reason}`)
    return found.profile
  }

  #entryOf(username: string, profile: UserProfile | null): LoadResult<CachedProfile> {
    const names = NAMES.map((name) => profile?.text(name) ?? null).filter((name) => name !== null)
    return { value: { profile }, ttl: this.#ttl, tags: [ALL, username, ...names], negative: profile === null }
  }
}

/** Every text of the body, since the field names are undocumented; changes of policies affect no profile. */
function tagsOf(notification: Notification): readonly string[] {
  const { topic, body } = notification
  if (topic.startsWith('/agent/policy') || isIgnored(notification)) return []
  return Object.entries(body).flatMap(([field, value]) =>
    typeof value === 'string' && !NO_NAMES.has(field) ? [value] : [],
  )
}
