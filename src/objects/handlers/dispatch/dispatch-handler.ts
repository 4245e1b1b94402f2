import { CONDITION_EVENTS, HandlerKind, matches, type RequestCondition } from '#contracts'
import { type Handler, respond } from '#http'
import type { Logger } from '#logging'
import { condition, decorationsBeside, defineType, ignored, list, object, type Runtime, ref, runtime } from '#schema'
import { constantText } from '../../lib/messages/header-fields.ts'
import { EVENTS as LIB_EVENTS } from '../../lib/messages/log-events.ts'
import { EVENTS } from '../log-events.ts'
import { parseTarget, targetFor, withTarget } from './binding-target.ts'

/** Dispatches each request to the first binding whose condition is true. */
export const DispatchHandler = defineType({
  name: 'DispatchHandler',
  kind: HandlerKind,
  summary: 'Dispatches each request to the first binding whose condition is true.',
  events: [EVENTS.NO_BINDING, LIB_EVENTS.HEADER_LEFT_OUT, CONDITION_EVENTS.FAILED],
  config: {
    bindings: list(
      object(
        {
          condition: condition().optional().meta({ description: 'Condition for this binding; true by default.' }),
          handler: ref(HandlerKind).meta({ description: 'Handler of the requests of this binding.' }),
          baseURI: runtime('string').optional().meta({
            description:
              'Server to send requests to, such as https://app.example.com; with a path, the one resource to send them to. The query is unchanged.',
          }),
        },
        { older: [decorationsBeside('handler', ['capture', 'timer']), ignored('name', 'bindings have no name')] },
      ),
      { nonEmpty: true },
    ).meta({ description: 'Bindings in the order in which they are evaluated.' }),
  },
  check({ bindings }, report, warn) {
    const always = bindings.findIndex(({ condition }) => condition === undefined)
    if (always !== -1 && always < bindings.length - 1)
      warn(`bindings/${always} has no condition, so that the bindings after it are never reached`)
    for (const [at, { baseURI }] of bindings.entries()) {
      if (!baseURI?.expression.constant) continue
      try {
        parseTarget(constantText(baseURI))
      } catch (error) {
        report(`/bindings/${at}/baseURI`, (error as Error).message)
      }
    }
  },
  create({ bindings }, env) {
    for (const [at, { baseURI }] of bindings.entries()) {
      const server = baseURI?.expression.constant ? parseTarget(constantText(baseURI))?.server : undefined
      if (server === undefined || !env.ownListeners.named(server.host, server.effectivePort)) continue
      env.warn(
        `bindings/${at}/baseURI: ${server.origin} is a connector of this gateway, so that requests are answered 508; name the server of the application`,
      )
    }
    const ways = bindings.map(({ condition, handler, baseURI }) => ({
      condition,
      handler: baseURI === undefined ? handler : rebasing(baseURI, handler),
    }))
    return dispatch(ways, env.logger)
  },
})

/** Without a condition it matches every request. */
interface Binding {
  readonly condition: RequestCondition | undefined
  readonly handler: Handler
}

/** Responds 404 to a request without a matching binding. */
function dispatch(bindings: readonly Binding[], logger: Logger): Handler {
  return async (exchange) => {
    for (const { condition, handler } of bindings) {
      const taken = condition === undefined || matches(condition, exchange, null, logger)
      if (taken instanceof Promise ? await taken : taken) return handler(exchange)
    }
    const { method, uri } = exchange.request
    logger.limited().error({ method, path: uri.path }, EVENTS.NO_BINDING)
    return respond(404, {}, 'Not Found')
  }
}

function rebasing(baseURI: Runtime<string>, handler: Handler): Handler {
  if (!baseURI.expression.constant)
    return async (exchange) => handler(withTarget(exchange, await targetFor(baseURI, exchange)))
  const target = parseTarget(constantText(baseURI))
  return (exchange) => handler(withTarget(exchange, target))
}
