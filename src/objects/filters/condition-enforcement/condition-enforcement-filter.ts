import { CONDITION_EVENTS, FilterKind, HandlerKind, matches, type RequestCondition } from '#contracts'
import { type Filter, type Handler, respond } from '#http'
import type { Logger } from '#logging'
import { condition, defineType, ref } from '#schema'
import { recordDenied } from '../../lib/audit/decisions.ts'

/** Passes on only requests for which a condition is true. */
export const ConditionEnforcementFilter = defineType({
  name: 'ConditionEnforcementFilter',
  kind: FilterKind,
  summary: 'Admits requests that fulfil a condition; refuses all others.',
  diverts: { failureHandler: [] },
  events: [CONDITION_EVENTS.FAILED],
  config: {
    condition: condition().meta({ description: 'The request is passed on only if this is true.' }),
    failureHandler: ref(HandlerKind)
      .optional()
      .meta({ description: 'Handles requests that are not passed on; 403 without content by default.' }),
  },
  create: ({ condition, failureHandler }, env) => enforce(condition, failureHandler ?? refuse, env.logger),
})

const refuse: Handler = async () => respond(403)

/** A condition that fails counts as false, so that the request is rejected. */
function enforce(condition: RequestCondition, otherwise: Handler, logger: Logger): Filter {
  return async (exchange, next) => {
    if (await matches(condition, exchange, null, logger)) return next(exchange)
    recordDenied(exchange, logger, 'the condition is not true')
    return otherwise(exchange)
  }
}
