import { CONDITION_EVENTS, HandlerKind, matches, type RequestCondition } from '#contracts'
import { type Exchange, type Handler, respond } from '#http'
import type { Logger } from '#logging'
import { booleanCondition, config, defineType, integer, list, object, ref } from '#schema'

/** Spreads requests over handlers by weight, such as those of two versions of an application. */
export const WeightedHandler = defineType({
  name: 'WeightedHandler',
  kind: HandlerKind,
  summary: 'Spreads requests over handlers by weight, among those whose condition is true.',
  events: [CONDITION_EVENTS.FAILED],
  config: {
    handlers: list(
      object({
        handler: ref(HandlerKind).meta({ description: 'Handler of these requests.' }),
        weight: config(integer({ min: 0, max: 1_000_000 }))
          .default(1)
          .meta({ description: 'Share of the requests, relative to the other handlers for the request; 0 for none.' }),
        when: booleanCondition().optional().meta({
          description: 'Requests that the handler is for, such as those of a group or tenant; all by default.',
        }),
      }),
      { nonEmpty: true },
    ).meta({ description: 'The handlers; requests for which all weights are 0 get 500.' }),
  },
  check: ({ handlers }, report, warn) => {
    if (handlers.every(({ weight }) => weight === 0))
      report('/handlers', 'expected a handler with a weight above 0, got none: every request would get 500')
    else if (handlers.every(({ weight, when }) => weight === 0 || when !== undefined))
      warn('each handler with a weight has a condition: requests for which none is true get 500')
  },
  create: ({ handlers }, env) => spread(handlers, env.logger, Math.random),
})

interface Weighted {
  readonly handler: Handler
  readonly weight: number
  readonly when: RequestCondition | undefined
}

function spread(handlers: readonly Weighted[], logger: Logger, random: () => number): Handler {
  const open = handlers.filter(({ weight }) => weight > 0)
  if (open.every(({ when }) => when === undefined)) return (exchange) => chosen(open, random)!.handler(exchange)
  return async (exchange) => {
    const applying: Weighted[] = []
    for (const each of open) if (await appliesTo(each, exchange, logger)) applying.push(each)
    const one = chosen(applying, random)
    return one === null ? respond(500, {}, 'Internal Server Error') : one.handler(exchange)
  }
}

function appliesTo({ when }: Weighted, exchange: Exchange, logger: Logger): boolean | Promise<boolean> {
  return when === undefined || matches(when, exchange, null, logger)
}

function chosen(handlers: readonly Weighted[], random: () => number): Weighted | null {
  let rest = random() * handlers.reduce((sum, { weight }) => sum + weight, 0)
  for (const each of handlers) {
    rest -= each.weight
    if (rest < 0) return each
  }
  return handlers.at(-1) ?? null
}
