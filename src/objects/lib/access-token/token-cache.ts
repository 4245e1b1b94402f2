import { cacheCounters, type DisconnectionStrategy, RevocableCache } from '#cache'
import type { AccessTokenResolver, AmService, Executor } from '#contracts'
import { config, type Environment, oneOf } from '#schema'
import { AnswerAge } from '../answer-age.ts'
import { CachedResolver, type KeepingTimes, type Verdict } from './cached-resolver.ts'
import { marksIn } from './token-marks.ts'

/** What a cache of tokens is made of, whatever its fields are called. */
export interface TokenCacheSettings extends KeepingTimes {
  /** What the configuration calls `maxTimeout`. */
  readonly maxTimeoutField: string
  readonly maximumSize: number
  readonly executor: Executor
  readonly amService: AmService | null
  readonly onNotificationDisconnection: DisconnectionStrategy
}

/** Tokens that are kept where nobody says how many, in one unit. */
export const DEFAULT_SIZE = 100_000

const SWEEP_INTERVAL = 10_000

/** The field `onNotificationDisconnection`, wherever it stands. */
export const STRATEGY_FIELD = config(
  oneOf(['NEVER_CLEAR', 'CLEAR_ON_DISCONNECT', 'CLEAR_ON_RECONNECT'] satisfies DisconnectionStrategy[]),
)
  .prefault('CLEAR_ON_DISCONNECT')
  .meta({
    description:
      'What happens to the cache while the notification service is lost: what is not in it is denied until the service is back; what is in it is kept (NEVER_CLEAR), cleared at once (CLEAR_ON_DISCONNECT) or cleared when the service is back (CLEAR_ON_RECONNECT). Has effect with amService only.',
  })

/** Puts a cache before a resolver, for as long as the object lives. */
export function cachedResolver(
  delegate: AccessTokenResolver,
  settings: TokenCacheSettings,
  env: Environment,
): CachedResolver {
  const {
    maximumSize,
    executor,
    amService,
    onNotificationDisconnection: strategy,
    defaultTimeout,
    maxTimeout,
  } = settings
  const { clock, logger } = env
  const notifications = amService?.notifications ?? null
  if (amService !== null && notifications === null) {
    env.warn('the notifications of amService are disabled: revoked tokens stay in the cache until their time is over')
  }
  const cache = new RevocableCache<Verdict>({
    maximumSize,
    clock,
    counters: cacheCounters('access-token', env),
    news: notifications === null ? null : { notifications, strategy, marksOf: marksIn },
  })
  env.onDispose(() => cache.dispose())
  env.onDispose(executor.repeat(SWEEP_INTERVAL, () => cache.sweep()))
  return new CachedResolver(delegate, {
    cache,
    hasNews: notifications !== null,
    age: answerAge(amService ?? delegate.accessManager ?? null, settings, env),
    clock,
    logger,
    defaultTimeout,
    maxTimeout,
  })
}

function answerAge(
  source: AmService | null,
  { defaultTimeout, maxTimeout, maxTimeoutField }: TokenCacheSettings,
  env: Environment,
): AnswerAge | null {
  if (source === null) return null
  const field = maxTimeout === null ? 'defaultTimeout' : maxTimeoutField
  const configured = maxTimeout ?? defaultTimeout
  return new AnswerAge(source, { configured, short: defaultTimeout, field, accepted: 'revoked tokens' }, env)
}
