import type { AmService } from '#contracts'
import type { Exchange, Filter, Handler, Response } from '#http'
import type { Logger } from '#logging'
import type { Clock, Runtime } from '#schema'
import { endSession } from '../../lib/am/am-logout.ts'
import { sessionTokensFor } from '../../lib/am/session-token.ts'
import { recordResponse } from '../../lib/audit/decisions.ts'
import { dropContent } from '../../lib/sessions/application-content.ts'
import { type SessionCookieSettings, takeCookies, writeCookie } from '../../lib/sessions/session-cookie.ts'
import type { SymmetricKeys } from '../../lib/sessions/symmetric-keys.ts'
import { sessionLookupFailed } from '../lib/access-manager-failure.ts'
import { type Activity, openActivity, sealActivity } from './activity-tracker.ts'

/** How the idle timeout of a tracked session follows that of the filter. */
type IdleTimeoutUpdate = 'ALWAYS' | 'NEVER' | 'INCREASE_ONLY' | 'DECREASE_ONLY'

interface IdleTimeoutSettings {
  readonly amService: AmService
  /** Null: the session cookie. */
  readonly sessionToken: Runtime<string> | null
  /** Milliseconds. */
  readonly idleTimeout: number
  readonly update: IdleTimeoutUpdate
  readonly keys: SymmetricKeys
  readonly cookie: SessionCookieSettings
  /** Removes the session from the request; null: the cookie is removed. */
  readonly removeSession: Filter | null
  readonly clock: Clock
  readonly logger: Logger
}

/** A tracker is not written again within this time: requests of one page cause one. */
const RESOLUTION = 1_000

/** The session of a request, and its last use before the request. */
interface TrackedSession {
  readonly token: string
  /** Null without a valid tracker. */
  readonly tracked: Activity | null
  readonly activity: Activity
}

/** Ends sessions that were not used for the idle timeout. */
export function sessionIdleTimeout(settings: IdleTimeoutSettings): Filter {
  return async (exchange, next) => {
    const now = settings.clock.now()
    let session: TrackedSession | null
    let isExpired = false
    try {
      session = await findSession(settings, exchange, now)
      isExpired = session !== null && now - session.activity.lastActive > session.activity.idleTimeout
      if (session !== null && isExpired) await endIdleSession(settings, session.token, exchange)
    } catch (error) {
      return sessionLookupFailed(error, { exchange, logger: settings.logger })
    }
    if (session === null) return next(exchange)
    if (isExpired) return passWithoutSession(settings, exchange, next)
    const response = await next(exchange)
    await track(settings, session, exchange, response, now)
    return response
  }
}

/** Null for a request without a valid session. The tracker is removed from the request. */
async function findSession(
  settings: IdleTimeoutSettings,
  exchange: Exchange,
  now: number,
): Promise<TrackedSession | null> {
  const { amService, cookie } = settings
  const texts = takeCookies(exchange.request, (name) => name === cookie.name).get(cookie.name) ?? []
  // In the order in which login filters try them.
  for (const token of await sessionTokensFor(exchange, amService, settings.sessionToken)) {
    const tracked = await trackedActivity(texts, token, settings)
    const activity = tracked ?? (await ownActivity(amService, token, settings, now))
    if (activity !== null) return { token, tracked, activity }
  }
  return null
}

async function trackedActivity(
  texts: readonly string[],
  token: string,
  { cookie, keys }: IdleTimeoutSettings,
): Promise<Activity | null> {
  for (const text of texts) {
    const activity = await openActivity(text, token, cookie.name, keys)
    if (activity !== null) return activity
  }
  return null
}

/** Without a tracker, the last use is that at the access manager: a deleted cookie does not renew the session. */
async function ownActivity(
  amService: AmService,
  token: string,
  { idleTimeout }: IdleTimeoutSettings,
  now: number,
): Promise<Activity | null> {
  const session = await amService.sessions.find(token)
  return session === null ? null : { lastActive: session.latestAccessTime ?? now, idleTimeout }
}

async function endIdleSession(
  { amService, logger }: IdleTimeoutSettings,
  token: string,
  exchange: Exchange,
): Promise<void> {
  logger.debug(exchange.ids, 'session ended: it was idle for too long')
  dropContent(exchange.session)
  await endSession(amService, token, exchange, logger)
}

/**
 * Passes the request on without its session, so that a login filter behind starts a login. It is the reason of a 401, unless another
 * object has given one.
 */
async function passWithoutSession(
  { amService, cookie, removeSession, logger }: IdleTimeoutSettings,
  exchange: Exchange,
  next: Handler,
): Promise<Response> {
  const response = await (removeSession === null
    ? next(await withoutCookie(amService, exchange))
    : removeSession(exchange, next))
  if (response.status === 401) recordResponse(exchange, logger, response, 'session idle for too long')
  writeCookie(response, exchange, cookie, cookie.name, '')
  return response
}

async function withoutCookie(amService: AmService, exchange: Exchange): Promise<Exchange> {
  const cookieName = await amService.cookieName()
  takeCookies(exchange.request, (name) => name === cookieName)
  return exchange
}

async function track(
  settings: IdleTimeoutSettings,
  { token, tracked, activity }: TrackedSession,
  exchange: Exchange,
  response: Response,
  now: number,
): Promise<void> {
  const { cookie, keys } = settings
  const idleTimeout = updated(settings, activity)
  const isCurrent = tracked !== null && now - tracked.lastActive < RESOLUTION && tracked.idleTimeout === idleTimeout
  if (isCurrent) return
  const text = await sealActivity({ lastActive: now, idleTimeout }, token, cookie.name, keys)
  writeCookie(response, exchange, cookie, cookie.name, text, Math.ceil(idleTimeout / 1_000))
}

function updated({ idleTimeout, update }: IdleTimeoutSettings, { idleTimeout: tracked }: Activity): number {
  switch (update) {
    case 'ALWAYS':
      return idleTimeout
    case 'NEVER':
      return tracked
    case 'INCREASE_ONLY':
      return Math.max(tracked, idleTimeout)
    case 'DECREASE_ONLY':
      return Math.min(tracked, idleTimeout)
  }
}
