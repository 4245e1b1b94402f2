import { FilterKind, HandlerKind } from '#contracts'
import type { Exchange, Filter, Handler, Response } from '#http'
import { defineType, list, object, type Runtime, ref, runtime } from '#schema'

const cases = () =>
  list(
    object({
      condition: runtime('boolean').default(true).meta({ description: 'When true, the handler of this case answers.' }),
      handler: ref(HandlerKind).meta({ description: 'Handler that answers in place of what would have come next.' }),
    }),
  ).default([])

/** Hands a request to another handler, before or after the rest of the chain has seen it. */
export const SwitchFilter = defineType({
  name: 'SwitchFilter',
  kind: FilterKind,
  summary: 'Diverts requests to other handlers, by what is known of the request or of the response.',
  config: {
    onRequest: cases().meta({ description: 'Cases tried in order before the request goes on.' }),
    onResponse: cases().meta({
      description: 'Cases tried in order once there is a response; the handler gets the request.',
    }),
  },
  create: ({ onRequest, onResponse }) => divert(onRequest, onResponse),
})

interface Case {
  readonly condition: Runtime<boolean>
  readonly handler: Handler
}

/** A condition that fails is a fault: a case may be there to keep a request from what comes next. */
function divert(onRequest: readonly Case[], onResponse: readonly Case[]): Filter {
  return async (exchange, next) => {
    const early = await firstTrue(onRequest, exchange, null)
    if (early !== null) return early(exchange)
    const response = await next(exchange)
    if (onResponse.length === 0) return response
    const late = await firstTrueOrGiveUp(onResponse, exchange, response)
    if (late === null) return response
    response.body.cancel()
    return late(exchange)
  }
}

async function firstTrue(
  cases: readonly Case[],
  exchange: Exchange,
  response: Response | null,
): Promise<Handler | null> {
  for (const { condition, handler } of cases) if ((await condition(exchange, response)) === true) return handler
  return null
}

async function firstTrueOrGiveUp(
  cases: readonly Case[],
  exchange: Exchange,
  response: Response,
): Promise<Handler | null> {
  try {
    return await firstTrue(cases, exchange, response)
  } catch (error) {
    response.body.cancel()
    throw error
  }
}
