import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Directories } from '#schema'

/** The folders of an instance (decisions 2). */
export interface InstanceDirectories extends Directories {
  readonly routes: string
  readonly extra: string
  readonly logs: string
  /** Replaced versions of routes. */
  readonly history: string
}

/** The instance folder: what was asked for, else the environment's, else `~/.gateway`. */
export function instanceDirectory(
  asked: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): string {
  return resolve(asked ?? env['GATEWAY_INSTANCE_DIR'] ?? join(homedir(), '.gateway'))
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
