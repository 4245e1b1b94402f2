import { boolean, config, type DecodedMembers, duration, object, type Settled } from '#schema'
import { maximumSizeField, strategyField, sweeperField } from '../../lib/caching/cache.ts'

const CACHE_MEMBERS = {
  enabled: config(boolean()).default(false).meta({ description: 'Whether sessions are cached after a lookup.' }),
  executor: sweeperField('sessions'),
  maximumSize: maximumSizeField('sessions'),
  maximumTimeToCache: config(duration()).optional().meta({
    description:
      'Maximum time in the cache, never beyond the end of the session. By default until 30 seconds before its idle timeout; 30 seconds with OpenAM, whose notifications get lost.',
  }),
  onNotificationDisconnection: strategyField('sessions'),
}

/** The field `sessionCache` of AmService. */
export const SESSION_CACHE_FIELD = object(CACHE_MEMBERS)
  .default({})
  .meta({ description: 'Cache of sessions, invalidated by notifications.' })

/** Values of the field `sessionCache`. */
export type SessionCacheValues = Settled<DecodedMembers<typeof CACHE_MEMBERS>>

const REFRESH_MEMBERS = {
  enabled: config(boolean())
    .default(false)
    .meta({ description: 'Whether the use of a session at the gateway resets its idle timeout.' }),
  interval: config(duration({ unlimited: false }))
    .default('5 minutes')
    .meta({ description: 'Minimum time between two such calls for one session; zero: with each lookup.' }),
}

/** The field `sessionIdleRefresh` of AmService. */
export const SESSION_IDLE_REFRESH_FIELD = object(REFRESH_MEMBERS)
  .default({})
  .meta({ description: 'Reports the use of sessions to the access manager.' })

/** Values of the field `sessionIdleRefresh`. */
export type SessionIdleRefreshValues = Settled<DecodedMembers<typeof REFRESH_MEMBERS>>
