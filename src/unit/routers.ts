import type { ChangeProblems, RouteChange, RouteFailure } from '#contracts'
import { recordFiles, type Scope } from '#expression'
import type { BuildPath, Heap, StateReporter, UnitContext } from '#heap'
import type { Handler } from '#http'
import type { MetricsRegistry } from '#metrics'
import { ConfigError, type Environment, type RouterHost, type RouterSettings } from '#schema'
import type { ControlServices } from './control-services.ts'
import { LiveRouter } from './live-router.ts'
import { Route, type RouteBuildContext } from './route.ts'
import { routeBoundary } from './route-boundary.ts'
import { RouteMetrics } from './route-metrics.ts'
import { shadowIn } from './unreachable-routes.ts'
import { yieldRegularly } from './yield-regularly.ts'

interface OpenRouter {
  readonly live: LiveRouter
  readonly around: RouteBuildContext
}

interface Prepared {
  readonly changes: readonly RouteChange[]
  /** For each router of the folder, the routes built aside, by the position of their change. */
  readonly built: ReadonlyMap<OpenRouter, ReadonlyMap<number, Route>>
}

/** The routers of a unit, and the deploys that are being prepared for them. */
export class Routers {
  readonly #control: ControlServices
  readonly #metrics: MetricsRegistry
  readonly #open = new Set<OpenRouter>()
  readonly #prepared = new Map<number, Prepared>()

  constructor(control: ControlServices, metrics: MetricsRegistry) {
    this.#control = control
    this.#metrics = metrics
  }

  /** The routers that are open now. */
  get live(): readonly LiveRouter[] {
    return [...this.#open].map(({ live }) => live)
  }

  /** The scope of expressions in a route, or in the document of a router; null where it is not served. */
  scopeOf(router: string, route: string | null): Scope | null {
    const found = [...this.#open].find(({ live }) => live.qualifiedName === router)
    if (found === undefined) return null
    if (route === null) return found.around.heap.properties.scope
    return found.live.routes.find(({ id }) => id === route)?.scope ?? null
  }

  /** Opens Routers declared in a heap. */
  host(unitContext: UnitContext, heap: Heap, buildPath: BuildPath, outerFolders: readonly string[]): RouterHost {
    return {
      openRouter: (settings, env) => {
        if (outerFolders.includes(settings.directory)) {
          const message = `a Router inside a route needs a folder of its own; ${settings.directory} holds that very route`
          throw new ConfigError([{ pointer: '/directory', message }])
        }
        const inner: UnitContext = {
          ...unitContext,
          stateReporter: () => ofRoutes(settings.directory, unitContext),
          router: (child, chain) => this.host(inner, child, chain, [...outerFolders, settings.directory]),
        }
        return this.#openRouter(settings, env, { unitContext: inner, heap, buildPath })
      },
    }
  }

  async #openRouter(
    settings: RouterSettings,
    env: Environment,
    place: Pick<RouteBuildContext, 'unitContext' | 'heap' | 'buildPath'>,
  ): Promise<Handler> {
    const { name, directory, scanInterval, order } = settings
    const around: RouteBuildContext = {
      ...place,
      segments: env.name.split('+'),
      openMetrics: () => this.#metrics.open(),
    }
    const live = new LiveRouter(settings, env.name, this.#default(settings, env))
    const router: OpenRouter = { live, around }
    const opening = { directory, scanInterval, name, order, router: around.segments.join('.') }
    const sources = await this.#control.openRouter(opening)
    const failures: RouteFailure[] = []
    const routes: Route[] = []
    const pause = yieldRegularly()
    for (const source of sources) {
      await pause()
      const outcome = await recordFiles(() => Route.build(source, around))
      if ('built' in outcome) routes.push(outcome.built)
      else failures.push({ id: source.id, problems: problemsOf(outcome.error), files: outcome.files })
    }
    router.live.replace(routes, new Set())
    this.#open.add(router)
    this.#control.routerOpened(directory, failures)
    this.#warn(router.live, routes)
    env.onDispose(async () => {
      this.#open.delete(router)
      this.#control.closeRouter(directory)
      await router.live.close()
    })
    return router.live.handle
  }

  /** The default handler, with the metrics of a route named `default` (spec: Route metrics). */
  #default({ defaultHandler }: RouterSettings, env: Environment): Handler | null {
    if (defaultHandler === null) return null
    const scope = this.#metrics.open()
    env.onDispose(() => scope.release())
    const labels = { name: 'default', route: 'default', router: env.name.replaceAll('+', '.') }
    const metrics = new RouteMetrics(scope, labels, env.clock)
    const handler = routeBoundary(defaultHandler, metrics, env.logger)
    return (exchange) => {
      exchange.onComplete(() => metrics.left(exchange))
      return handler(exchange)
    }
  }

  /**
   * First phase: builds the changes and returns their problems; live traffic is not affected. The result is
   * discarded when the signal aborts.
   */
  async prepare(
    deploy: number,
    directory: string,
    changes: readonly RouteChange[],
    signal?: AbortSignal,
  ): Promise<ChangeProblems[]> {
    const problems: ChangeProblems[] = []
    const built = new Map<OpenRouter, Map<number, Route>>()
    const pause = yieldRegularly()
    for (const router of this.#open) {
      if (router.live.directory !== directory) continue
      const routes = new Map<number, Route>()
      built.set(router, routes)
      for (const [change, step] of changes.entries()) {
        if (!('put' in step)) continue
        await pause()
        if (signal?.aborted) break
        const outcome = await recordFiles(() => Route.build(step.put, router.around))
        if ('built' in outcome) routes.set(change, outcome.built)
        else problems.push({ change, problems: problemsOf(outcome.error), files: outcome.files })
      }
    }
    if (signal?.aborted) for (const routes of built.values()) for (const route of routes.values()) void route.retire()
    else this.#prepared.set(deploy, { changes, built })
    return problems
  }

  /** Second phase: swaps the given changes in; the others are discarded. */
  commit(deploy: number, accepted: readonly number[]): void {
    const prepared = this.#prepared.get(deploy)
    if (prepared === undefined) return
    this.#prepared.delete(deploy)
    const taken = new Set(accepted)
    const leaving = new Set<string>()
    for (const at of taken) {
      const step = prepared.changes[at]
      if (step !== undefined && 'remove' in step) leaving.add(step.remove)
    }
    for (const [{ live }, routes] of prepared.built) {
      const arriving: Route[] = []
      for (const [at, route] of routes) {
        if (taken.has(at)) arriving.push(route)
        else void route.retire()
      }
      live.replace(arriving, leaving)
      this.#warn(live, arriving)
    }
  }

  #warn(live: LiveRouter, arriving: readonly Route[]): void {
    const { directory } = live
    for (const { id, revision, warnings } of arriving) {
      if (warnings.length > 0) this.#control.routeWarnings({ directory, id, revision, warnings })
    }
    const shadow = shadowIn(live)
    if (shadow === null) return
    const { id, revision } = shadow.by
    this.#control.routeWarnings({ directory, id, revision, warnings: [shadow.warning] })
  }
}

/** Maximum number of problems listed for one route. */
const MAX_LISTED_PROBLEMS = 100

function problemsOf(error: unknown): { pointer: string; message: string }[] {
  if (!(error instanceof ConfigError)) return [{ pointer: '', message: (error as Error).message }]
  const listed = error.problems.slice(0, MAX_LISTED_PROBLEMS).map(({ pointer, message }) => ({ pointer, message }))
  const omitted = error.problems.length - listed.length
  return omitted === 0 ? listed : [...listed, { pointer: '', message: `${omitted} more problems are not listed` }]
}

/** Adds the route to the reports of its objects; reports of nested routes name theirs already. */
function ofRoutes(directory: string, unitContext: UnitContext): StateReporter {
  const reporter = unitContext.stateReporter?.()
  return {
    report: (report) => reporter?.report({ route: { directory, id: report.segments.at(-1) as string }, ...report }),
    withdraw: () => reporter?.withdraw(),
  }
}
