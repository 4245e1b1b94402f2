import { DecoratorKind, FilterKind, HandlerKind } from '#contracts'
import type { Exchange, Filter, Handler, InternalSpan, Response } from '#http'
import { boolean, config, defineDecorator, wrap } from '#schema'

/** Records spans of objects. */
export const TracingDecorator = defineDecorator({
  name: 'TracingDecorator',
  kind: DecoratorKind,
  summary: 'Records an OpenTelemetry span for each call of a filter or handler.',
  config: {},
  settings: config(boolean()).meta({ description: 'Whether the object is traced.' }),
  create: () => ({
    wraps: {
      Filter: wrap(FilterKind, (inner, traced: boolean, { localName }) =>
        traced ? tracedFilter(inner, localName) : inner,
      ),
      Handler: wrap(HandlerKind, (inner, traced: boolean, { localName }) =>
        traced ? tracedHandler(inner, localName) : inner,
      ),
    },
  }),
})

function tracedHandler(inner: Handler, name: string): Handler {
  return (exchange) => {
    const span = exchange.span === null ? null : exchange.span.beginInternal(name)
    return span === null ? inner(exchange) : within(span, exchange, () => inner(exchange))
  }
}

/** The next filters and the handler are part of the span of a filter, as their spans are children of it. */
function tracedFilter(inner: Filter, name: string): Filter {
  return (exchange, next) => {
    const span = exchange.span === null ? null : exchange.span.beginInternal(name)
    return span === null ? inner(exchange, next) : within(span, exchange, () => inner(exchange, next))
  }
}

/** The current span of the exchange while the object works, until the head of its response. */
async function within(span: InternalSpan, exchange: Exchange, run: () => Promise<Response>): Promise<Response> {
  const outer = exchange.span
  exchange.span = span
  let error: string | null = null
  try {
    const response = await run()
    if (response.status >= 500) error = String(response.status)
    return response
  } catch (thrown) {
    error = errorType(thrown)
    throw thrown
  } finally {
    // Another object of a concurrent call may have replaced it.
    if (exchange.span === span) exchange.span = outer
    span.end(error)
  }
}

function errorType(thrown: unknown): string {
  const { code, name } = thrown instanceof Error ? (thrown as Error & { code?: unknown }) : {}
  return typeof code === 'string' ? code : (name ?? 'fault')
}
