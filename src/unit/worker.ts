import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { CATALOGUE } from '#catalogue'
import {
  CONTROL_CALLS,
  type DrainMessage,
  type RequestWatch,
  type UNIT_CALLS,
  type UnitSettings,
  type UnitStart,
} from '#contracts'
import type { ErrorResponses } from '#http'
import { instanceDirectories, loadExtensions, rootProperties } from '#instance'
import { ConnectorAddresses, LISTENER_COUNTS, type ListenerCount } from '#listener'
import { createLogger, joinOutput, type Logger, type LogLevel, observeLogLines } from '#logging'
import { exposeThreadMetrics, MetricsRegistry, TICK_SECONDS } from '#metrics'
import { Channel, type Handlers } from '#rpc'
import { ConfigError, configWarning, systemClock } from '#schema'
import type { Tracer } from '#telemetry'
import { type OpenAccessLog, openAccessLog } from './access-log/open-access-log.ts'
import { type ConnectorTls, openConnectorTls } from './connector-tls.ts'
import { Connectors } from './connectors.ts'
import type { ControlServices } from './control-services.ts'
import { errorHandler } from './error-handler.ts'
import { completeExpression, evaluateExpression } from './expression-evaluation.ts'
import { LiveRequests } from './live-requests.ts'
import { LiveTraces } from './live-traces.ts'
import { EVENTS } from './log-events.ts'
import { ObjectEndpoints } from './object-endpoints.ts'
import { ObjectStates } from './object-states.ts'
import { ObservedRequests } from './observed-requests.ts'
import { remoteControlServices } from './remote-control-services.ts'
import { RequestDurations } from './request-durations.ts'
import { matchSimulatedRequest } from './route-matching.ts'
import { Routers } from './routers.ts'
import type { TelemetrySender } from './telemetry-sender.ts'
import { Unit } from './unit.ts'

type RequestFilters = typeof import('./request-filter.ts')

/** The thread of one unit: serves traffic and the calls of the control plane. */
class UnitWorker {
  readonly #settings: UnitSettings
  readonly #port: MessagePort
  readonly #logger: Logger
  readonly #channel: Channel<typeof CONTROL_CALLS, typeof UNIT_CALLS>
  readonly #control: ControlServices
  readonly #metrics = new MetricsRegistry()
  readonly #measuring: Disposable
  readonly #routers: Routers
  readonly #reloads = new Set<() => void>()
  readonly #ownListeners: ConnectorAddresses
  readonly #endpoints = new ObjectEndpoints()
  readonly #traces = new LiveTraces()
  readonly #requests: LiveRequests
  readonly #observed: ObservedRequests
  #filters: RequestFilters | null = null
  #watchChanges = 0
  #unit: Unit | null = null
  #connectors: Connectors | null = null
  #connectorTls: ConnectorTls | null = null
  #accessLog: OpenAccessLog | null = null
  /** Null where nothing is exported. */
  #telemetry: TelemetrySender | null = null
  #draining: Promise<{ aborted: number }> | null = null
  #listen: (() => Promise<Connectors>) | null = null

  constructor(settings: UnitSettings, port: MessagePort) {
    this.#settings = settings
    this.#port = port
    this.#ownListeners = new ConnectorAddresses(settings.connectors, settings.management)
    joinOutput(settings.output)
    const { level, format } = settings.logging
    this.#logger = createLogger({ level: level as LogLevel, format }).child({ logger: 'gateway', unit: settings.unit })
    this.#channel = new Channel(port, {
      peer: 'the control thread',
      remote: CONTROL_CALLS,
      handlers: this.#handlers(),
      onFault: (error) => this.#logger.error({ error }, EVENTS.CONTROL_MESSAGE_FAILED),
    })
    const { remote } = this.#channel
    this.#control = remoteControlServices(remote, systemClock)
    this.#requests = new LiveRequests({
      clock: systemClock,
      traces: this.#traces,
      filter: (text) => (this.#filters as RequestFilters).compileRequestFilter(text),
      send: (batches) => remote.watchedRequests(batches),
    })
    this.#observed = new ObservedRequests({
      requests: this.#requests,
      clock: systemClock,
      send: (trace) => remote.traceEnded(trace),
    })
    this.#routers = new Routers(this.#control, this.#metrics)
    setInterval(() => this.#metrics.tick(), TICK_SECONDS * 1000).unref()
    this.#measuring = exposeThreadMetrics(this.#metrics.open(), `unit-${settings.unit}`)
  }

  #handlers(): Handlers<typeof UNIT_CALLS> {
    return {
      start: ({ standby }) => this.#start(standby),
      listen: () => this.#serve(),
      prepare: ({ deploy, directory, changes }, { signal }) =>
        this.#routers.prepare(deploy, directory, changes, signal),
      commit: ({ deploy, changes }) => this.#routers.commit(deploy, changes),
      reload: () => {
        this.#connectorTls?.reload()
        this.#accessLog?.reopen()
        for (const refresh of [...this.#reloads]) refresh()
      },
      publishAudit: ({ topic, event }) => this.#unit?.auditService?.publish(topic, event),
      armTrace: ({ token }) => this.#observed.arm(token),
      readTrace: ({ id }) => this.#traces.read(id),
      disarmTrace: ({ token }) => this.#observed.disarm(token),
      watchRequests: (watches) => this.#watch(watches),
      collect: ({ after }) => this.#metrics.report(after),
      matchRoutes: (question) => {
        if (this.#unit === null) throw new Error('the unit is still starting')
        return matchSimulatedRequest(question, this.#routers, this.#settings, this.#unit.storage)
      },
      evaluate: (message) => evaluateExpression(message, this.#simulation()),
      complete: (message) => completeExpression(message, this.#simulation()),
      objectEndpoint: ({ object, endpoint, operation }) => this.#endpoints.call(object, endpoint, operation),
      stopAccepting: () => this.#connectors?.stopAccepting(),
      drain: (message) => {
        this.#draining ??= this.#drain(message)
        return this.#draining
      },
      close: () => this.#close(),
    }
  }

  /** Filters are loaded by the first watch with one. */
  async #watch(watches: readonly RequestWatch[]): Promise<void> {
    const change = ++this.#watchChanges
    if (this.#filters === null && watches.some(({ filter }) => filter !== null))
      this.#filters = await import('./request-filter.ts')
    // Of changes that came meanwhile, the last one counts.
    if (change === this.#watchChanges) this.#requests.watch(watches)
  }

  #simulation() {
    if (this.#unit === null) throw new Error('the unit is still starting')
    return { routers: this.#routers, settings: this.#settings, storage: this.#unit.storage }
  }

  async #start(standby: boolean): Promise<UnitStart> {
    try {
      const listen = await this.#open()
      this.#listen = listen
      return standby ? NOT_OPEN : opened(await listen())
    } catch (error) {
      // A port opened before another failed would keep the thread alive without serving.
      setImmediate(() => process.exit(1))
      return { problems: error instanceof ConfigError ? [...error.problems] : [], message: (error as Error).message }
    }
  }

  /** Opens the ports of a unit that was built aside. */
  async #serve(): Promise<UnitStart> {
    try {
      return this.#listen === null ? NOT_OPEN : opened(await this.#listen())
    } catch (error) {
      return { problems: [], message: (error as Error).message }
    }
  }

  /** Builds the unit; returns the function that opens its ports. */
  async #open(): Promise<() => Promise<Connectors>> {
    const settings = this.#settings
    const logger = this.#logger
    await this.#openTelemetry()
    const directories = instanceDirectories(settings.instance, {
      state: settings.state,
      temporary: settings.temporaryDirectory,
      folders: settings.folders,
    })
    const states = new ObjectStates((status) => this.#control.objectStatus?.(status))
    const unit = await Unit.open({
      directories,
      mode: settings.mode,
      units: settings.units,
      settings: settings.settings,
      ownListeners: this.#ownListeners,
      config: settings.config,
      types: CATALOGUE,
      control: this.#control,
      states,
      endpoints: this.#endpoints,
      routers: this.#routers,
      metrics: this.#metrics,
      logger,
      clock: systemClock,
      env: process.env,
      system: settings.systemProperties,
      onReload: (refresh) => {
        this.#reloads.add(refresh)
        return () => this.#reloads.delete(refresh)
      },
    })
    this.#unit = unit
    for (const { pointer, message } of settings.unit % settings.units === 0 ? unit.warnings : [])
      logger.warn({ pointer }, configWarning(message))
    this.#connectorTls = await openConnectorTls(settings, {
      instance: settings.instance,
      state: settings.state,
      types: [...CATALOGUE, ...(await loadExtensions(directories.extra, CATALOGUE))],
      env: process.env,
      system: settings.systemProperties,
      logger,
      metrics: () => this.#metrics.open(),
      stateReporter: () => states.open(),
    })
    const { mode, systemProperties: system } = settings
    const { scope } = rootProperties({ directories, mode, env: process.env, system, clock: systemClock, logger })
    this.#accessLog = openAccessLog(settings, {
      folder: directories.writable,
      scope,
      clock: systemClock,
      logger,
      metrics: this.#metrics.open(),
      states: states.open(),
    })
    const { handler, storage, auditService } = unit
    const errorsBy = this.#connectorTls.errors
    const errors: ErrorResponses = {
      format: settings.errors === 'handler' ? 'auto' : settings.errors,
      handle: errorsBy === null ? null : errorHandler(errorsBy, logger),
    }
    const served = {
      handler,
      storage,
      auditService,
      observer: this.#observed,
      meter: new RequestDurations(this.#metrics.open()),
      tracer: await this.#tracer(),
      accessLog: this.#accessLog.log,
      errors,
    }
    const { tls } = this.#connectorTls
    return async () => this.#opened(await Connectors.open(settings, served, logger, tls))
  }

  #opened(connectors: Connectors): Connectors {
    this.#connectors = connectors
    this.#ownListeners.opened(connectors.ports)
    const metrics = this.#metrics.open()
    metrics.reading('gw_connections_open', 'Client connections that are open.', { read: () => connectors.connections })
    for (const [name, [metric, help]] of Object.entries(LISTENER_COUNTS))
      metrics.countReading(metric, help, { read: () => connectors.counted(name as ListenerCount) })
    return connectors
  }

  /** Loaded where something is exported. */
  async #openTelemetry(): Promise<void> {
    const { telemetry } = this.#settings
    if (telemetry === null) return
    const { TelemetrySender } = await import('./telemetry-sender.ts')
    const sender = new TelemetrySender(this.#channel.remote, telemetry)
    if (telemetry.exportsLogs) observeLogLines((line) => sender.sendLine(line))
    this.#telemetry = sender
  }

  /** Loaded where spans are sampled. */
  async #tracer(): Promise<Tracer | null> {
    const sampler = this.#settings.telemetry?.sampler ?? null
    if (sampler === null) return null
    const { Tracer } = await import('#telemetry')
    return new Tracer(sampler, (span) => this.#telemetry?.sendSpan(span))
  }

  async #drain(message: DrainMessage): Promise<{ aborted: number }> {
    const aborted = await this.#attempt('its connectors', async () => (await this.#connectors?.drain(message)) ?? 0)
    return { aborted: aborted ?? 0 }
  }

  /** Runs every step, also after a failed one. */
  async #close(): Promise<void> {
    await this.#attempt('its objects', () => this.#unit?.close())
    await this.#attempt('its certificates', () => this.#connectorTls?.dispose())
    await this.#attempt('its access log', () => this.#accessLog?.close())
    await this.#attempt('its telemetry', () => this.#telemetry?.flush())
    this.#measuring[Symbol.dispose]()
    // After the response: closing the port lets the thread end.
    setImmediate(() => this.#port.close())
  }

  async #attempt<T>(part: string, step: () => T | Promise<T>): Promise<T | null> {
    try {
      return await step()
    } catch (error) {
      this.#logger.error({ error, part }, EVENTS.CLOSE_FAILED)
      return null
    }
  }
}

const NOT_OPEN: UnitStart = { ports: [], sockets: [] }

function opened({ ports, sockets }: Connectors): UnitStart {
  return { ports, sockets }
}

new UnitWorker(workerData as UnitSettings, parentPort as MessagePort)
