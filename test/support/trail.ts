import { DecoratorKind, FilterKind, HandlerKind } from '#contracts'
import { type Filter, type Handler, respond } from '#http'
import { defineDecorator, defineType, string, wrap } from '#schema'

/** A filter that adds its mark to a header field of the request and of the response. */
export const MarkFilter = defineType({
  name: 'MarkFilter',
  kind: FilterKind,
  summary: 'Marks requests and responses.',
  config: { mark: string().meta({ description: 'The mark.' }) },
  create:
    ({ mark }): Filter =>
    async (exchange, next) => {
      exchange.request.headers.add('Trail', mark)
      const response = await next(exchange)
      response.headers.add('Trail-Back', mark)
      return response
    },
})

/** A handler that returns method, URI and marks of the request in header fields. */
export const EchoHandler = defineType({
  name: 'EchoHandler',
  kind: HandlerKind,
  summary: 'Returns the request in header fields.',
  config: {},
  create: (): Handler => async (exchange) => {
    const { method, uri, headers } = exchange.request
    return respond(200, {
      'Echo-Method': method,
      'Echo-Uri': uri.toString(),
      'Echo-Trail': headers.all('trail').join(' '),
    })
  },
})

/** A decorator that marks the requests of the decorated object. */
export const MarkDecorator = defineDecorator({
  name: 'MarkDecorator',
  kind: DecoratorKind,
  summary: 'Marks requests of an object.',
  config: {},
  settings: string(),
  create: () => ({
    wraps: {
      Handler: wrap(HandlerKind, (inner, mark: string) => async (exchange) => {
        exchange.request.headers.add('Trail', mark)
        return inner(exchange)
      }),
      Filter: wrap(FilterKind, (inner, mark: string) => async (exchange, next) => {
        exchange.request.headers.add('Trail', mark)
        return inner(exchange, next)
      }),
    },
  }),
})
