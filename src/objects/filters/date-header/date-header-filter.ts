import { FilterKind } from '#contracts'
import type { Filter } from '#http'
import { type Clock, defineType } from '#schema'

/** Adds the header Date to responses without one. */
export const DateHeaderFilter = defineType({
  name: 'DateHeaderFilter',
  kind: FilterKind,
  summary: 'Adds a Date header to responses without one.',
  config: {},
  create: (_config, { clock }) => addDate(clock),
})

function addDate(clock: Clock): Filter {
  return async (exchange, next) => {
    const response = await next(exchange)
    if (!response.headers.has('date')) response.headers.set('Date', new Date(clock.now()).toUTCString())
    return response
  }
}
