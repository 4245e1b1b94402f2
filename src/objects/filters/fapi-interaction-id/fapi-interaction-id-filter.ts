import { FilterKind, InteractionIdContext } from '#contracts'
import { type Filter, uuid } from '#http'
import { defineType, type Environment } from '#schema'

const HEADER = 'x-fapi-interaction-id'
/** A UUID (RFC 9562), as FAPI demands of clients. */
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Correlates requests and responses by an id (FAPI 1.0 part 1, section 6.2.1). */
export const FapiInteractionIdFilter = defineType({
  name: 'FapiInteractionIdFilter',
  kind: FilterKind,
  summary: 'Sets `x-fapi-interaction-id` of requests and responses.',
  provides: [InteractionIdContext],
  config: {},
  create: (_config, env) => correlate(env),
})

/** The application gets the id that the client gets. */
function correlate({ logger }: Pick<Environment, 'logger'>): Filter {
  return async (exchange, next) => {
    const { headers } = exchange.request
    const [sent = '', ...others] = headers.all(HEADER)
    const id = others.length === 0 && UUID.test(sent) ? sent : uuid()
    const request = exchange.request.clone()
    request.headers.set(HEADER, id)
    const correlated = exchange.withRequest(request).with(InteractionIdContext, { fapiInteractionId: id })
    const response = await next(correlated)
    response.headers.set(HEADER, id)
    logger.debug({ interactionId: id, status: response.status }, 'FAPI interaction')
    return response
  }
}
