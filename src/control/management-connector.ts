import type { MetricSample } from '#contracts'
import { configContent, configRevision } from '#instance'
import { type Listener, listen } from '#listener'
import type { Logger } from '#logging'
import { systemClock } from '#schema'
import { adminApi } from './admin/admin-api.ts'
import { ADMIN_SECURITY, adminCredentials } from './admin/authentication.ts'
import { crestError } from './admin/crest-error.ts'
import type { Health } from './admin/health.ts'
import { openStudio, type StudioAccess } from './admin/studio/studio-access.ts'
import { systemApi } from './admin/system-api.ts'
import type { AdminSettings } from './admin-settings.ts'
import type { GatewayAudit } from './audit/gateway-audit.ts'
import type { MonitorApi } from './monitoring/live/monitor-api.ts'
import type { ObjectStates } from './object-states.ts'
import type { RouteStores } from './route-stores.ts'
import type { ServedConfiguration } from './served-configuration.ts'
import type { UnitLink } from './unit-link.ts'

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
  readonly stores: RouteStores
  readonly states: ObjectStates
  units(): readonly UnitLink[]
  readonly configuration: ServedConfiguration
  readonly audit: GatewayAudit
  readonly monitor: MonitorApi
  readonly health: Health
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
  return listen(
    {
      ...listenerSettings,
      ...admin,
      port: admin.ports[0] as number,
      reusePort: false,
      maxBodyBytes: settings.maxAdminBody,
      trustedProxies: [],
      streaming: false,
      storage: settings.storage,
      refusal: (status, problem) => crestError(status, `the request is refused: ${problem}`),
      isManagement: true,
      audit: settings.auditService.access,
    },
    managementHandler(parts, logger),
    logger,
  )
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
  const { unit, directories } = settings
  return systemApi({
    stores,
    states,
    types: settings.types,
    units: () => parts.units(),
    config: () => configContent(configuration.text),
    running: () => ({
      config: configuration.text,
      adminRevision: settings.revision,
      instance: directories.instance,
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
    security: settings.protection === null ? ADMIN_SECURITY : null,
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
