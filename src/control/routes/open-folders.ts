import type { RouteFailure, RouterOpening, RouteSource, RouteWarnings } from '#contracts'
import type { Logger } from '#logging'
import type { MetricsRegistry, MetricsScope } from '#metrics'
import type { CallContext } from '#rpc'
import type { ConfigAudit } from '../audit/config-audit.ts'
import type { UnitLink } from '../units/unit-link.ts'
import { type ChangeOrigin, DeployAudit } from './deploy-audit.ts'
import { exposeDeployCounts } from './deploy-metrics.ts'
import { Deployment, type LostRoute } from './deployment.ts'
import { ReplacedVersions } from './history/replaced-versions.ts'
import type { RouteHistory } from './history/route-history.ts'
import { RouteFiles } from './route-files.ts'
import { RouteStore, type SharedFolder } from './route-store.ts'
import { RouteWatcher } from './route-watcher.ts'
import { routeOfContent } from './served-routes.ts'

interface OpenFolder {
  readonly store: RouteStore
  readonly logger: Logger
  /** Milliseconds; 0: the folder is not watched. */
  readonly scanInterval: number
  /** Null until the units that have it open serve. */
  watcher: Disposable | null
  scope: MetricsScope | null
  /** Fully qualified names of the routers on the folder, and their paths in the management API. */
  readonly routers: Map<string, string>
}

/** Metrics, history and audit of all folders. */
interface FolderContext {
  readonly metrics: MetricsRegistry
  readonly history: RouteHistory
  readonly audit: ConfigAudit
  /** Whether nothing is written to the instance. */
  readonly isReadOnly: boolean
  /** The store of configuration that is shared with other gateways; null without one. */
  fleet(): SharedFolders | null
}

/** Folders whose files are in a store that several gateways share. */
interface SharedFolders {
  /** Null for a folder that is not in the store. */
  sharedFolder(directory: string): SharedFolder | null
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
 * The folders that routers have open, each with its files (what is wanted), its deployment (what is served) and its store. Units that are
 * about to replace others have folders of their own, which begin with the files as they are then:
 *
 *     first router opens --> next --takeOver--> serving --takeOver of others, or last router closes--> retired
 *                             |
 *                             +--withdraw, or last router closes--> gone
 *
 * Folders of the first units serve at once.
 */
export class OpenFolders {
  readonly #units: RoutingUnits
  readonly #logger: Logger
  readonly #context: FolderContext
  #serving = new Map<string, OpenFolder>()
  /** Of units that are about to take over. */
  #next = new Map<string, OpenFolder>()

  constructor(units: RoutingUnits, context: FolderContext, logger: Logger) {
    this.#units = units
    this.#context = context
    this.#logger = logger
  }

  get all(): readonly RouteStore[] {
    return [...this.#serving.values()].map(({ store }) => store)
  }

  /** Path of each router in the management API, such as `_router`, with the store of its folder. */
  get paths(): readonly { readonly path: string; readonly store: RouteStore }[] {
    return [...this.#serving.values()].flatMap(({ store, routers }) =>
      [...routers.values()].map((path) => ({ path, store })),
    )
  }

  /** The store of a router, by its fully qualified name. */
  ofRouter(router: string): RouteStore | null {
    for (const { store, routers } of this.#serving.values()) if (routers.has(router)) return store
    return null
  }

  /** A router of a unit opens on a folder; returns the deployed routes. */
  async open(unit: UnitLink, router: RouterOpening, { signal }: CallContext): Promise<readonly RouteSource[]> {
    const { directory } = router
    // Synchronously, not in the queue: a router that closes meanwhile must not drop the store.
    unit.opens(directory)
    try {
      return await this.#open(unit, router).deployment.open(unit, signal)
    } catch (error) {
      unit.closes(directory)
      throw new Error(`the route folder ${directory} can not be read: ${(error as Error).message}`)
    }
  }

  /** A router of a unit has built its routes, except the failed ones. */
  opened(unit: UnitLink, directory: string, failures: readonly RouteFailure[]): void {
    this.#foldersOf(unit)?.get(directory)?.store.deployment.opened(unit, failures)
  }

  warned(unit: UnitLink, warnings: RouteWarnings): void {
    this.#foldersOf(unit)?.get(warnings.directory)?.store.deployment.warned(warnings)
  }

  /** A router of a unit was closed. */
  closed(unit: UnitLink, directory: string): void {
    unit.closes(directory)
    const folders = this.#foldersOf(unit)
    const { units, starting } = this.#units
    const sharing = folders === this.#next ? starting : units
    if (folders !== null && !sharing.some((other) => other.hasOpen(directory))) drop(folders, directory)
  }

  /**
   * Before units take over: routes that they could not build get the version that is served. Returns the problems of those of which
   * they can build no version.
   */
  async restore(): Promise<readonly LostRoute[]> {
    const lost = await Promise.all([...this.#next.values()].map(({ store }) => store.deployment.restore()))
    return lost.flat()
  }

  /** After a start: routes that units could not build get the version that an earlier process has kept. */
  async restoreKept(): Promise<void> {
    await Promise.all(this.all.map(({ deployment }) => deployment.restore()))
  }

  /** The starting units serve from now on. */
  takeOver(): void {
    const before = this.#serving
    for (const directory of [...before.keys()]) drop(before, directory)
    this.#serving = this.#next
    this.#next = new Map()
    for (const opened of this.#serving.values()) {
      opened.store.deployment.tookOver()
      this.#serve(opened)
    }
  }

  /** The starting units have ended. */
  withdraw(): void {
    this.#next.clear()
  }

  /** A unit has ended, and its routers with it. Its replacement gets the served routes, also when it was the only unit. */
  ended(unit: UnitLink): void {
    for (const { store } of [...this.#serving.values(), ...this.#next.values()]) store.deployment.ended(unit)
  }

  /** Scans every folder whose files may be read; `force`: also contents that failed before (SIGHUP). */
  async scanAll({ force = false } = {}): Promise<void> {
    const fleet = this.#context.fleet()
    const stores = this.all.filter(({ directory }) => fleet?.mayScan(directory) ?? true)
    await Promise.all(stores.map(({ deployment }) => deployment.scan({ force })))
  }

  close(): void {
    this.withdraw()
    for (const directory of [...this.#serving.keys()]) drop(this.#serving, directory)
  }

  /** Null for a unit that was replaced. */
  #foldersOf(unit: UnitLink): Map<string, OpenFolder> | null {
    if (this.#units.starting.includes(unit)) return this.#next
    return this.#units.units.includes(unit) ? this.#serving : null
  }

  #open(unit: UnitLink, { directory, name, router, scanInterval, order }: RouterOpening): RouteStore {
    const folders = this.#foldersOf(unit)
    if (folders === null) throw new Error('its unit was replaced')
    const isNext = folders === this.#next
    const known = folders.get(directory)
    const path = pathOf(folders, router, name)
    known?.routers.set(router, path)
    if (known !== undefined) return known.store
    const logger = this.#logger.child({ logger: `gateway+${name}` })
    const { audit, isReadOnly } = this.#context
    const fleet = this.#context.fleet()
    const shared = fleet?.sharedFolder(directory) ?? null
    const files = new RouteFiles(directory)
    const history = new ReplacedVersions(this.#context.history, fleet?.historyFolder(directory) ?? directory)
    const origin = fleet === null || fleet.follows(directory) ? undefined : () => fleet.origin()
    const deployment = new Deployment({
      ...{ files, order, history, logger },
      audit: new DeployAudit(audit, `system/objects/${path}/routes`, origin),
      previous: isNext ? (this.ofRouter(router)?.deployment ?? null) : null,
      units: () => this.#unitsOf(store),
      lastGood: (file) => routeOfContent(file, shared?.lastGood(file) ?? null),
    })
    const store: RouteStore = new RouteStore({ files, deployment, history, shared, isReadOnly, logger })
    const opened = { store, logger, scanInterval, watcher: null, scope: null, routers: new Map([[router, path]]) }
    folders.set(directory, opened)
    if (!isNext) this.#serve(opened)
    return store
  }

  /** The units that deploy the changes of a folder; none for one that was replaced, whose files may be outdated. */
  #unitsOf(store: RouteStore): readonly UnitLink[] {
    if (this.#next.get(store.directory)?.store === store) return this.#units.starting
    return this.#serving.get(store.directory)?.store === store ? this.#units.units : []
  }

  /** Watches the folder and exposes its metrics, by the name of its first router. */
  #serve(opened: OpenFolder): void {
    const { store, logger, scanInterval, routers } = opened
    const { directory, deployment } = store
    const { fleet, metrics } = this.#context
    if (scanInterval > 0 && (fleet()?.follows(directory) ?? true))
      opened.watcher = new RouteWatcher(directory, scanInterval, () => deployment.scan(), logger)
    opened.scope = metrics.open()
    exposeDeployCounts(opened.scope, [...routers.keys()][0] as string, deployment)
  }
}

/** `_router`, or `_router/routes/<route>/objects/<router>` for one in a route. Names may hold dots: longest match first. */
function pathOf(folders: ReadonlyMap<string, OpenFolder>, router: string, name: string): string {
  const outer = [...folders.values()]
    .flatMap(({ routers }) => [...routers])
    .filter(([other]) => router.startsWith(`${other}.`) && router.length > other.length + name.length + 2)
    .sort(([a], [b]) => b.length - a.length)[0]
  if (outer === undefined) return name
  const route = router.slice(outer[0].length + 1, -name.length - 1)
  return `${outer[1]}/routes/${route}/objects/${name}`
}

/** The last router on the folder was closed, or its unit was replaced. */
function drop(folders: Map<string, OpenFolder>, directory: string): void {
  const opened = folders.get(directory)
  opened?.watcher?.[Symbol.dispose]()
  opened?.scope?.release()
  folders.delete(directory)
  opened?.store.deployment.retire()
}
