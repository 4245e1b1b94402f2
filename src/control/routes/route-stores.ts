import type { RouteFailure, RouterOpening, RouteSource, RouteWarnings } from '#contracts'
import type { Logger } from '#logging'
import type { MetricsRegistry, MetricsScope } from '#metrics'
import type { CallContext } from '#rpc'
import type { ConfigAudit } from '../audit/config-audit.ts'
import { EVENTS } from '../log-events.ts'
import type { UnitLink } from '../units/unit-link.ts'
import { exposeDeployCounts } from './deploy-metrics.ts'
import { type ChangeOrigin, FolderChanges } from './folder-changes.ts'
import { FolderStore } from './folder-store.ts'
import type { FolderTarget } from './folder-target.ts'
import { ReplacedVersions } from './history/replaced-versions.ts'
import type { RouteHistory } from './history/route-history.ts'
import type { LostRoute } from './restored-routes.ts'
import { RouteStore } from './route-store.ts'

interface OpenStore {
  readonly store: RouteStore
  readonly folder: FolderStore
  readonly logger: Logger
  /** Null until the units that have it open serve. */
  following: Disposable | null
  scope: MetricsScope | null
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
  /** The store of configuration that is shared with other gateways; null without one. */
  readonly fleet: SharedFolders | null
}

/** Folders whose files are in a store that several gateways share. */
interface SharedFolders {
  /** Where changes of a folder are written; null for one that is not in the store. */
  targetOf(directory: string, folder: FolderStore): FolderTarget | null
  /** Whether changes of its files are deployed by a scan of the folder. */
  follows(directory: string): boolean
  /** Whether its files are those that are to be served. */
  mayScan(directory: string): boolean
  /** The folder by whose name the history has the versions. */
  historyFolder(directory: string): string
  /** Where changes of folders that are not followed come from. */
  origin(): ChangeOrigin
}

/** The units that have routers. */
interface RoutingUnits {
  /** Those that serve. */
  readonly units: readonly UnitLink[]
  /** Those that are about to take their place. */
  readonly starting: readonly UnitLink[]
}

/**
 * The stores of all folders that routers have open. Units that are about to replace others have stores of their own, which begin with
 * the files as they are then.
 */
export class RouteStores {
  readonly #units: RoutingUnits
  readonly #logger: Logger
  readonly #records: RouteStoreContext
  #stores = new Map<string, OpenStore>()
  /** Of units that are about to take over. */
  #next = new Map<string, OpenStore>()

  constructor(units: RoutingUnits, records: RouteStoreContext, logger: Logger) {
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
      return await this.#store(unit, router).open(unit, signal)
    } catch (error) {
      unit.closes(directory)
      throw new Error(`the route folder ${directory} can not be read: ${(error as Error).message}`)
    }
  }

  /** A router of a unit has built its routes, except the failed ones. */
  opened(unit: UnitLink, directory: string, failures: readonly RouteFailure[]): void {
    this.#storesOf(unit)?.get(directory)?.store.opened(unit, failures)
  }

  warned(unit: UnitLink, warnings: RouteWarnings): void {
    this.#storesOf(unit)?.get(warnings.directory)?.store.warned(warnings)
  }

  /** A router of a unit was closed. */
  closed(unit: UnitLink, directory: string): void {
    unit.closes(directory)
    const stores = this.#storesOf(unit)
    const { units, starting } = this.#units
    const sharing = stores === this.#next ? starting : units
    if (stores !== null && !sharing.some((other) => other.hasOpen(directory))) drop(stores, directory)
  }

  /**
   * Before units take over: routes that they could not build get the version that is served. Returns the problems of those of which
   * they can build no version.
   */
  async restore(): Promise<readonly LostRoute[]> {
    const lost = await Promise.all([...this.#next.values()].map(({ store }) => store.restore()))
    return lost.flat()
  }

  /** After a start: routes that units could not build get the version that an earlier process has kept. */
  async restoreKept(): Promise<void> {
    await Promise.all(this.all.map((store) => store.restore()))
  }

  /** The starting units serve from now on. */
  takeOver(): void {
    const before = this.#stores
    for (const directory of [...before.keys()]) drop(before, directory)
    this.#stores = this.#next
    this.#next = new Map()
    for (const opened of this.#stores.values()) {
      opened.store.tookOver()
      this.#serve(opened)
    }
  }

  /** The starting units have ended. */
  withdraw(): void {
    this.#next.clear()
  }

  /** A unit has ended, and its routers with it. Its replacement gets the served routes, also when it was the only unit. */
  ended(unit: UnitLink): void {
    for (const { store } of [...this.#stores.values(), ...this.#next.values()]) store.ended(unit)
  }

  /** Scans every folder whose files may be read; `force`: also contents that failed before (SIGHUP). */
  async scanAll({ force = false } = {}): Promise<void> {
    const { fleet } = this.#records
    const stores = this.all.filter(({ directory }) => fleet?.mayScan(directory) ?? true)
    await Promise.all(stores.map((store) => store.scan({ force })))
  }

  close(): void {
    this.withdraw()
    for (const directory of [...this.#stores.keys()]) drop(this.#stores, directory)
  }

  /** Null for a unit that was replaced. */
  #storesOf(unit: UnitLink): Map<string, OpenStore> | null {
    if (this.#units.starting.includes(unit)) return this.#next
    return this.#units.units.includes(unit) ? this.#stores : null
  }

  #store(unit: UnitLink, { directory, name, router, scanInterval, order }: RouterOpening): RouteStore {
    const stores = this.#storesOf(unit)
    if (stores === null) throw new Error('its unit was replaced')
    const isNext = stores === this.#next
    const known = stores.get(directory)
    const path = pathOf(stores, router, name)
    known?.routers.set(router, path)
    if (known !== undefined) return known.store
    const logger = this.#logger.child({ logger: `gateway+${name}` })
    const { audit, isReadOnly, fleet } = this.#records
    const folder = new FolderStore({ directory, scanInterval, logger })
    const target: FolderTarget = fleet?.targetOf(directory, folder) ?? {
      store: folder,
      path: '',
      isReadOnly,
      hash: (file) => folder.hash(file),
      isShared: false,
      written: async () => {},
      catchUp: async () => false,
      lastGood: () => null,
    }
    const history = new ReplacedVersions(this.#records.history, fleet?.historyFolder(directory) ?? directory)
    const origin = fleet === null || fleet.follows(directory) ? undefined : () => fleet.origin()
    const changes = new FolderChanges(audit, `system/objects/${path}/routes`, origin)
    const previous = isNext ? this.ofRouter(router) : null
    const units = () => this.#unitsOf(store)
    const parts = { directory, name, order, history, changes, target, previous }
    const store: RouteStore = new RouteStore(parts, units, logger)
    const routers = new Map([[router, path]])
    const opened: OpenStore = { store, folder, logger, following: null, scope: null, routers }
    stores.set(directory, opened)
    if (!isNext) this.#serve(opened)
    return store
  }

  /** The units that deploy the changes of a store; none for one that was replaced, whose files may be outdated. */
  #unitsOf(store: RouteStore): readonly UnitLink[] {
    if (this.#next.get(store.directory)?.store === store) return this.#units.starting
    return this.#stores.get(store.directory)?.store === store ? this.#units.units : []
  }

  /** Follows the folder and exposes its metrics, by the name of its first router. */
  #serve(opened: OpenStore): void {
    const { store, folder, logger, routers } = opened
    const { directory } = store
    if (this.#records.fleet?.follows(directory) ?? true) {
      opened.following = folder.follow(() => {
        store.scan().catch((error: unknown) => logger.error({ error, directory }, EVENTS.ROUTE_SCAN_FAILED))
      })
    }
    opened.scope = this.#records.metrics.open()
    exposeDeployCounts(opened.scope, [...routers.keys()][0] as string, store)
  }
}

/** `_router`, or `_router/routes/<route>/objects/<router>` for one in a route. Names may hold dots: longest match first. */
function pathOf(stores: ReadonlyMap<string, OpenStore>, router: string, name: string): string {
  const outer = [...stores.values()]
    .flatMap(({ routers }) => [...routers])
    .filter(([other]) => router.startsWith(`${other}.`) && router.length > other.length + name.length + 2)
    .sort(([a], [b]) => b.length - a.length)[0]
  if (outer === undefined) return name
  const route = router.slice(outer[0].length + 1, -name.length - 1)
  return `${outer[1]}/routes/${route}/objects/${name}`
}

/** The last router on the folder was closed, or its unit was replaced. */
function drop(stores: Map<string, OpenStore>, directory: string): void {
  const opened = stores.get(directory)
  opened?.following?.[Symbol.dispose]()
  opened?.scope?.release()
  stores.delete(directory)
  opened?.store.retire()
}
