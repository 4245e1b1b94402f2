import { CONDITION_EVENTS, HandlerKind, matches, type RequestCondition } from '#contracts'
import type { Exchange, Handler, Response } from '#http'
import type { Logger } from '#logging'
import { condition, decorationsBeside, defineType, ignored, list, object, ref } from '#schema'

/** Runs several handlers in sequence. */
export const SequenceHandler = defineType({
  name: 'SequenceHandler',
  kind: HandlerKind,
  summary: 'Passes a request to several handlers in sequence, while the postconditions hold.',
  events: [CONDITION_EVENTS.FAILED],
  config: {
    bindings: list(
      object(
        {
          handler: ref(HandlerKind).meta({ description: 'Handler of this step.' }),
          postcondition: condition().optional().meta({
            description: 'Whether to continue after the response of this step; true by default.',
          }),
        },
        {
          older: [decorationsBeside('handler', ['capture', 'timer', 'baseURI']), ignored('name', 'steps have no name')],
        },
      ),
      { nonEmpty: true },
    ).meta({ description: 'Steps in their order.' }),
  },
  create: ({ bindings }, env) => runSteps(bindings, env.logger),
})

/** One step of a sequence; without a postcondition the sequence continues. */
interface Step {
  readonly handler: Handler
  readonly postcondition: RequestCondition | undefined
}

/** Runs the steps until a postcondition is false, and returns the last response. */
function runSteps(steps: readonly Step[], logger: Logger): Handler {
  const [...before] = steps
  const last = before.pop()
  if (last === undefined) throw new TypeError('a sequence needs at least one step')
  return async (exchange) => {
    const { body } = exchange.request
    // Every step gets the whole body; an unbuffered one can be read only once.
    if (before.length > 0 && !body.isBuffered) await body.buffer(exchange.storage)
    for (const { handler, postcondition } of before) {
      const response = await handler(copyOf(exchange))
      if (!(await continues(postcondition, exchange, response, logger))) return response
      // Cancels the body, to release its upstream connection or temporary file.
      response.body.cancel()
    }
    return last.handler(copyOf(exchange))
  }
}

/** Changes of a step to the request do not affect the next one; attributes and session are shared. */
function copyOf(exchange: Exchange): Exchange {
  return exchange.withRequest(exchange.request.clone())
}

async function continues(
  postcondition: RequestCondition | undefined,
  exchange: Exchange,
  response: Response,
  logger: Logger,
): Promise<boolean> {
  return postcondition === undefined || matches(postcondition, exchange, response, logger)
}
