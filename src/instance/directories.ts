import { homedir } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'
import type { Directories } from '#schema'

/** The folders of an instance (decisions 2). */
export interface InstanceDirectories extends Directories {
  readonly routes: string
  readonly extra: string
  readonly logs: string
  /** Replaced versions of routes. */
  readonly history: string
}

/** The instance folder: argument, environment variable or `~/.gateway`, in this order; null without a home directory. */
export function instanceDirectory(
  asked: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): string | null {
  const named = asked ?? env['GATEWAY_INSTANCE_DIR']
  if (named !== undefined) return resolve(named)
  const home = homeDirectory()
  return home === null ? null : join(home, '.gateway')
}

function homeDirectory(): string | null {
  try {
    const home = homedir()
    return isAbsolute(home) ? home : null
  } catch {
    // HOME is not set, and the user has no entry in the system.
    return null
  }
}

/** The layout of an instance. */
export function instanceDirectories(instance: string, temporary?: string): InstanceDirectories {
  const config = join(instance, 'config')
  return {
    instance,
    config,
    routes: join(config, 'routes'),
    scripts: join(instance, 'scripts'),
    secrets: join(instance, 'secrets'),
    extra: join(instance, 'extra'),
    logs: join(instance, 'logs'),
    history: join(instance, 'history'),
    temporary: temporary ?? join(instance, 'tmp'),
  }
}
