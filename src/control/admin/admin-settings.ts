import { accessSync, closeSync, constants, statSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import type { AuditService, ConnectorSettings, HealthCheck, ServerTls, UnitSettings } from '#contracts'
import { makeDirectory } from '#files'
import { type TemporaryStorage, withoutBrackets } from '#http'
import {
  type AdminInput,
  buildAdmin,
  type InstanceDirectories,
  instanceDirectories,
  type ProtectionField,
  runMode,
} from '#instance'
import type { JsonObject } from '#json'
import { mapVertxServerOptions } from '#listener'
import { openLogFile } from '#logging'
import { MetricsRegistry } from '#metrics'
import { type CatalogueType, ConfigError, gatewaySettings, type Problem, systemClock } from '#schema'
import { readOpenTelemetry, type TelemetryDefaults } from '#telemetry'
import { AuditWriter } from '../audit/audit-writer.ts'
import { openLocalOutlet } from '../audit/local-outlet.ts'
import { type FleetSettings, fleetSettings } from '../fleet/fleet-settings.ts'
import { ObjectStates } from '../monitoring/object-states.ts'
import { KeyValueStore } from '../records/key-value-store.ts'
import { revisionOf } from '../routes/route-files.ts'
import { checkPortConflicts } from '../units/port-conflicts.ts'
import type { AdminProtection } from './admin-protection.ts'
import type { SessionLimits } from './studio/studio-sessions.ts'

/** admin.json, settled: the settings of units and of the control plane. */
export interface AdminSettings {
  readonly directories: InstanceDirectories
  /** Hash of the canonical content of admin.json. */
  readonly revision: string
  /** All object types, including those of extensions. */
  readonly types: readonly CatalogueType[]
  readonly unit: Omit<UnitSettings, 'unit' | 'config' | 'folders' | 'reusePort' | 'output' | 'tickets' | 'telemetry'>
  readonly admin: ConnectorSettings & { readonly allowedHosts: readonly string[]; readonly tls: ServerTls | null }
  readonly protection: AdminProtection | null
  readonly metricsProtection: AdminProtection | null
  readonly studioProtection: AdminProtection | null
  /** Bytes of the body of a management request. */
  readonly maxAdminBody: number
  /** Limits of sessions of the Studio; null where it is switched off. */
  readonly studio: SessionLimits | null
  readonly storage: TemporaryStorage
  /** Milliseconds from a stop signal to the drain. */
  readonly shutdownDelay: number
  readonly shareTrafficPorts: boolean
  /** Of `openTelemetry`. */
  readonly telemetry: TelemetryDefaults
  /** The store of configuration that many gateways share; null without one. */
  readonly fleet: FleetSettings | null
  readonly warnings: readonly Problem[]
  /** Metrics and states of the objects of admin.json in this thread. */
  readonly metrics: MetricsRegistry
  readonly states: ObjectStates
  /** Delivers the events of all audit services. */
  readonly auditWriter: AuditWriter
  /** Audits management requests and changes of the configuration. */
  readonly auditService: AuditService
  /** The objects of admin.json read their files again. */
  reload(): void
  dispose(): Promise<void>
}

/** Shown in warnings and health while `unknownFields` is `warn`. */
const UNKNOWN_FIELDS_IGNORED =
  'unknown fields are ignored with a warning; remove unknownFields when the migration is finished'

/** The entry of `/health/ready?verbose` while `unknownFields` is `warn`. */
export function unknownFieldChecks({ unit }: AdminSettings): HealthCheck[] {
  if (unit.settings.unknownFields !== 'warn') return []
  return [{ name: 'unknownFields', ok: true, detail: UNKNOWN_FIELDS_IGNORED }]
}

/** Records of management requests, such as sessions of logins. */
const MAX_ADMIN_RECORDS = 10_000

/** For a process that takes over from another. */
export interface FileRelease {
  /** Resolves when the other has closed the files that only one process may write. */
  readonly filesReleased?: Promise<void>
}

/** Decodes and settles admin.json. Throws ConfigError with every problem. */
export async function openAdminSettings(
  json: JsonObject,
  { filesReleased, ...input }: AdminInput & FileRelease,
): Promise<AdminSettings> {
  const { instance, state = null, env, system = {} } = input
  const directories = instanceDirectories(instance, { state })
  const metrics = new MetricsRegistry()
  const states = new ObjectStates()
  const auditWriter = new AuditWriter({
    logger: input.logger,
    clock: systemClock,
    openMetrics: () => metrics.open(),
    ...(filesReleased !== undefined && { filesReleased }),
  })
  const store = new KeyValueStore(systemClock, { count: MAX_ADMIN_RECORDS })
  const built = await buildAdmin(json, {
    sharedStore: (space) => store.space(space),
    openAudit: async (plan) => openLocalOutlet(auditWriter, directories, plan),
    ...input,
    metrics: () => metrics.open(),
    stateReporter: () => states.reporter(directories),
  })
  const { fields } = built
  const mode = fields.mode ?? runMode(env, system)
  const warnings = [...built.warnings]
  if (fields.unknownFields === 'warn') warnings.push({ pointer: '/unknownFields', message: UNKNOWN_FIELDS_IGNORED })
  const connectors = fields.connectors.map((connector, at) =>
    connectorSettings(connector, `/connectors/${at}`, warnings),
  )
  const admin = connectorSettings(
    { ...fields.adminConnector, port: [fields.adminConnector.port] },
    '/adminConnector',
    warnings,
  )
  await checkPortConflicts(connectors, admin)
  const fleet = fleetSettings(fields)
  const protection = (name: ProtectionField): AdminProtection | null => {
    const filter = fields[name]
    const acceptsCredentials = built.olderProtections.has(name)
    return filter === undefined ? null : { filter, session: fields.session, acceptsCredentials }
  }
  if (input.serving !== false) checkLogFile(fields.accessLog.destination, directories.writable)
  return {
    directories: instanceDirectories(instance, { state, temporary: fields.temporaryDirectory }),
    revision: revisionOf(json),
    types: input.types,
    unit: {
      units: fields.gatewayUnits ?? availableParallelism(),
      instance,
      state,
      temporaryDirectory: fields.temporaryDirectory ?? directories.temporary,
      mode,
      systemProperties: { ...fields.systemProperties, ...system },
      settings: gatewaySettings(fields, webSocketSubProtocols(fields.vertx, warnings)),
      connectors,
      management: { host: admin.host, ports: admin.ports },
      // Keys are not sent to other threads: units whose connectors use TLS build these objects themselves.
      admin:
        fields.connectors.some(({ tls }) => tls !== undefined) || typeof fields.errors === 'function'
          ? JSON.stringify(json)
          : null,
      errors: typeof fields.errors === 'function' ? 'handler' : fields.errors,
      logging: { level: fields.logging.level ?? env['GATEWAY_LOG_LEVEL'] ?? 'info', format: fields.logging.format },
    },
    admin: {
      ...admin,
      allowedHosts: fields.adminConnector.allowedHosts,
      tls: fields.adminConnector.tls ?? null,
    },
    protection: protection('adminProtection'),
    metricsProtection: protection('metricsProtection'),
    studioProtection: protection('studioProtection'),
    maxAdminBody: fields.adminMaxBodyLength < 0 ? MAX_ADMIN_BODY : fields.adminMaxBodyLength,
    studio: studioLimits(fields.studio),
    storage: fields.temporaryStorage,
    shutdownDelay: fields.shutdownDelay,
    shareTrafficPorts: fields.shareTrafficPorts,
    telemetry: readOpenTelemetry(fields.openTelemetry, (pointer, message) =>
      warnings.push({ pointer: `/openTelemetry${pointer}`, message }),
    ),
    fleet,
    warnings,
    metrics,
    states,
    auditWriter,
    auditService: fields.auditService,
    reload: built.reload,
    dispose: built.dispose,
  }
}

/** Creates the file of the access log where it is missing, so that a mistake in its path is found before traffic. */
function checkLogFile(destination: string, folder: string): void {
  if (destination === 'stdout' || destination === 'off') return
  const path = resolve(folder, destination)
  try {
    makeDirectory(dirname(path))
    // Opening and closing a FIFO would be the end of it for its reader.
    if (statSync(path, { throwIfNoEntry: false })?.isFIFO()) accessSync(path, constants.W_OK)
    else closeSync(openLogFile(path) as number)
  } catch (error) {
    const message = `${path} can not be written: ${(error as Error).message}; name another file, "stdout" or "off"`
    throw new ConfigError([{ pointer: '/accessLog/destination', message }])
  }
}

/** decisions 4, "Maximum page size / request size". */
const MAX_ADMIN_BODY = 1024 * 1024

const MINUTE = 60_000

/** The defaults are those of the fields of admin.json. */
const STUDIO_LIMITS: SessionLimits = { idleTimeout: 30 * MINUTE, sessionTimeout: 12 * 60 * MINUTE }

function studioLimits(studio: boolean | SessionLimits): SessionLimits | null {
  if (typeof studio === 'object') return studio
  return studio ? STUDIO_LIMITS : null
}

/** The only `vertx` option with a counterpart: a list, or null for no limit. */
function webSocketSubProtocols(vertx: Readonly<Record<string, unknown>>, warnings: Problem[]): string[] | null {
  for (const option of Object.keys(vertx)) {
    if (option === 'webSocketSubProtocols') continue
    warnings.push({ pointer: `/vertx/${option}`, message: 'has no counterpart in this gateway and is ignored' })
  }
  const { webSocketSubProtocols: names } = vertx
  if (names === undefined) return null
  if (Array.isArray(names) && names.every((name) => typeof name === 'string' && name !== '')) return names
  const pointer = '/vertx/webSocketSubProtocols'
  throw new ConfigError([{ pointer, message: `expected a list of subprotocols, got ${JSON.stringify(names)}` }])
}

interface ConnectorFields extends Omit<ConnectorSettings, 'ports' | 'serverOptions' | 'secure'> {
  readonly tls: ServerTls | undefined
  readonly port: readonly number[]
  readonly vertx: Readonly<Record<string, unknown>>
}

function connectorSettings(
  { port: ports, tls, vertx, ...fields }: ConnectorFields,
  pointer: string,
  warnings: Problem[],
): ConnectorSettings {
  const mapped = mapVertxServerOptions(vertx)
  for (const message of mapped.warnings) warnings.push({ pointer: join(pointer, 'vertx'), message })
  // Options of `vertx` override the connector's own fields.
  const merged = { ...fields, ...withoutReusePort(mapped.options) }
  return {
    ...merged,
    // As in URLs, IPv6 addresses may have brackets.
    host: withoutBrackets(merged.host),
    ports,
    serverOptions: { ...mapped.options.serverOptions },
    secure: tls !== undefined,
  }
}

function withoutReusePort({ reusePort, serverOptions, ...rest }: ReturnType<typeof mapVertxServerOptions>['options']) {
  return rest
}
