import { type AmService, AmServiceKind, AmSessionContext, AmSessionInfo, FilterKind } from '#contracts'
import { type Exchange, type Filter, respond } from '#http'
import type { Logger } from '#logging'
import { defineType, type Runtime, ref, runtime } from '#schema'
import { firstSessionOf, sessionTokensFor } from '../../lib/am/session-token.ts'
import { recordDenied } from '../../lib/audit/decisions.ts'
import { sessionLookupFailed } from '../lib/access-manager-failure.ts'
import { EVENTS } from '../log-events.ts'

/** Provides data of the session at the access manager. */
export const SessionInfoFilter = defineType({
  name: 'SessionInfoFilter',
  kind: FilterKind,
  summary: 'Adds data and properties of the session at the access manager to the contexts.',
  provides: [AmSessionContext],
  events: [EVENTS.SESSION_LOOKUP_FAILED],
  config: {
    amService: ref(AmServiceKind).meta({
      description:
        'The access manager; its `sessionProperties` select the properties, its `sessionCache` caches sessions.',
    }),
    ssoToken: runtime('string').optional().meta({
      description:
        'The session token, such as `${contexts.ssoToken.value}`; by default the session cookie of the access manager.',
    }),
  },
  create: ({ amService, ssoToken }, { logger }) => sessionInfo(amService, ssoToken ?? null, logger),
})

/** Adds the session to the contexts; a request without one gets 403. */
function sessionInfo(amService: AmService, ssoToken: Runtime<string> | null, logger: Logger): Filter {
  return async (exchange, next) => {
    let session: AmSessionInfo | null
    try {
      session = await findSession(amService, ssoToken, exchange)
    } catch (error) {
      return sessionLookupFailed(error, { exchange, logger })
    }
    if (session !== null) return next(exchange.with(AmSessionContext, session))
    logger.debug(exchange.ids, 'the request has no session of the access manager')
    recordDenied(exchange, logger, 'no session at the access manager')
    return respond(403, { 'Cache-Control': 'no-store' }, 'The request has no valid session.\n')
  }
}

async function findSession(
  amService: AmService,
  ssoToken: Runtime<string> | null,
  exchange: Exchange,
): Promise<AmSessionInfo | null> {
  const found = await firstSessionOf(amService, await sessionTokensFor(exchange, amService, ssoToken))
  return found === null ? null : new AmSessionInfo(found.session, { amService, token: found.token })
}
