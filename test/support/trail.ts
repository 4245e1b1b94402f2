import { DecoratorKind, FilterKind, HandlerKind } from '#contracts'
import { type Filter, type Handler, respond } from '#http'
import { defineDecorator, defineType, string, wrap } from '#schema'

/** A filter that leaves its mark on the request going in and on the response coming out, in the order of passing. */
export const MarkFilter = defineType({
  name: 'MarkFilter',
  kind: FilterKind,
  summary: 'Marks what passes.',
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

/** A handler that answers with what it was asked: method, URI and the marks it met. */
export const EchoHandler = defineType({
  name: 'EchoHandler',
  kind: HandlerKind,
  summary: 'Tells what it was asked.',
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

/** A decorator that marks what passes the object it stands on. */
export const MarkDecorator = defineDecorator({
  name: 'MarkDecorator',
  kind: DecoratorKind,
  summary: 'Marks what passes an object.',
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
