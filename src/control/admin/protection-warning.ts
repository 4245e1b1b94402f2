import type { Logger } from '#logging'
import { configWarning } from '#schema'
import type { AdminSettings } from './admin-settings.ts'
import { adminCredentials } from './authentication.ts'

interface ProtectionInput {
  readonly settings: AdminSettings
  readonly logger: Logger
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Warns where the management API has neither a password nor a filter. */
export function warnAboutProtection({ settings, logger, env }: ProtectionInput): void {
  if (settings.protection !== null || adminCredentials(settings.directories.secrets, env).password() !== null) return
  const message =
    settings.unit.mode === 'DEVELOPMENT'
      ? 'the management API is open to every process on this machine; set a password in secrets/gateway.admin.password'
      : 'no admin password is configured, so the management API answers 401; put one in secrets/gateway.admin.password'
  logger.warn(configWarning(message))
}
