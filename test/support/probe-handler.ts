import { HandlerKind } from '#contracts'
import type { Exchange, Response } from '#http'
import { defineType } from '#schema'

/** A type of handler that shows a test what arrives at the end of a chain. */
export function probeHandler(answer: (exchange: Exchange) => Response) {
  return defineType({
    name: 'ProbeHandler',
    kind: HandlerKind,
    summary: 'The end of the chain of a test.',
    config: {},
    create: () => async (exchange) => answer(exchange),
  })
}
