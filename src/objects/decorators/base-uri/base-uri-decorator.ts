import { DecoratorKind, FilterKind, HandlerKind, type Upstream, UpstreamContext } from '#contracts'
import type { Exchange, Filter, Handler, Uri } from '#http'
import { defineDecorator, type Environment, wrap } from '#schema'
import { type BaseUri, optionalBaseUri } from '../../lib/messages/base-uri.ts'
import { openUpstream } from '../../lib/upstreams/balanced-upstream.ts'
import { type ServerList, serverListOr } from '../../lib/upstreams/server-list.ts'

/** Sends requests of an object to another server. */
export const BaseUriDecorator = defineDecorator({
  name: 'BaseUriDecorator',
  kind: DecoratorKind,
  summary: 'Sets scheme, host and port of requests to the decorated filter or handler.',
  target: 'sets',
  config: {},
  settings: serverListOr(optionalBaseUri()).meta({
    description:
      'Scheme, host and port to use; a path is ignored, and an empty string or false has no effect. A list of URLs spreads requests over servers in turn: the short form of an UpstreamService.',
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

function rebaseBeforeFilter(inner: Filter, base: BaseUri | ServerList, env: Environment): Filter {
  if ('servers' in base) {
    const balanced = balancedBy(base, env)
    return async (exchange, next) => inner(await balanced(exchange), next)
  }
  warnOfLoop(base, env)
  if (base.fixed === null) {
    return async (exchange, next) => inner(rebased(exchange, await base(exchange)), next)
  }
  const { uri } = base.fixed
  return uri === null ? inner : (exchange, next) => inner(rebased(exchange, uri), next)
}

function rebaseBeforeHandler(inner: Handler, base: BaseUri | ServerList, env: Environment): Handler {
  if ('servers' in base) {
    const balanced = balancedBy(base, env)
    return async (exchange) => inner(await balanced(exchange))
  }
  warnOfLoop(base, env)
  if (base.fixed === null) return async (exchange) => inner(rebased(exchange, await base(exchange)))
  const { uri } = base.fixed
  return uri === null ? inner : (exchange) => inner(rebased(exchange, uri))
}

/** The handler at the end of the route chooses a server of the list for each attempt. */
function balancedBy(list: ServerList, env: Environment): (exchange: Exchange) => Promise<Exchange> {
  const opening = openUpstream(list, env)
  // Requests get the error.
  opening.catch(() => {})
  let upstream: Upstream | null = null
  return async (exchange) => {
    upstream ??= await opening
    return rebased(exchange, list.first).with(UpstreamContext, { upstream })
  }
}

/** Changes a copy of the request: earlier filters and other branches of a sequence keep theirs. */
function rebased(exchange: Exchange, base: Uri | null): Exchange {
  if (base === null) return exchange
  const request = exchange.request.clone()
  request.uri.rebase(base)
  const changed = exchange.withRequest(request)
  const isBalanced = exchange.contexts !== null && exchange.context(UpstreamContext) !== null
  return isBalanced ? changed.with(UpstreamContext, { upstream: null }) : changed
}
