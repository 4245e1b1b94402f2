import { Executor } from '#contracts'
import { boolean, config, type DecodedMembers, duration, integer, object, oneOf, ref, type Settled } from '#schema'

const CACHE_MEMBERS = {
  enabled: config(boolean())
    .default(false)
    .meta({ description: 'Whether sessions are kept once they were looked up.' }),
  executor: ref(Executor)
    .default('ScheduledExecutorService')
    .meta({ description: 'Service that clears away sessions that are kept no longer.' }),
  maximumSize: config(integer({ min: 1 }))
    .default(100_000)
    .meta({
      description:
        'Sessions that are kept in the whole gateway; each unit gets an even share. The one unused for longest makes room.',
    }),
  maximumTimeToCache: config(duration()).optional().meta({
    description:
      'Longest time for which a session is kept, never beyond its own end. By default until 30 seconds before it would end unused; 30 seconds with OpenAM, whose notifications get lost.',
  }),
  onNotificationDisconnection: config(oneOf(['NEVER_CLEAR', 'CLEAR_ON_DISCONNECT', 'CLEAR_ON_RECONNECT']))
    .default('CLEAR_ON_DISCONNECT')
    .meta({ description: 'Treatment of cached sessions while notifications about them may be missed.' }),
}

/** The field `sessionCache` of AmService. */
export const SESSION_CACHE_FIELD = object(CACHE_MEMBERS)
  .default({})
  .meta({ description: 'Caches sessions until notifications say that they have ended or changed.' })

/** The field `sessionCache`. */
export type SessionCacheValues = Settled<DecodedMembers<typeof CACHE_MEMBERS>>

const REFRESH_MEMBERS = {
  enabled: config(boolean())
    .default(false)
    .meta({ description: 'Whether the use of a session at the gateway keeps it from ending unused.' }),
  interval: config(duration({ unlimited: false }))
    .default('5 minutes')
    .meta({ description: 'Least time between two such calls for one session; zero: each lookup is one.' }),
}

/** The field `sessionIdleRefresh` of AmService. */
export const SESSION_IDLE_REFRESH_FIELD = object(REFRESH_MEMBERS)
  .default({})
  .meta({ description: 'Tells the access manager that a session is in use.' })

/** Whether and how often the use of sessions is reported to the access manager. */
export type SessionIdleRefreshValues = Settled<DecodedMembers<typeof REFRESH_MEMBERS>>
