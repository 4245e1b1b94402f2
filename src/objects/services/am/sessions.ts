import type { FoundSession, IdleTime, SessionLookup } from '#access-manager'
import { BriefMemory, cacheCounters, NotAsked, RevocableCache } from '#cache'
import { AccessManagerError, type AmSession, type AmSessions } from '#contracts'
import type { Environment } from '#schema'
import { AnswerAge, type AnswerSource } from '../../lib/answer-age.ts'
import { sessionMarks, tokenDigest } from '../../lib/session-marks.ts'
import type { SessionCacheValues, SessionIdleRefreshValues } from './session-fields.ts'

/** What sessions are looked up by. */
interface SessionsParts {
  readonly lookup: SessionLookup
  readonly cache: SessionCacheValues
  readonly refresh: SessionIdleRefreshValues
  readonly source: AnswerSource
}

/** A kept session; null where there was none. */
interface Kept {
  session: AmSession | null
}

const SWEEP_INTERVAL = 30_000
/** Sessions of which it is known that they were told to be in use; one more is told again. */
const MOST_REFRESHED = 100_000
/** A session is looked up anew this long before it would end unused. */
const IDLE_MARGIN = 30_000
/** How long a session is believed in where notifications of its end may get lost. */
const SHORT_TIME = 30_000

/** Looks sessions up, with a cache where one is wanted. */
export function openSessions(parts: SessionsParts, env: Environment): AmSessions {
  const { lookup, cache, refresh } = parts
  const inUse = new BriefMemory<object>(MOST_REFRESHED, refresh.interval)
  const idleTimeFor = (key: string): IdleTime => {
    const now = env.clock.monotonic()
    if (!refresh.enabled || inUse.get(key, now) !== null) return 'kept'
    inUse.remember(key, {}, now)
    return 'reset'
  }
  if (!cache.enabled) {
    return {
      find: async (token) => (await lookup.find(token, idleTimeFor(tokenDigest(token))))?.session ?? null,
      forget: () => {},
    }
  }
  return cachedSessions(parts, env, idleTimeFor)
}

function cachedSessions(
  { lookup, cache, source }: SessionsParts,
  env: Environment,
  idleTimeFor: (key: string) => IdleTime,
): AmSessions {
  const { clock, logger } = env
  const { notifications } = source
  const age = new AnswerAge(
    source,
    {
      configured: cache.maximumTimeToCache ?? null,
      short: SHORT_TIME,
      field: 'sessionCache.maximumTimeToCache',
      accepted: 'ended sessions',
    },
    env,
  )
  const kept = new RevocableCache<Kept>({
    maximumSize: Math.max(1, Math.ceil(cache.maximumSize / env.units)),
    clock,
    counters: cacheCounters('session', env),
    news:
      notifications === null
        ? null
        : { notifications, strategy: cache.onNotificationDisconnection, marksOf: sessionMarks },
  })
  const stopSweeping = cache.executor.repeat(SWEEP_INTERVAL, () => kept.sweep())
  env.onDispose(() => {
    stopSweeping()
    kept.dispose()
  })
  const ask = async (token: string, key: string, idleTime: IdleTime) => {
    const [found, limit] = await Promise.all([lookup.find(token, idleTime), age.limit()])
    return {
      value: { session: found?.session ?? null },
      keepFor: found === null ? 0 : Math.min(timeToKeep(found, cache.maximumTimeToCache, clock.now()), limit),
      marks: [key, ...(found?.names ?? [])],
      negative: found === null,
    }
  }
  return {
    find: async (token) => {
      const key = tokenDigest(token)
      const idleTime = idleTimeFor(key)
      let asked = false
      const answer = await kept.find(key, () => {
        asked = true
        return ask(token, key, idleTime)
      })
      if (answer instanceof NotAsked) throw new AccessManagerError('unavailable', `sessions: ${answer.reason}`)
      if (!asked && idleTime === 'reset')
        tellInUse(lookup, token, answer, (error) => {
          logger.debug({ error }, 'the access manager could not be told that a session is in use')
        })
      return answer.session
    },
    forget: (token) => kept.revoke([tokenDigest(token)]),
  }
}

/** Nobody waits for it; where the session turns out to have ended, it is kept no longer. */
function tellInUse(lookup: SessionLookup, token: string, kept: Kept, failed: (error: unknown) => void): void {
  lookup.find(token, 'reset').then((found) => {
    if (found === null) kept.session = null
  }, failed)
}

/** Milliseconds; never beyond the end of the session. */
function timeToKeep({ session }: FoundSession, limit: number | undefined, now: number): number {
  const { maxSessionExpirationTime, maxIdleExpirationTime } = session
  const end = maxSessionExpirationTime === null ? Number.POSITIVE_INFINITY : maxSessionExpirationTime - now
  if (limit !== undefined) return Math.min(limit, end)
  const idleEnd = maxIdleExpirationTime === null ? Number.POSITIVE_INFINITY : maxIdleExpirationTime - now - IDLE_MARGIN
  const time = Math.min(end, idleEnd)
  // A server that tells no end: nothing says for how long the answer is good.
  return Number.isFinite(time) ? time : 0
}
