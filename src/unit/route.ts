import {
  type AuditService,
  type ConditionSource,
  matches,
  ROUTE_BUILD_LIMIT,
  type RouteSource,
  withSession,
} from '#contracts'
import { conditionFacts, type ExpressionPart, expressionParts, isAlwaysTrue, type Scope } from '#expression'
import { type BuildPath, ConfigDocument, type Heap, type UnitContext } from '#heap'
import { ActiveList, type ActiveListItem, type Exchange, exchangeScope, type Handler, type Response } from '#http'
import { RouteDocument } from '#instance'
import { type JsonObject, readDocument } from '#json'
import type { Logger } from '#logging'
import type { MetricsScope } from '#metrics'
import type { Condition, Problem } from '#schema'
import { auditServiceOf, withAudit } from './audit-boundary.ts'
import { withBuildTimeout } from './build-timeout.ts'
import { EVENTS } from './log-events.ts'
import { routeBoundary } from './route-boundary.ts'
import { RouteMetrics } from './route-metrics.ts'

/** Inputs of route builds: heap and properties of the configuration that declares the router. */
export interface RouteBuildContext {
  readonly unitContext: UnitContext
  readonly heap: Heap
  readonly buildPath: BuildPath
  /** Qualified name of the router, in parts. */
  readonly segments: readonly string[]
  openMetrics(): MetricsScope
}

/** Milliseconds after which a retired route aborts its in-flight requests. */
const RETIREMENT_LIMIT = 10 * 60_000

/** A deployed route: its condition, its folded handler and their objects. */
export class Route {
  readonly id: string
  readonly name: string
  /** Name of its file, without `.json`. */
  readonly file: string
  readonly revision: string
  /** Necessary condition on the path, where one can be derived from the route's condition. */
  readonly facts: ReturnType<typeof conditionFacts>
  /** Whether its condition is true for every request. */
  readonly matchesAll: boolean
  readonly warnings: readonly Problem[]
  /** Scope of its expressions. */
  readonly scope: Scope
  readonly #condition: Condition
  readonly #handler: Handler
  readonly #metrics: RouteMetrics
  readonly #metricsScope: MetricsScope
  readonly #logger: Logger
  readonly #dispose: () => Promise<void>
  readonly #active = new ActiveList<ActiveRequest>()
  /** Of the condition, without a further callback. */
  readonly #conditionSource: ConditionSource
  #idle: (() => void) | null = null

  private constructor(source: RouteSource, parts: RouteParts) {
    this.id = source.id
    this.name = source.name
    this.file = source.file.replace(/\.json$/, '')
    this.revision = source.revision
    this.facts = conditionFacts(parts.condition.expression)
    this.matchesAll = isAlwaysTrue(parts.condition.expression)
    this.warnings = parts.warnings
    this.#condition = parts.condition
    this.#metrics = parts.metrics
    this.#metricsScope = parts.metricsScope
    this.scope = parts.scope
    this.#logger = parts.logger
    this.#handler = withAudit(parts.audit, routeBoundary(parts.handler, parts.metrics, parts.logger), source)
    this.#dispose = parts.dispose
    this.#conditionSource = this.#sourceOf(null)
  }

  /** Builds a route aside. Throws ConfigError with every problem, after disposing the objects built so far. */
  static async build(source: RouteSource, around: RouteBuildContext): Promise<Route> {
    const segments = [...around.segments, source.id]
    const document = await ConfigDocument.decode(RouteDocument, readDocument(source.text).value as JsonObject, {
      unitContext: around.unitContext,
      parent: around.heap,
      properties: around.heap.properties,
      buildPath: around.buildPath,
      segments,
      revision: source.revision,
    })
    const logger = around.unitContext.logger.child({ logger: segments.join('+') })
    const building = document.buildFor(async (fields) => ({
      condition: fields.condition,
      handler: withSession(
        fields.session,
        await document.decorateMain(fields.handler),
        logger,
        EVENTS.SESSION_NOT_SAVED,
      ),
      audit: await auditServiceOf(fields.auditService, document.heap),
    }))
    const built = await withBuildTimeout(ROUTE_BUILD_LIMIT, building, () => void document.heap.discard())
    const metricsScope = around.openMetrics()
    const labels = { name: source.name, route: source.id, router: around.segments.join('.') }
    return new Route(source, {
      ...built,
      scope: document.properties.scope,
      metricsScope,
      metrics: new RouteMetrics(metricsScope, labels, around.unitContext.clock),
      logger,
      warnings: document.warnings,
      dispose: () => document.heap.dispose(),
    })
  }

  /** Whether the condition matches; a condition that throws does not match, and is counted. */
  matches(exchange: Exchange, failed?: (error: unknown) => void): boolean | Promise<boolean> {
    const source = failed === undefined ? this.#conditionSource : this.#sourceOf(failed)
    return matches(this.#condition, exchange, null, this.#logger, source)
  }

  #sourceOf(failed: ((error: unknown) => void) | null): ConditionSource {
    const onFailure = (error: unknown): void => {
      this.#metrics.conditionFailed()
      failed?.(error)
    }
    return { route: this.name, onFailure }
  }

  /** Values of the parts of the condition. Bodies that it reads are available once `matches` has resolved. */
  conditionParts(exchange: Exchange): readonly ExpressionPart[] {
    return expressionParts(this.#condition.expression, exchangeScope(exchange, null, this.scope))
  }

  /** Source text of the condition, for explanations. */
  get condition(): string {
    return this.#condition.expression.source
  }

  /** Handles a request; the route is retained until the response has been sent. */
  run(exchange: Exchange): Promise<Response> {
    const request = new ActiveRequest(exchange)
    this.#active.add(request)
    exchange.onComplete(() => {
      this.#active.delete(request)
      this.#metrics.left(exchange)
      if (this.#active.size === 0) this.#idle?.()
    })
    return this.#handler(exchange)
  }

  /** Waits for in-flight requests, then disposes of the route's objects in reverse order. */
  async retire(limit = RETIREMENT_LIMIT): Promise<void> {
    if (this.#active.size > 0) {
      const { promise, resolve } = Promise.withResolvers<void>()
      const timer = setTimeout(() => this.#abortActive(), limit).unref()
      this.#idle = resolve
      await promise
      clearTimeout(timer)
    }
    this.#metricsScope.release()
    try {
      await this.#dispose()
    } catch (error) {
      // The route serves no more; a fault while it is disposed must not end the unit.
      this.#logger.error({ error }, EVENTS.ROUTE_NOT_RELEASED)
    }
  }

  #abortActive(): void {
    this.#logger.warn({ requests: this.#active.size }, EVENTS.ROUTE_REQUESTS_CUT)
    for (const { exchange } of this.#active.all()) exchange.abort(new Error('the route was retired'))
    this.#idle?.()
  }
}

/** An in-flight request of the route. */
class ActiveRequest implements ActiveListItem {
  readonly exchange: Exchange
  slot = -1

  constructor(exchange: Exchange) {
    this.exchange = exchange
  }
}

interface RouteParts {
  readonly condition: Condition
  readonly handler: Handler
  /** Null where it inherits one. */
  readonly audit: AuditService | null
  readonly scope: Scope
  readonly metricsScope: MetricsScope
  readonly metrics: RouteMetrics
  readonly logger: Logger
  readonly warnings: readonly Problem[]
  readonly dispose: () => Promise<void>
}
