import { join, relative, sep } from 'node:path'
import type { HealthCheck, ServedFolders } from '#contracts'
import type { ApiSecurity } from '#crest'
import type { InstanceDirectories } from '#instance'
import { JsonSyntaxError } from '#json'
import type { Logger } from '#logging'
import { ConfigError, type Metrics } from '#schema'
import type { ConfigAudit } from '../audit/config-audit.ts'
import type { ChangeOrigin } from '../routes/deploy-audit.ts'
import type { SharedFolder } from '../routes/route-store.ts'
import { configFile, configText, readConfigFile } from '../units/config-file.ts'
import type { UnitChange } from '../units/supervisor.ts'
import { UnitStartError } from '../units/unit-link.ts'
import type { FleetApi } from './api/fleet-api.ts'
import type { Fleet } from './fleet.ts'
import { exposeFleet } from './fleet-metrics.ts'
import type { FleetSettings } from './fleet-settings.ts'
import { folderOfReleases } from './folder-of-releases.ts'
import { GatewayHost, type HostParts } from './gateway-host.ts'
import type { ReleaseProblem } from './instance-status.ts'
import type { OpenedFleet } from './opened-fleet.ts'
import { servedFolders } from './served-folders.ts'

/** Parts of a gateway with a store. */
interface GatewayFleetInput extends HostParts {
  readonly settings: {
    readonly directories: InstanceDirectories
    readonly unit: { readonly state: string | null }
    readonly fleet: FleetSettings | null
  }
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
  #open: OpenedFleet | null = null
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

  /** Opens the local copy; `standby`: which another process still writes. */
  async open(standby: boolean): Promise<void> {
    const { version, logger, metrics, address } = this.#input
    const { openFleet } = await import('./opened-fleet.ts')
    const parts = {
      settings: this.#settings,
      state: this.#state,
      own: this.#own,
      version,
      logger: logger.child({ logger: 'fleet' }),
      host: this.#host,
      standby,
      address,
    }
    this.#open = await openFleet(parts, this.#host)
    exposeFleet(metrics, this.#open.fleet)
  }

  /**
   * Starts units when there is a configuration to start with: that of the local copy, of the store, or of the instance. Where
   * they can not start with a release, it waits for another one, unless another process goes on serving (`standby`). Rejects
   * when it is closed before that.
   */
  async startUnits(
    start: (change: Required<UnitChange>) => Promise<void>,
    { standby }: { readonly standby: boolean },
  ): Promise<void> {
    for (;;) {
      await this.#opened.ready()
      const folders = await this.#opened.openFolders()
      const { config: directory } = folders ?? this.#own
      try {
        readConfigFile(configFile(directory))
        await start({ config: configText(directory), folders })
        return await this.#input.stores.restoreKept()
      } catch (error) {
        const problems = folders === null ? [] : configProblems(error)
        if (problems.length === 0 || standby) throw error
        await this.#opened.startFailed(problems)
      }
    }
  }

  started(): Promise<void> {
    return this.#opened.started()
  }

  tookOver(): Promise<void> {
    return this.#opened.tookOver()
  }

  /** Another process is about to take over: writes the local copy no more, unless it is resumed. */
  async handOver(): Promise<void> {
    await this.#open?.fleet.copy.handOver()
  }

  resume(): void {
    this.#open?.fleet.copy.resume()
  }

  async repair(): Promise<void> {
    await this.#open?.fleet.repair()
  }

  async reload(): Promise<void> {
    await this.#open?.fleet.reload()
  }

  checks(): HealthCheck[] {
    return this.#open?.fleet.checks() ?? []
  }

  api(security: ApiSecurity | null, audit: ConfigAudit): FleetApi {
    if (this.#open === null) throw notOpen()
    return this.#open.api(security, audit)
  }

  /** Null for a folder that is not part of releases. */
  sharedFolder(directory: string): SharedFolder | null {
    const isOwn = this.follows(directory)
    const { config } = isOwn ? this.#own : servedFolders(this.#copyOf(directory))
    return folderOfReleases(directory, config, {
      write: this.#opened.write.bind(this.#opened),
      onWriteCommitted: this.#opened.onWriteCommitted.bind(this.#opened),
      catchUp: () => this.#opened.catchUp(),
      lastGood: (path) => (isOwn ? null : this.#opened.copy.lastGood(path)),
    })
  }

  /** Whether changes of files in a folder are deployed; those of the local copy come from the store. */
  follows(directory: string): boolean {
    return relative(this.#copyRoot, directory).startsWith('..')
  }

  /** Files of the local copy that were changed by hand, and are not overwritten yet, are not read. */
  mayScan(directory: string): boolean {
    return this.follows(directory) || this.#opened.isVerified
  }

  /** The folder of the instance for which the history has versions: also those of the local copy. */
  historyFolder(directory: string): string {
    if (this.follows(directory)) return directory
    return join(this.#input.settings.directories.instance, relative(this.#copyOf(directory), directory))
  }

  /** Units have a link in the local copy as their folder. */
  #copyOf(directory: string): string {
    return join(this.#copyRoot, relative(this.#copyRoot, directory).split(sep)[0] ?? '')
  }

  /** For the audit of routes that change with the release. */
  origin(): ChangeOrigin {
    const { release = 0, author = null } = this.#open?.fleet.copy.newest ?? {}
    const actor = { userId: author, authentication: 'release' } as const
    return { actor, protocol: 'RELEASE', detail: { release: String(release) } }
  }

  /** Removes the record of this instance, and ends all connections. */
  close(): Promise<void> {
    this.#closing ??= this.#open?.fleet.close() ?? Promise.resolve()
    return this.#closing
  }

  get #opened(): Fleet {
    if (this.#open === null) throw notOpen()
    return this.#open.fleet
  }
}

function notOpen(): Error {
  return new Error('the fleet is not open yet')
}

/** Problems of config.json; none for another reason, such as a port that is taken. */
function configProblems(error: unknown): ReleaseProblem[] {
  const file = 'config/config.json'
  if (error instanceof JsonSyntaxError) return [{ file, message: `not valid JSON: ${error.message}` }]
  if (!(error instanceof ConfigError || error instanceof UnitStartError)) return []
  return error.problems.map(({ pointer, message }) => ({ file, ...(pointer !== '' && { pointer }), message }))
}
