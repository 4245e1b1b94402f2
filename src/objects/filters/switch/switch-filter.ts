import { FilterKind, HandlerKind } from '#contracts'
import type { Exchange, Filter, Handler, Response } from '#http'
import { booleanCondition, decorationsBeside, defineType, ignored, list, object, type Runtime, ref } from '#schema'

const cases = () =>
  list(
    object(
      {
        condition: booleanCondition()
          .default(true)
          .meta({ description: 'If true, the handler of this case handles the request.' }),
        handler: ref(HandlerKind).meta({ description: 'Handler to use instead of the next filter or handler.' }),
      },
      {
        older: [decorationsBeside('handler', ['capture', 'timer', 'baseURI']), ignored('name', 'cases have no name')],
      },
    ),
  ).default([])

/** Diverts requests to other handlers, before or after the rest of the chain. */
export const SwitchFilter = defineType({
  name: 'SwitchFilter',
  kind: FilterKind,
  summary: 'Diverts requests to other handlers by conditions on the request or response.',
  diverts: { handler: [] },
  config: {
    onRequest: cases().meta({ description: 'Cases evaluated in order before the request is passed on.' }),
    onResponse: cases().meta({
      description: 'Cases evaluated in order after the response; the handler gets the request.',
    }),
  },
  create: ({ onRequest, onResponse }) => divert(onRequest, onResponse),
})

interface Case {
  readonly condition: Runtime<boolean>
  readonly handler: Handler
}

/** A condition that fails is a fault: passing the request on could bypass a case that blocks it. */
function divert(onRequest: readonly Case[], onResponse: readonly Case[]): Filter {
  return async (exchange, next) => {
    const early = await firstTrue(onRequest, exchange, null)
    if (early !== null) return early(exchange)
    const response = await next(exchange)
    if (onResponse.length === 0) return response
    const late = await firstTrueOrCancel(onResponse, exchange, response)
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

async function firstTrueOrCancel(
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
