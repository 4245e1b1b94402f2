import { dirname } from 'node:path'
import type { MetricSample } from '#contracts'
import { crestError } from '#crest'
import { chain, type Request } from '#http'
import { configContent, configRevision } from '#instance'
import { type Listener, listen } from '#listener'
import type { Logger } from '#logging'
import { systemClock } from '#schema'
import type { GatewayAudit } from '../audit/gateway-audit.ts'
import { maxReleaseBytes } from '../fleet/fleet-settings.ts'
import type { GatewayFleet } from '../fleet/gateway-fleet.ts'
import type { MonitorApi } from '../monitoring/live/monitor-api.ts'
import type { ObjectStates } from '../monitoring/object-states.ts'
import type { OpenFolders } from '../routes/open-folders.ts'
import type { ServedConfiguration } from '../units/served-configuration.ts'
import { hasSharedPorts } from '../units/unit-count.ts'
import type { UnitLink } from '../units/unit-link.ts'
import type { UpstreamServices } from '../upstreams/upstream-services.ts'
import { adminApi } from './admin-api.ts'
import type { AdminSettings } from './admin-settings.ts'
import { ADMIN_SECURITY, adminCredentials } from './authentication.ts'
import { bodyLimit } from './body-limit.ts'
import type { Health } from './health.ts'
import { openStudio, type StudioAccess } from './studio/studio-access.ts'
import { systemApi } from './system-api.ts'

/** Settings of the management connector. */
interface ManagementSettings {
  readonly settings: AdminSettings
  readonly logger: Logger
  readonly env: Readonly<Record<string, string | undefined>>
  readonly version: string
  readonly revision: string
  /** Folder of the built pages of the Studio. */
  readonly studioPages: string
}

/** Parts of the gateway that the management connector serves. */
interface ManagementParts extends ManagementSettings {
  readonly studio: StudioAccess | null
  readonly stores: OpenFolders
  readonly states: ObjectStates
  readonly upstreams: UpstreamServices
  units(): readonly UnitLink[]
  readonly configuration: ServedConfiguration
  readonly audit: GatewayAudit
  readonly monitor: MonitorApi
  readonly health: Health
  /** Null without a store that is shared with other gateways. */
  readonly fleet: GatewayFleet | null
  collect(): Promise<readonly MetricSample[]>
}

/** Sessions and pages of the Studio; null where it is switched off. */
export function openStudioFor({ settings, logger, env, studioPages }: ManagementSettings): StudioAccess | null {
  if (settings.studio === null) return null
  const { unit, protection, directories } = settings
  return openStudio({
    limits: settings.studio,
    credentials: adminCredentials(directories.secrets, env),
    mode: unit.mode,
    isProtected: protection !== null,
    pages: studioPages,
    prefix: unit.settings.prefix,
    logger: logger.child({ logger: 'admin' }),
    clock: systemClock,
  })
}

/** Listens for management requests. */
export function openManagement(parts: ManagementParts): Promise<Listener> {
  const { settings } = parts
  const { admin, unit } = settings
  const logger = parts.logger.child({ logger: 'admin' })
  const { accessLog: _, ...listenerSettings } = unit.settings
  const { maxAdminBody, fleet } = settings
  const handler = managementHandler(parts, logger)
  // Whole releases are larger. Their bodies are read after authentication, not buffered before it.
  const maxReleaseBody = fleet === null ? 0 : maxReleaseBytes(fleet.store.maxReleaseSize)
  return listen(
    {
      ...listenerSettings,
      ...admin,
      port: admin.ports[0] as number,
      // A process that takes over opens the port beside this one.
      reusePort: hasSharedPorts(),
      maxBodyBytes: Math.max(maxAdminBody, maxReleaseBody),
      trustedProxies: [],
      streaming: fleet !== null,
      storage: settings.storage,
      refusal: (status, problem) => crestError(status, `the request is refused: ${problem}`),
      isManagement: true,
      audit: settings.auditService.access,
    },
    fleet === null ? handler : chain([bodyLimit(maxAdminBody, isReleaseRequest)], handler),
    logger,
  )
}

/** Whether a request may make a release; with the prefix of the gateway, too. */
function isReleaseRequest({ method, uri }: Request): boolean {
  return method === 'POST' && uri.rawPath.endsWith('/api/system/releases')
}

function managementHandler(parts: ManagementParts, logger: Logger): ReturnType<typeof adminApi> {
  const { settings, env, version, studio, health } = parts
  const { admin, unit, protection, directories } = settings
  return adminApi({
    version,
    prefix: unit.settings.prefix,
    ownHost: admin.host,
    allowedHosts: admin.allowedHosts,
    mode: unit.mode,
    credentials: adminCredentials(directories.secrets, env),
    clock: systemClock,
    protection,
    metricsProtection: settings.metricsProtection,
    studioProtection: settings.studioProtection,
    studio,
    health,
    logger,
    metrics: () => parts.collect(),
    system: systemResources(parts, logger),
  })
}

function systemResources(parts: ManagementParts, logger: Logger): ReturnType<typeof systemApi> {
  const { settings, stores, states, configuration, audit, studio, monitor, version, revision } = parts
  const { unit } = settings
  const security = settings.protection === null ? ADMIN_SECURITY : null
  return systemApi({
    stores,
    states,
    upstreams: parts.upstreams,
    types: settings.types,
    units: () => parts.units(),
    config: () => configContent(configuration.text),
    running: () => ({
      config: configuration.text,
      adminRevision: settings.revision,
      // The local copy of a release has the layout of an instance.
      instance: dirname(configuration.directories.config),
    }),
    scripts: {
      enabled: unit.settings.patchTransform ?? unit.mode === 'DEVELOPMENT',
      directory: () => configuration.directories.scripts,
      timeout: unit.settings.scriptTimeout,
      deadline: unit.settings.scriptDeadline,
    },
    logger,
    audit,
    studio,
    monitor,
    security,
    fleet: parts.fleet?.api(security, audit.config) ?? null,
    info: () => ({
      version,
      revision,
      mode: unit.mode,
      units: unit.units,
      configRevision: configRevision(configuration.text),
      ...(unit.settings.unknownFields === 'warn' && { unknownFields: 'warn' }),
    }),
  })
}
