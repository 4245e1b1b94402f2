import { HandlerKind, passes, type RequestCondition } from '#contracts'
import type { Exchange, Handler, Response } from '#http'
import type { Logger } from '#logging'
import { condition, defineType, list, object, ref } from '#schema'

/** Hands a request to several handlers one after the other. */
export const SequenceHandler = defineType({
  name: 'SequenceHandler',
  kind: HandlerKind,
  summary: 'Hands a request to handlers in turn, as long as the responses meet the postconditions.',
  config: {
    bindings: list(
      object({
        handler: ref(HandlerKind).meta({ description: 'Handler of this step.' }),
        postcondition: condition().optional().meta({
          description: 'Whether to go on, asked with the response of this step; always by default.',
        }),
      }),
      { nonEmpty: true },
    ).meta({ description: 'Steps in their order.' }),
  },
  create: ({ bindings }, env) => runInTurn(bindings, env.logger),
})

/** One step of a sequence; without a postcondition the sequence goes on. */
interface Step {
  readonly handler: Handler
  readonly postcondition: RequestCondition | undefined
}

/** A handler that runs the steps until one says stop, and answers with the response of the last that ran. */
function runInTurn(steps: readonly Step[], logger: Logger): Handler {
  const [...before] = steps
  const last = before.pop()
  if (last === undefined) throw new TypeError('a sequence needs at least one step')
  return async (exchange) => {
    const { body } = exchange.request
    // Every step gets the whole body, and a body that is not buffered can be read once.
    if (before.length > 0 && !body.isBuffered) await body.buffer(exchange.storage)
    for (const { handler, postcondition } of before) {
      const response = await handler(copyOf(exchange))
      if (!(await goesOn(postcondition, exchange, response, logger))) return response
      // It is not read: an upstream connection or a temporary file may depend on it.
      response.body.cancel()
    }
    return last.handler(copyOf(exchange))
  }
}

/** What a step changes in the request is not seen by the next one; attributes and session are shared. */
function copyOf(exchange: Exchange): Exchange {
  return exchange.withRequest(exchange.request.clone())
}

async function goesOn(
  postcondition: RequestCondition | undefined,
  exchange: Exchange,
  response: Response,
  logger: Logger,
): Promise<boolean> {
  return postcondition === undefined || passes(postcondition, exchange, response, logger)
}
