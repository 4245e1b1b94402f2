import { join, relative } from 'node:path'
import type { ServedFolders } from '#contracts'
import type { ApiSecurity } from '#crest'
import type { Logger } from '#logging'
import { type Metrics, systemClock } from '#schema'
import type { HealthCheck } from '../admin/health.ts'
import type { AdminSettings } from '../admin-settings.ts'
import type { ConfigAudit } from '../audit/config-audit.ts'
import type { FolderStore } from '../folder-store.ts'
import type { FolderTarget } from '../folder-target.ts'
import { type FleetApi, fleetApi } from './api/fleet-api.ts'
import { Fleet } from './fleet.ts'
import { exposeFleet } from './fleet-metrics.ts'
import type { FleetSettings } from './fleet-settings.ts'
import { GatewayHost, type HostParts } from './gateway-host.ts'
import { ReleaseMaking } from './release-making.ts'
import { releaseTarget } from './release-target.ts'
import { servedFolders } from './served-folders.ts'

/** Parts of a gateway with a store. */
interface GatewayFleetInput extends HostParts {
  readonly settings: AdminSettings
  readonly version: string
  readonly logger: Logger
  readonly metrics: Metrics
  address(): string
}

/** The gateway as one of a fleet: between its routes, units and API, and the store. */
export class GatewayFleet {
  readonly #input: GatewayFleetInput
  readonly #settings: FleetSettings
  readonly #host: GatewayHost
  /** The state directory, and in it the local copy. */
  readonly #state: string
  readonly #copyRoot: string
  readonly #own: ServedFolders
  #fleet: Fleet | null = null
  #closing: Promise<void> | null = null

  private constructor(input: GatewayFleetInput, settings: FleetSettings) {
    const { directories, unit } = input.settings
    this.#input = input
    this.#settings = settings
    this.#host = new GatewayHost(input)
    this.#state = unit.state ?? join(directories.instance, 'state')
    this.#copyRoot = join(this.#state, 'release')
    this.#own = { config: directories.config, scripts: directories.scripts }
  }

  /** Null without a store. */
  static of(input: GatewayFleetInput): GatewayFleet | null {
    const { fleet } = input.settings
    return fleet === null ? null : new GatewayFleet(input, fleet)
  }

  /** Opens the local copy. */
  async open(): Promise<void> {
    const { version, logger, metrics, address } = this.#input
    this.#fleet = await Fleet.open({
      settings: this.#settings,
      state: this.#state,
      own: this.#own,
      version,
      logger: logger.child({ logger: 'fleet' }),
      host: this.#host,
      address,
    })
    exposeFleet(metrics, this.#fleet, systemClock)
  }

  /** The folders to start with: null for those of the instance. Resolves when that is known; rejects when closed before. */
  async folders(): Promise<ServedFolders | null> {
    await this.#opened.ready()
    return this.#opened.folders
  }

  started(): void {
    this.#opened.started()
  }

  async reload(): Promise<void> {
    await this.#fleet?.reload()
  }

  checks(): HealthCheck[] {
    return this.#fleet?.checks() ?? []
  }

  api(security: ApiSecurity | null, audit: ConfigAudit): FleetApi {
    return fleetApi(this.#opened, new ReleaseMaking(this.#opened, this.#host), security, audit)
  }

  /** Where changes of a route folder are written; null for a folder that is not part of releases. */
  targetOf(directory: string, folder: FolderStore): FolderTarget | null {
    const hash = (file: string) => folder.hash(file)
    const copied = servedFolders(this.#copyRoot).config
    const writes = { write: this.#opened.write.bind(this.#opened), catchUp: () => this.#opened.catchUp() }
    return releaseTarget(directory, copied, writes, hash) ?? releaseTarget(directory, this.#own.config, writes, hash)
  }

  /** Whether changes of files in a folder are deployed; those of the local copy come from the store. */
  follows(directory: string): boolean {
    return relative(this.#copyRoot, directory).startsWith('..')
  }

  /** The folder of the instance for which the history has versions: also those of the local copy. */
  historyFolder(directory: string): string {
    return this.follows(directory)
      ? directory
      : join(this.#input.settings.directories.instance, relative(this.#copyRoot, directory))
  }

  /** Removes the record of this instance, and ends all connections. */
  close(): Promise<void> {
    this.#closing ??= this.#fleet?.close() ?? Promise.resolve()
    return this.#closing
  }

  get #opened(): Fleet {
    if (this.#fleet === null) throw new Error('the fleet is not open yet')
    return this.#fleet
  }
}
