import type { IdleTime, SessionLookup, SessionLookupResult } from '#access-manager'
import { TtlCache, Unavailable } from '#cache'
import { AccessManagerError, type AmSession, type AmSessions } from '#contracts'
import type { Environment } from '#schema'
import { sessionTags, tokenDigest } from '../../lib/am/session-tags.ts'
import { openCache } from '../../lib/caching/cache.ts'
import { FallbackTtl, type NotifyingService } from '../../lib/caching/fallback-ttl.ts'
import { EndedSessions } from './ended-sessions.ts'
import type { SessionCacheValues, SessionIdleRefreshValues } from './session-fields.ts'

interface SessionsParts {
  readonly lookup: SessionLookup
  readonly cache: SessionCacheValues
  readonly refresh: SessionIdleRefreshValues
  readonly source: NotifyingService
}

/** Null for an unknown session. */
interface CachedSession {
  session: AmSession | null
}

/** Maximum of sessions recorded as reported; beyond it the oldest may be reported again. */
const MAX_REFRESHED = 100_000
/** A session is looked up again this long before its idle timeout. */
const IDLE_MARGIN = 30_000
/** TTL of a session where notifications of its end may get lost. */
const FALLBACK_TTL = 30_000

/** Session lookups, with a cache if configured. */
export async function openSessions(parts: SessionsParts, env: Environment): Promise<AmSessions> {
  const { lookup, cache, refresh } = parts
  const inUse = new TtlCache<object>(MAX_REFRESHED, refresh.interval)
  const idleTimeFor = (key: string): IdleTime => {
    const now = env.clock.monotonic()
    if (!refresh.enabled || inUse.get(key, now) !== null) return 'unchanged'
    inUse.set(key, {}, now)
    return 'reset'
  }
  if (!cache.enabled) {
    return {
      find: async (token) => (await lookup.find(token, idleTimeFor(tokenDigest(token))))?.session ?? null,
      evict: () => {},
    }
  }
  const ended = new EndedSessions(await env.shared('ended', EndedSessions.BYTES))
  return cachedSessions(parts, env, ended, idleTimeFor)
}

function cachedSessions(
  { lookup, cache, source }: SessionsParts,
  env: Environment,
  ended: EndedSessions,
  idleTimeFor: (key: string) => IdleTime,
): AmSessions {
  const { clock, logger } = env
  const { notifications } = source
  const fallbackTtl = new FallbackTtl(
    source,
    {
      configured: cache.maximumTimeToCache ?? null,
      fallback: FALLBACK_TTL,
      field: 'sessionCache.maximumTimeToCache',
      accepted: 'ended sessions',
    },
    env,
  )
  const { onNotificationDisconnection: strategy } = cache
  const invalidation = notifications && { notifications, strategy, tagsOf: sessionTags }
  const sessions = openCache<CachedSession>('session', cache, invalidation, env)
  const ask = async (token: string, key: string, idleTime: IdleTime) => {
    const [found, limit] = await Promise.all([lookup.find(token, idleTime), fallbackTtl.limit()])
    return {
      value: { session: found?.session ?? null },
      ttl: found === null ? 0 : Math.min(ttlOf(found, cache.maximumTimeToCache, clock.now()), limit),
      tags: [key, ...(found?.names ?? [])],
      negative: found === null,
    }
  }
  return {
    find: async (token) => {
      sessions.invalidate(ended.take())
      const key = tokenDigest(token)
      const idleTime = idleTimeFor(key)
      let asked = false
      const answer = await sessions.get(key, () => {
        asked = true
        return ask(token, key, idleTime)
      })
      if (answer instanceof Unavailable) throw new AccessManagerError('unavailable', `sessions: ${answer.reason}`)
      if (!asked && idleTime === 'reset')
        reportInUse(lookup, token, answer, (error) => {
          logger.debug({ error }, 'reporting the use of a session to the access manager failed')
        })
      return answer.session
    },
    evict: (token) => {
      const key = tokenDigest(token)
      ended.add(key)
      sessions.invalidate([key])
    },
  }
}

/** In the background; a session that has ended is removed from the cached entry. */
function reportInUse(
  lookup: SessionLookup,
  token: string,
  cached: CachedSession,
  failed: (error: unknown) => void,
): void {
  lookup.find(token, 'reset').then((found) => {
    if (found === null) cached.session = null
  }, failed)
}

/** Milliseconds; never beyond the end of the session. */
function ttlOf({ session }: SessionLookupResult, limit: number | undefined, now: number): number {
  const { maxSessionExpirationTime, maxIdleExpirationTime } = session
  const end = maxSessionExpirationTime === null ? Number.POSITIVE_INFINITY : maxSessionExpirationTime - now
  if (limit !== undefined) return Math.min(limit, end)
  const idleEnd = maxIdleExpirationTime === null ? Number.POSITIVE_INFINITY : maxIdleExpirationTime - now - IDLE_MARGIN
  const time = Math.min(end, idleEnd)
  // A session without an expiry is not cached.
  return Number.isFinite(time) ? time : 0
}
