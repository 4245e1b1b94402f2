import { hostname } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import type { MetricSample, ServedFolders } from '#contracts'
import { makeDirectory } from '#files'
import type { JsonObject } from '#json'
import type { Listener } from '#listener'
import { type Logger, sharedOutput } from '#logging'
import { HEARTBEAT, type HeartbeatLimits } from '#rpc'
import { type Counter, systemClock } from '#schema'
import { type AdminSettings, unknownFieldChecks } from './admin/admin-settings.ts'
import { ADMIN_SECURITY } from './admin/authentication.ts'
import { gatewayHealth } from './admin/gateway-health.ts'
import type { Health } from './admin/health.ts'
import { openManagement, openStudioFor } from './admin/management-connector.ts'
import { warnAboutProtection } from './admin/protection-warning.ts'
import type { StudioAccess } from './admin/studio/studio-access.ts'
import { allInTurn } from './all-in-turn.ts'
import type { AuditWriter } from './audit/audit-writer.ts'
import { GatewayAudit } from './audit/gateway-audit.ts'
import { GatewayFleet } from './fleet/gateway-fleet.ts'
import { LiveMonitor } from './monitoring/live/live-monitor.ts'
import { Monitoring } from './monitoring/monitoring.ts'
import type { ObjectStates } from './monitoring/object-states.ts'
import { exposeProcessMetrics } from './monitoring/process-metrics.ts'
import { Telemetry } from './monitoring/telemetry/telemetry.ts'
import { KeyValueStore } from './records/key-value-store.ts'
import { exposeHistorySize } from './routes/deploy-metrics.ts'
import { RouteHistory } from './routes/history/route-history.ts'
import { OpenFolders } from './routes/open-folders.ts'
import { routeChecks } from './routes/route-checks.ts'
import { triedRoutes } from './routes/tried-routes.ts'
import { UnitCallHandlers } from './unit-call-handlers.ts'
import { configFile, readConfigFile } from './units/config-file.ts'
import { ConnectionPermits } from './units/connection-permits.ts'
import { checkPortsAreFree } from './units/exclusive-ports.ts'
import { ServedConfiguration } from './units/served-configuration.ts'
import { MAX_UNIT_SETS, type Replacement, Supervisor, type UnitChange } from './units/supervisor.ts'
import { GatewayHandover } from './units/take-over/gateway-handover.ts'
import { OwnedStore } from './units/take-over/owned-store.ts'
import type { Predecessor } from './units/take-over/predecessor.ts'
import { openTicketRotation, type TicketRotation } from './units/ticket-rotation.ts'
import { unitCount } from './units/unit-count.ts'
import type { UnitLink } from './units/unit-link.ts'
import { UnitReplacements } from './units/unit-replacements.ts'
import { UpstreamServices } from './upstreams/upstream-services.ts'

/** Input of a gateway. */
interface GatewayInput {
  readonly settings: AdminSettings
  /** The module that a unit's thread runs. */
  readonly unitEntry: URL
  /** Folder of the built pages of the Studio. */
  readonly studioPages: string
  readonly logger: Logger
  readonly env: Readonly<Record<string, string | undefined>>
  readonly version: string
  readonly revision: string
  /** Folders of the configuration to serve; those of the instance by default. */
  readonly folders?: ServedFolders | null
  /** The gateway whose ports and state this one takes; null without one. */
  readonly predecessor?: Predecessor | null
  /** Limits after which a unit is unresponsive or lost; shorter in tests. */
  readonly heartbeat?: HeartbeatLimits
}

/** Milliseconds in which audit events are delivered or spooled when the gateway stops. */
const AUDIT_GRACE = 5_000

/** The control plane: units, route folders, the management connector, and shutdown. */
export class Gateway {
  readonly stores: OpenFolders
  /** States of the objects of the units and of admin.json. */
  readonly states: ObjectStates
  readonly #upstreams: UpstreamServices
  readonly #input: GatewayInput
  readonly #supervisor: Supervisor
  readonly #unitCalls: UnitCallHandlers
  readonly #tickets: TicketRotation | null
  readonly #store: OwnedStore
  readonly #monitoring: Monitoring
  readonly #live: LiveMonitor
  readonly #history: RouteHistory
  readonly #audit: GatewayAudit
  readonly #auditWriter: AuditWriter
  readonly #reloads: Counter
  readonly #telemetry: Telemetry
  readonly #configuration: ServedConfiguration
  readonly #fleet: GatewayFleet | null
  readonly #replacements: UnitReplacements
  #admin: Listener | null = null
  #studio: StudioAccess | null = null
  #state: 'starting' | 'running' | 'draining' = 'starting'
  readonly #terminated = new AbortController()

  /** Rooms from the ground: each gets those below it, and functions for what it needs of those above. `start` opens the top, admin. */
  constructor(input: GatewayInput) {
    const { settings, logger, env, version, predecessor = null } = input
    this.#input = input
    const metrics = settings.metrics.open()

    // Records.
    this.#store = predecessor?.store ?? new OwnedStore(new KeyValueStore(systemClock))

    // Audit.
    this.#auditWriter = settings.auditWriter
    this.#auditWriter.logTo(logger.child({ logger: 'audit' }))
    this.#audit = new GatewayAudit(settings.directories, {
      ...{ logger, metrics, auditService: settings.auditService },
      clock: systemClock,
      writer: this.#auditWriter,
      publishInUnit: (event) => this.#publishConfigEvent(event),
    })

    // Units. They export telemetry by the settings of the control plane.
    this.#telemetry = new Telemetry({
      ...{ env, version, logger },
      defaults: settings.telemetry,
      metrics: settings.metrics.open(),
      collect: () => this.collect(),
    })
    this.#tickets = settings.unit.admin === null ? null : openTicketRotation(predecessor?.running.tickets ?? null)
    this.#configuration = new ServedConfiguration(settings, input.folders ?? null)
    const { units, reusePort } = unitCount(settings.unit.units, logger)
    const { text: config, folders } = this.#configuration
    const tickets = this.#tickets?.memory ?? null
    this.#supervisor = new Supervisor({
      ...{ entry: input.unitEntry, env, logger, heartbeat: input.heartbeat ?? HEARTBEAT },
      settings: {
        ...{ ...settings.unit, config, folders, tickets, units, reusePort },
        output: sharedOutput(),
        telemetry: this.#telemetry.units,
      },
      handlers: (unit) => this.#unitCalls.of(unit),
      drained: (unit) => this.#monitoring.collectLast(unit),
      ready: () => this.stores.restore(),
      replaced: (left, { config, folders }) => {
        this.#configuration.change({ config, folders })
        for (const unit of left) this.states.ignoreUnit(unit)
        this.stores.takeOver()
      },
      withdrawn: () => this.stores.withdraw(),
      ended: (unit) => {
        this.#unitCalls.ended(unit)
        this.#monitoring.ended(unit)
        this.stores.ended(unit)
      },
    })
    this.#replacements = new UnitReplacements(this.#supervisor, metrics, logger, () => this.stores.scanAll())
    // One more for the unit of a trial.
    const numbers = units * MAX_UNIT_SETS + 1
    this.#upstreams = new UpstreamServices({ units: numbers, clock: systemClock, logger })

    // Routes.
    const { instance, history: directory, isReadOnly } = settings.directories
    this.#history = new RouteHistory({ instance, directory, logger, clock: systemClock })
    exposeHistorySize(metrics, this.#history)
    const context = {
      ...{ metrics: settings.metrics, history: this.#history, audit: this.#audit.config, isReadOnly },
      fleet: () => this.#fleet,
    }
    this.stores = new OpenFolders(this.#supervisor, context, logger)

    // Monitoring.
    this.states = settings.states
    this.#monitoring = new Monitoring(settings.metrics, this.#supervisor, logger)
    this.#live = new LiveMonitor({
      connectors: settings.unit.connectors,
      security: settings.protection === null ? ADMIN_SECURITY : null,
      recordsHistory: settings.studio !== null,
      ports: () => this.ports,
      units: () => [...this.units, ...this.#supervisor.draining],
      collect: () => this.collect(),
    })
    exposeProcessMetrics(metrics, input)
    this.#reloads = metrics.counter('gw_reloads_total', 'How often all files were looked at again (SIGHUP).')

    // Fleet.
    this.#fleet = GatewayFleet.of({
      ...{ settings, version, logger, metrics, stores: this.stores },
      folders: () => this.#configuration.directories,
      replaceUnits: (change) => this.replaceUnits(change),
      tryUnit: (change) =>
        this.#supervisor.tryUnit(change, { routes: triedRoutes, ended: (unit) => this.#unitCalls.ended(unit) }),
      address: () => `${hostname()}:${this.ports[0] ?? 0}`,
    })

    this.#unitCalls = new UnitCallHandlers({
      ...{ stores: this.stores, states: this.states, store: this.#store },
      ...{ requests: this.#live.requests, traces: this.#live.traces },
      ...{ audit: this.#auditWriter, telemetry: this.#telemetry },
      ...{ permits: new ConnectionPermits(numbers), upstreams: this.#upstreams },
    })
  }

  /** Opens the management connector, then starts the units; resolves when all are ready. */
  async start(): Promise<void> {
    await this.#fleet?.open((this.#input.predecessor ?? null) !== null)
    // Throws for invalid JSON before a port is opened.
    if (this.#fleet === null) readConfigFile(configFile(this.#configuration.directories.config))
    const { settings, predecessor = null } = this.#input
    makeDirectory(settings.directories.temporary)
    warnAboutProtection(this.#input)
    if (predecessor !== null) return this.#startBeside(predecessor)
    void this.#history.load()
    await checkPortsAreFree(settings)
    await this.#openAdmin()
    await this.#startUnits({ standby: false })
    if (this.#state === 'starting') this.#state = 'running'
    await this.#fleet?.started()
    await this.#audit.logOrphanedSpools(this.units)
  }

  /** Until this process is ready, management requests are those of the predecessor, which has the same port. */
  async #startBeside(predecessor: Predecessor): Promise<void> {
    await predecessor.copy(this.#auditWriter.takeRecords.bind(this.#auditWriter))
    await this.#startUnits({ standby: true })
    await this.#openAdmin()
    if (this.#state === 'starting') this.#state = 'running'
    await this.#audit.logOrphanedSpools(this.units)
  }

  /** The predecessor writes no files any more. */
  async tookOver(): Promise<void> {
    await this.#fleet?.tookOver()
    await Promise.all([this.#history.load(), this.stores.scanAll()])
  }

  /** This gateway for a process that takes over; `service`: variables of the service manager. */
  handover(service: Readonly<Record<string, string>>): GatewayHandover {
    const { settings, version } = this.#input
    return new GatewayHandover({
      ...{ adminHost: settings.admin.host, version, service },
      ...{ store: this.#store, supervisor: this.#supervisor, tickets: this.#tickets },
      files: {
        handOver: (pass) => Promise.all([this.#fleet?.handOver(), this.#auditWriter.handOver(pass)]),
        resume: () => this.#fleet?.resume(),
      },
      state: () => this.#state,
      admin: () => this.#admin,
      leave: async () => {
        this.#state = 'draining'
        const left = this.#fleet?.close()
        this.stores.close()
        await left
      },
      settled: () => this.#history.settled(),
    })
  }

  /** With a store the configuration to start with is that of the local copy, or of the store. */
  #startUnits(options: { readonly standby: boolean }): Promise<void> {
    if (this.#fleet === null) return this.#supervisor.start(options)
    return this.#fleet.startUnits((change) => {
      this.#configuration.change(change)
      return this.#supervisor.startWith(change, options)
    }, options)
  }

  /** Traffic ports in the order of the settings. */
  get ports(): readonly number[] {
    return this.#supervisor.ports
  }

  get adminPort(): number {
    return this.#admin?.port ?? 0
  }

  get units(): readonly UnitLink[] {
    return this.#supervisor.units
  }

  /** Number of unit restarts. */
  get restarts(): number {
    return this.#supervisor.restartCount
  }

  /** Whether the checks of `/health/live` pass. */
  get isLive(): boolean {
    const { live } = this.#health()
    return live().every(({ ok }) => ok)
  }

  /** Metrics of all units. */
  collect(): Promise<readonly MetricSample[]> {
    return this.#monitoring.collect()
  }

  /** The configuration that is served now. */
  get configuration(): Pick<ServedConfiguration, 'text' | 'directories'> {
    return this.#configuration
  }

  /**
   * Serves another config.json, or that of other folders, without a restart: units are started with it and take over, the others
   * drain. Where the new ones can not start, or would lose a route that is served, nothing has changed. Replacements are made one
   * after the other.
   */
  replaceUnits(change: UnitChange): Promise<Replacement> {
    return this.#replacements.replace(change)
  }

  /** SIGHUP: reads keystores, secrets and every route folder again, also files that failed before. */
  async reload(): Promise<void> {
    this.#reloads.add()
    this.#input.settings.reload()
    const { units, starting, draining } = this.#supervisor
    for (const unit of [...units, ...starting, ...draining]) unit.remote.reload()
    // Each step runs, whatever became of the one before: a full disk must not keep routes from being read.
    await allInTurn([
      () => this.#auditWriter.reopen(),
      () => this.#fleet?.repair(),
      () => this.stores.scanAll({ force: true }),
      () => this.#fleet?.reload(),
      () => this.#audit.logOrphanedSpools(this.units),
    ])
  }

  /** Unready for `shutdownDelay`, while connections are still accepted; ends early where the gateway is terminated. */
  async announceStop(): Promise<void> {
    this.#state = 'draining'
    void this.#fleet?.close()
    const { shutdownDelay } = this.#input.settings
    if (shutdownDelay > 0)
      await delay(shutdownDelay, undefined, { ref: false, signal: this.#terminated.signal }).catch(() => {})
  }

  /** Unready, no new connections, then waits for requests; returns the number of aborted ones. `isHandover`: another has the ports. */
  async drain(isHandover = false): Promise<number> {
    this.#state = 'draining'
    void this.#fleet?.close()
    const aborted = await this.#supervisor.drain(isHandover)
    await this.#history.settled()
    await this.#close()
    return aborted
  }

  /** Terminates all units and closes all ports without waiting. */
  async terminate(): Promise<void> {
    this.#state = 'draining'
    this.#terminated.abort()
    await this.#supervisor.terminate()
    await this.#close()
  }

  async #close(): Promise<void> {
    await this.#fleet?.close()
    this.#tickets?.[Symbol.dispose]()
    this.stores.close()
    this.#studio?.sessions[Symbol.dispose]()
    this.#live[Symbol.dispose]()
    await this.#admin?.close()
    await this.#history.close()
    await this.#audit.close()
    await Promise.all([this.#auditWriter.shutdown(AUDIT_GRACE), this.#telemetry.close()])
    this.#monitoring[Symbol.dispose]()
    await this.#input.settings.dispose()
  }

  /** The service of config.json lives in the units: one of them publishes for all; false where none serves yet. */
  #publishConfigEvent(event: JsonObject): boolean {
    const unit = this.units.find(({ state }) => state === 'ready')
    unit?.remote.publishAudit({ topic: 'config', event })
    return unit !== undefined
  }

  async #openAdmin(): Promise<void> {
    this.#studio = openStudioFor(this.#input)
    this.#admin = await openManagement({
      ...this.#input,
      ...{ studio: this.#studio, configuration: this.#configuration, audit: this.#audit },
      ...{ stores: this.stores, states: this.states, upstreams: this.#upstreams },
      units: () => this.units,
      monitor: this.#live.api,
      health: this.#health(),
      fleet: this.#fleet,
      collect: () => this.collect(),
    })
    this.#supervisor.managementOpened(this.#admin.port)
    // Stopped in the meantime: the drain did not include this listener.
    if (this.#state === 'draining') await this.#admin.close()
  }

  #health(): Health {
    return gatewayHealth({
      state: () => this.#state,
      supervisor: this.#supervisor,
      objects: () => [
        ...unknownFieldChecks(this.#input.settings),
        ...(this.#fleet?.checks() ?? []),
        ...routeChecks(this.stores.paths),
        ...this.states.checks(),
        ...this.#auditWriter.checks,
        ...this.#telemetry.checks,
      ],
    })
  }
}
