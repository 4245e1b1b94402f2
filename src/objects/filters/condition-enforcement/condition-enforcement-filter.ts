import { FilterKind, HandlerKind, passes, type RequestCondition } from '#contracts'
import { type Filter, type Handler, respond } from '#http'
import type { Logger } from '#logging'
import { condition, defineType, ref } from '#schema'

/** Lets only requests through for which a condition holds. */
export const ConditionEnforcementFilter = defineType({
  name: 'ConditionEnforcementFilter',
  kind: FilterKind,
  summary: 'Lets a request through only where a condition holds.',
  config: {
    condition: condition().meta({ description: 'Only true lets the request through.' }),
    failureHandler: ref(HandlerKind)
      .optional()
      .meta({ description: 'Answers requests that are not let through; 403 without content by default.' }),
  },
  create: ({ condition, failureHandler }, env) => enforce(condition, failureHandler ?? refuse, env.logger),
})

const refuse: Handler = async () => respond(403)

/** A condition that fails counts as false: here that shuts the door. */
function enforce(condition: RequestCondition, otherwise: Handler, logger: Logger): Filter {
  return async (exchange, next) =>
    (await passes(condition, exchange, null, logger)) ? next(exchange) : otherwise(exchange)
}
