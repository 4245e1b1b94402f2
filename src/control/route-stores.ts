import type { RouteFailure, RouterOpening, RouteSource, RouteWarnings } from '#contracts'
import type { Logger } from '#logging'
import type { MetricsRegistry, MetricsScope } from '#metrics'
import type { CallContext } from '#rpc'
import type { ConfigAudit } from './audit/config-audit.ts'
import { FolderChanges } from './audit/folder-changes.ts'
import { FolderStore } from './folder-store.ts'
import type { FolderTarget } from './folder-target.ts'
import { ReplacedVersions } from './history/replaced-versions.ts'
import type { RouteHistory } from './history/route-history.ts'
import { EVENTS } from './log-events.ts'
import { exposeDeployCounts } from './monitoring/deploy-metrics.ts'
import { RouteStore } from './route-store.ts'
import type { UnitLink } from './unit-link.ts'

interface OpenStore {
  readonly store: RouteStore
  readonly following: Disposable
  readonly scope: MetricsScope
  /** Fully qualified names of the routers on the folder, and their paths in the management API. */
  readonly routers: Map<string, string>
}

/** Metrics, history and audit of all stores. */
interface RouteStoreContext {
  readonly metrics: MetricsRegistry
  readonly history: RouteHistory
  readonly audit: ConfigAudit
  /** Whether nothing is written to the instance. */
  readonly isReadOnly: boolean
}

/** The stores of all folders that routers have open. */
export class RouteStores {
  readonly #units: () => readonly UnitLink[]
  readonly #logger: Logger
  readonly #records: RouteStoreContext
  readonly #stores = new Map<string, OpenStore>()

  constructor(units: () => readonly UnitLink[], records: RouteStoreContext, logger: Logger) {
    this.#units = units
    this.#records = records
    this.#logger = logger
  }

  get all(): readonly RouteStore[] {
    return [...this.#stores.values()].map(({ store }) => store)
  }

  /** Path of each router in the management API, such as `_router`, with the store of its folder. */
  get paths(): readonly { readonly path: string; readonly store: RouteStore }[] {
    return [...this.#stores.values()].flatMap(({ store, routers }) =>
      [...routers.values()].map((path) => ({ path, store })),
    )
  }

  /** The store of a router, by its fully qualified name. */
  ofRouter(router: string): RouteStore | null {
    for (const { store, routers } of this.#stores.values()) if (routers.has(router)) return store
    return null
  }

  /** A router of a unit opens on a folder; returns the deployed routes. */
  async open(unit: UnitLink, router: RouterOpening, { signal }: CallContext): Promise<readonly RouteSource[]> {
    const { directory } = router
    // Synchronously, not in the queue: a router that closes meanwhile must not drop the store.
    unit.opens(directory)
    try {
      return await this.#store(router).open(unit, signal)
    } catch (error) {
      unit.closes(directory)
      throw new Error(`the route folder ${directory} can not be read: ${(error as Error).message}`)
    }
  }

  /** A router of a unit has built its routes, except the failed ones. */
  opened(unit: UnitLink, directory: string, failures: readonly RouteFailure[]): void {
    this.#stores.get(directory)?.store.opened(unit, failures)
  }

  warned(warnings: RouteWarnings): void {
    this.#stores.get(warnings.directory)?.store.warned(warnings)
  }

  /** A router of a unit was closed. */
  closed(unit: UnitLink, directory: string): void {
    unit.closes(directory)
    if (!this.#units().some((other) => other.hasOpen(directory))) this.#drop(directory)
  }

  /** A unit has ended, and its routers with it. Its replacement gets the served routes, also when it was the only unit. */
  ended(unit: UnitLink): void {
    for (const { store } of this.#stores.values()) store.ended(unit)
  }

  /** Scans every folder; on SIGHUP also contents that failed before. */
  async rescan(): Promise<void> {
    await Promise.all(this.all.map((store) => store.scan({ force: true })))
  }

  close(): void {
    for (const directory of [...this.#stores.keys()]) this.#drop(directory)
  }

  #store({ directory, name, router, scanInterval, order }: RouterOpening): RouteStore {
    const known = this.#stores.get(directory)
    const path = this.#pathOf(router, name)
    known?.routers.set(router, path)
    if (known !== undefined) return known.store
    const logger = this.#logger.child({ logger: `gateway+${name}` })
    const { metrics, audit, isReadOnly } = this.#records
    const folder = new FolderStore({ directory, scanInterval, logger })
    const target: FolderTarget = {
      store: folder,
      path: '',
      isReadOnly,
      hash: (file) => folder.hash(file),
      catchUp: async () => {},
    }
    const history = new ReplacedVersions(this.#records.history, directory)
    const changes = new FolderChanges(audit, `system/objects/${path}/routes`)
    const store = new RouteStore({ directory, name, order, history, changes, target }, this.#units, logger)
    const following = folder.follow(() => {
      store.scan().catch((error: unknown) => logger.error({ error, directory }, EVENTS.ROUTE_SCAN_FAILED))
    })
    const scope = metrics.open()
    exposeDeployCounts(scope, router, store)
    this.#stores.set(directory, { store, following, scope, routers: new Map([[router, path]]) })
    return store
  }

  /** `_router`, or `_router/routes/<route>/objects/<router>` for one in a route. Names may hold dots: longest match first. */
  #pathOf(router: string, name: string): string {
    const outer = [...this.#stores.values()]
      .flatMap(({ routers }) => [...routers])
      .filter(([other]) => router.startsWith(`${other}.`) && router.length > other.length + name.length + 2)
      .sort(([a], [b]) => b.length - a.length)[0]
    if (outer === undefined) return name
    const route = router.slice(outer[0].length + 1, -name.length - 1)
    return `${outer[1]}/routes/${route}/objects/${name}`
  }

  /** The last router on the folder was closed. */
  #drop(directory: string): void {
    this.#stores.get(directory)?.following[Symbol.dispose]()
    this.#stores.get(directory)?.scope.release()
    this.#stores.delete(directory)
  }
}
