import { HandlerKind } from '#contracts'
import type { Exchange, Response } from '#http'
import { defineType } from '#schema'

/** A handler type that passes the exchange at the end of a chain to a test. */
export function probeHandler(answer: (exchange: Exchange) => Response) {
  return defineType({
    name: 'ProbeHandler',
    kind: HandlerKind,
    summary: 'The end of the chain of a test.',
    config: {},
    create: () => async (exchange) => answer(exchange),
  })
}
