import { DecoratorKind, FilterKind, HandlerKind } from '#contracts'
import type { Exchange, Filter, Handler, Uri } from '#http'
import { defineDecorator, type Environment, wrap } from '#schema'
import { type BaseUri, optionalBaseUri } from '../../lib/messages/base-uri.ts'

/** Sends requests of an object to another server. */
export const BaseUriDecorator = defineDecorator({
  name: 'BaseUriDecorator',
  kind: DecoratorKind,
  summary: 'Sets scheme, host and port of requests to the decorated filter or handler.',
  target: 'sets',
  config: {},
  settings: optionalBaseUri().meta({
    description: 'Scheme, host and port to use; a path is ignored, and an empty string or false has no effect.',
  }),
  create: () => ({
    wraps: { Filter: wrap(FilterKind, rebaseBeforeFilter), Handler: wrap(HandlerKind, rebaseBeforeHandler) },
  }),
})

/** A constant base URI of the gateway itself is reported at load. */
function warnOfLoop({ fixed }: BaseUri, { ownListeners, warn }: Environment): void {
  const uri = fixed?.uri ?? null
  if (uri === null || !ownListeners.named(uri.host, uri.effectivePort)) return
  warn(
    `${uri.origin} is a connector of this gateway, so that requests are answered 508; name the server of the application`,
  )
}

function rebaseBeforeFilter(inner: Filter, base: BaseUri, env: Environment): Filter {
  warnOfLoop(base, env)
  if (base.fixed === null) {
    return async (exchange, next) => inner(rebased(exchange, await base(exchange)), next)
  }
  const { uri } = base.fixed
  return uri === null ? inner : (exchange, next) => inner(rebased(exchange, uri), next)
}

function rebaseBeforeHandler(inner: Handler, base: BaseUri, env: Environment): Handler {
  warnOfLoop(base, env)
  if (base.fixed === null) return async (exchange) => inner(rebased(exchange, await base(exchange)))
  const { uri } = base.fixed
  return uri === null ? inner : (exchange) => inner(rebased(exchange, uri))
}

/** Changes a copy of the request: earlier filters and other branches of a sequence keep theirs. */
function rebased(exchange: Exchange, base: Uri | null): Exchange {
  if (base === null) return exchange
  const request = exchange.request.clone()
  request.uri.rebase(base)
  return exchange.withRequest(request)
}
