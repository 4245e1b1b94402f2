import { hostname } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import type { CONTROL_CALLS, MetricSample, ServedFolders } from '#contracts'
import { makeDirectory } from '#http'
import type { JsonObject } from '#json'
import type { Listener } from '#listener'
import { type Logger, sharedOutput } from '#logging'
import { type Handlers, HEARTBEAT, type HeartbeatLimits } from '#rpc'
import { type Counter, systemClock } from '#schema'
import { ADMIN_SECURITY } from './admin/authentication.ts'
import type { Health } from './admin/health.ts'
import { warnAboutProtection } from './admin/protection-warning.ts'
import type { StudioAccess } from './admin/studio/studio-access.ts'
import { type AdminSettings, readConfigFile, unknownFieldChecks } from './admin-settings.ts'
import type { AuditWriter } from './audit/audit-writer.ts'
import { GatewayAudit } from './audit/gateway-audit.ts'
import { configFile, configText } from './config-file.ts'
import { ConnectionPermits } from './connection-permits.ts'
import { checkPortsAreFree } from './exclusive-ports.ts'
import { GatewayFleet } from './fleet/gateway-fleet.ts'
import { gatewayHealth } from './gateway-health.ts'
import { RouteHistory } from './history/route-history.ts'
import { KeyValueStore } from './key-value-store.ts'
import { EVENTS } from './log-events.ts'
import { openManagement, openStudioFor } from './management-connector.ts'
import { exposeHistorySize } from './monitoring/deploy-metrics.ts'
import { LiveRequests } from './monitoring/live/live-requests.ts'
import { MetricsFeed } from './monitoring/live/metrics-feed.ts'
import { type MonitorApi, monitorApi } from './monitoring/live/monitor-api.ts'
import { RequestTraces } from './monitoring/live/request-traces.ts'
import { Monitoring } from './monitoring/monitoring.ts'
import { exposeProcessMetrics } from './monitoring/process-metrics.ts'
import type { ObjectStates } from './object-states.ts'
import { RouteStores } from './route-stores.ts'
import { ServedConfiguration } from './served-configuration.ts'
import { SharedMemory } from './shared-memory.ts'
import { MAX_UNIT_SETS, type Replacement, Supervisor, type UnitChange } from './supervisor.ts'
import { Telemetry } from './telemetry/telemetry.ts'
import { openTicketRotation, type TicketRotation } from './ticket-rotation.ts'
import { unitCount } from './unit-count.ts'
import { unitHandlers } from './unit-handlers.ts'
import type { UnitLink } from './unit-link.ts'
import { type TriedConfiguration, tryUnit } from './unit-trial.ts'

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
  /** Limits after which a unit is unresponsive or lost; shorter in tests. */
  readonly heartbeat?: HeartbeatLimits
}

/** Problems of one log entry. */
const MAX_LOGGED = 20

/** Milliseconds in which audit events are delivered or spooled when the gateway stops. */
const AUDIT_GRACE = 5_000

/** The control plane: units, route folders, the management connector, and shutdown. */
export class Gateway {
  readonly stores: RouteStores
  /** States of the objects of the units and of admin.json. */
  readonly states: ObjectStates
  readonly #input: GatewayInput
  readonly #supervisor: Supervisor
  readonly #memory = new SharedMemory()
  readonly #permits: ConnectionPermits
  readonly #tickets: TicketRotation | null
  readonly #store = new KeyValueStore(systemClock)
  readonly #monitoring: Monitoring
  readonly #feed: MetricsFeed
  readonly #requests = new LiveRequests(() => [...this.units, ...this.#supervisor.leaving])
  readonly #traces: RequestTraces
  readonly #monitor: MonitorApi
  readonly #history: RouteHistory
  readonly #audit: GatewayAudit
  readonly #auditWriter: AuditWriter
  readonly #reloads: Counter
  readonly #telemetry: Telemetry
  readonly #configuration: ServedConfiguration
  readonly #fleet: GatewayFleet | null
  readonly #replacements: Record<Replacement['state'], Counter>
  #admin: Listener | null = null
  #studio: StudioAccess | null = null
  #state: 'starting' | 'running' | 'draining' = 'starting'
  readonly #terminated = new AbortController()

  constructor(input: GatewayInput) {
    const { settings, logger } = input
    this.#input = input
    this.states = settings.states
    this.#auditWriter = settings.auditWriter
    this.#auditWriter.logTo(logger.child({ logger: 'audit' }))
    this.#tickets = settings.unit.admin === null ? null : openTicketRotation()
    this.#configuration = new ServedConfiguration(settings, input.folders ?? null)
    const { env, version } = input
    this.#telemetry = new Telemetry({
      env,
      version,
      defaults: settings.telemetry,
      logger,
      metrics: settings.metrics.open(),
      collect: () => this.collect(),
    })
    const { units, reusePort } = unitCount(settings.unit.units, logger)
    // One more for the unit of a trial.
    this.#permits = new ConnectionPermits(units * MAX_UNIT_SETS + 1)
    this.#supervisor = new Supervisor({
      entry: input.unitEntry,
      env: input.env,
      settings: {
        ...settings.unit,
        config: this.#configuration.text,
        folders: this.#configuration.folders,
        output: sharedOutput(),
        tickets: this.#tickets?.memory ?? null,
        telemetry: this.#telemetry.units,
        units,
        reusePort,
      },
      logger,
      heartbeat: input.heartbeat ?? HEARTBEAT,
      handlers: (unit) => this.#handlers(unit),
      drained: (unit) => this.#monitoring.collectLast(unit),
      ready: () => this.stores.restore(),
      replaced: (left, { config, folders }) => {
        this.#configuration.change({ config, folders })
        for (const unit of left) this.states.ignoreUnit(unit)
        this.stores.takeOver()
      },
      withdrawn: () => this.stores.withdraw(),
      ended: (unit) => {
        this.#released(unit)
        this.#monitoring.ended(unit)
        this.stores.ended(unit)
      },
    })
    this.#monitoring = new Monitoring(settings.metrics, this.#supervisor, logger)
    const recordsHistory = settings.studio !== null
    this.#feed = new MetricsFeed({ collect: () => this.collect(), clock: systemClock, recordsHistory })
    const security = settings.protection === null ? ADMIN_SECURITY : null
    const { connectors } = settings.unit
    const running = () => [...this.units, ...this.#supervisor.leaving]
    this.#traces = new RequestTraces({ connectors, ports: () => this.ports, units: running })
    this.#monitor = monitorApi({ feed: this.#feed, requests: this.#requests, traces: this.#traces, security })
    const metrics = this.#monitoring.registry.open()
    exposeProcessMetrics(metrics, input)
    metrics.countReading('gw_unit_restarts_total', 'Units that had to be started again.', { read: () => this.restarts })
    const replacements = (result: string) =>
      metrics.counter('gw_unit_replacements_total', 'Changes of config.json or its folders while serving.', { result })
    this.#replacements = { replaced: replacements('replaced'), refused: replacements('refused') }
    this.#reloads = metrics.counter('gw_reloads_total', 'How often all files were looked at again (SIGHUP).')
    const { instance, history: directory, logs, isReadOnly } = settings.directories
    this.#history = new RouteHistory({ instance, directory, logger, clock: systemClock })
    exposeHistorySize(metrics, this.#history)
    this.#audit = new GatewayAudit(logs, {
      logger,
      clock: systemClock,
      metrics,
      writer: this.#auditWriter,
      publish: (event) => this.#publishConfigEvent(event),
    })
    this.#fleet = GatewayFleet.of({
      ...{ settings, version, logger, metrics },
      stores: () => this.stores,
      folders: () => this.#configuration.directories,
      replaceUnits: (change) => this.replaceUnits(change),
      tryUnit: (change) => this.#tryUnit(change),
      address: () => `${hostname()}:${this.ports[0] ?? 0}`,
    })
    const records = {
      metrics: this.#monitoring.registry,
      history: this.#history,
      audit: this.#audit.config,
      isReadOnly,
      fleet: this.#fleet,
    }
    this.stores = new RouteStores(this.#supervisor, records, logger)
  }

  /** Opens the management connector, then starts the units; resolves when all are ready. */
  async start(): Promise<void> {
    await this.#fleet?.open()
    // Throws for invalid JSON before a port is opened.
    if (this.#fleet === null) readConfigFile(configFile(this.#configuration.directories.config))
    makeDirectory(this.#input.settings.directories.temporary)
    void this.#history.load()
    this.#admin = await this.#openAdmin()
    warnAboutProtection(this.#input)
    // Stopped in the meantime: the drain did not include this listener.
    if (this.#state === 'draining') await this.#admin.close()
    await this.#configure()
    const { shareTrafficPorts, unit } = this.#input.settings
    if (!shareTrafficPorts) await checkPortsAreFree(unit.connectors)
    await this.#supervisor.start()
    if (this.#state === 'starting') this.#state = 'running'
    this.#fleet?.started()
  }

  /** With a store: waits for the configuration to start with, that of the local copy or of the store. */
  async #configure(): Promise<void> {
    if (this.#fleet === null) return
    const folders = await this.#fleet.folders()
    const { config: directory } = folders ?? this.#input.settings.directories
    readConfigFile(configFile(directory))
    const change = { config: configText(directory), folders }
    this.#configuration.change(change)
    this.#supervisor.configure(change)
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
    return this.#health()
      .live()
      .every(({ ok }) => ok)
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
  async replaceUnits(change: UnitChange): Promise<Replacement> {
    const { logger } = this.#input
    const result = await this.#supervisor.replace(change)
    this.#replacements[result.state].add()
    if (result.state === 'replaced') {
      logger.info('units with a new configuration serve; the others finish their requests')
      // Files may have changed while the units built them.
      await Promise.all(this.stores.all.map((store) => store.scan()))
    } else {
      const { message: reason, problems } = result
      logger.error({ reason, problems: problems.slice(0, MAX_LOGGED) }, EVENTS.UNITS_NOT_REPLACED)
    }
    return result
  }

  /** SIGHUP: reads keystores, secrets and every route folder again, also files that failed before. */
  async reload(): Promise<void> {
    this.#reloads.add()
    this.#input.settings.reload()
    const { units, starting, leaving } = this.#supervisor
    for (const unit of [...units, ...starting, ...leaving]) unit.remote.reload()
    await this.#auditWriter.reopen()
    await this.#fleet?.reload()
    await this.stores.rescan()
  }

  /** Unready for `shutdownDelay`, while connections are still accepted; ends early where the gateway is terminated. */
  async announceStop(): Promise<void> {
    this.#state = 'draining'
    void this.#fleet?.close()
    const { shutdownDelay } = this.#input.settings
    if (shutdownDelay > 0)
      await delay(shutdownDelay, undefined, { ref: false, signal: this.#terminated.signal }).catch(() => {})
  }

  /** Unready at once, then no new connections, then waits for in-flight requests; returns the number of aborted ones. */
  async drain(): Promise<number> {
    this.#state = 'draining'
    void this.#fleet?.close()
    const aborted = await this.#supervisor.drain()
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
    this.#feed[Symbol.dispose]()
    this.#monitor.streams.endAll()
    await this.#admin?.close()
    await this.#history.close()
    await this.#audit.close()
    await Promise.all([this.#auditWriter.shutdown(AUDIT_GRACE), this.#telemetry.close()])
    this.#monitoring[Symbol.dispose]()
    await this.#input.settings.dispose()
  }

  /** A unit has ended, and with it what it shared. */
  #released(unit: UnitLink): void {
    this.#memory.releaseAll(unit)
    this.#permits.ended(unit)
    this.states.removeUnit(unit)
    this.#auditWriter.closeAll(unit)
  }

  /** Whether units could serve another configuration. */
  #tryUnit({ config, folders }: TriedConfiguration): ReturnType<typeof tryUnit> {
    const { unitEntry: entry, env, heartbeat = HEARTBEAT } = this.#input
    const { settings } = this.#supervisor
    return tryUnit({
      settings: { ...settings, config, folders, unit: settings.units * MAX_UNIT_SETS },
      thread: { entry, env, heartbeat, ended: (unit) => this.#released(unit) },
      handlers: (unit) => this.#handlers(unit),
    })
  }

  /** The service of config.json lives in the units: one of them publishes for all. */
  #publishConfigEvent(event: JsonObject): void {
    this.#input.settings.auditService.publish('config', event)
    this.units.find(({ state }) => state === 'ready')?.remote.publishAudit({ topic: 'config', event })
  }

  /** Handlers of the calls of a unit. */
  #handlers(unit: UnitLink): Handlers<typeof CONTROL_CALLS> {
    return unitHandlers(unit, {
      stores: this.stores,
      requests: this.#requests,
      traces: this.#traces,
      states: this.states,
      audit: this.#auditWriter,
      telemetry: this.#telemetry,
      memory: this.#memory,
      permits: this.#permits,
      store: this.#store,
    })
  }

  #openAdmin(): Promise<Listener> {
    this.#studio = openStudioFor(this.#input)
    return openManagement({
      ...this.#input,
      studio: this.#studio,
      stores: this.stores,
      states: this.states,
      units: () => this.units,
      configuration: this.#configuration,
      audit: this.#audit,
      monitor: this.#monitor,
      health: this.#health(),
      fleet: this.#fleet,
      collect: () => this.collect(),
    })
  }

  #health(): Health {
    return gatewayHealth({
      state: () => this.#state,
      supervisor: this.#supervisor,
      objects: () => [
        ...unknownFieldChecks(this.#input.settings),
        ...(this.#fleet?.checks() ?? []),
        ...this.states.checks(),
        ...this.#auditWriter.checks,
        ...this.#telemetry.checks,
      ],
    })
  }
}
