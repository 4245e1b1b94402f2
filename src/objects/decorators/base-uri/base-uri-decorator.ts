import { DecoratorKind, FilterKind, HandlerKind } from '#contracts'
import type { Exchange, Filter, Handler, Uri } from '#http'
import { defineDecorator, wrap } from '#schema'
import { type BaseUri, optionalBaseUri } from '../../lib/base-uri.ts'

/** Sends what passes an object to another server. */
export const BaseUriDecorator = defineDecorator({
  name: 'BaseUriDecorator',
  kind: DecoratorKind,
  summary: 'Replaces scheme, host and port of a request before it meets the decorated filter or handler.',
  config: {},
  settings: optionalBaseUri().meta({
    description: 'Scheme, host and port to take over; a path is ignored, and an empty text or false changes nothing.',
  }),
  create: () => ({
    wraps: { Filter: wrap(FilterKind, rebaseBeforeFilter), Handler: wrap(HandlerKind, rebaseBeforeHandler) },
  }),
})

function rebaseBeforeFilter(inner: Filter, base: BaseUri): Filter {
  if (base.fixed === null) {
    return async (exchange, next) => inner(rebased(exchange, await base(exchange)), next)
  }
  const { uri } = base.fixed
  return uri === null ? inner : (exchange, next) => inner(rebased(exchange, uri), next)
}

function rebaseBeforeHandler(inner: Handler, base: BaseUri): Handler {
  if (base.fixed === null) return async (exchange) => inner(rebased(exchange, await base(exchange)))
  const { uri } = base.fixed
  return uri === null ? inner : (exchange) => inner(rebased(exchange, uri))
}

/** On a copy of the request: filters before this object, and the other branches of a sequence, keep theirs. */
function rebased(exchange: Exchange, base: Uri | null): Exchange {
  if (base === null) return exchange
  const request = exchange.request.clone()
  request.uri.rebase(base)
  return exchange.withRequest(request)
}
