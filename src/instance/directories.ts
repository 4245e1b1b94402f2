import { homedir } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'
import type { Directories } from '#schema'

/** The folders of an instance (decisions 2). */
export interface InstanceDirectories extends Directories {
  readonly routes: string
  readonly extra: string
  /** Replaced versions of routes. */
  readonly history: string
  /** Whether nothing is written to the instance, since a state directory is given. */
  readonly isReadOnly: boolean
}

/** Directories outside the instance. */
interface OtherDirectories {
  /** The state directory; null where files are written to the instance. */
  readonly state?: string | null
  readonly temporary?: string | undefined
  /** Folders of the configuration that is served; null for those of the instance. */
  readonly folders?: { readonly config: string; readonly scripts: string } | null
}

/** The instance folder: argument, environment variable or `~/.gateway`, in this order; null without a home directory. */
export function instanceDirectory(
  asked: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): string | null {
  const named = asked ?? env['GATEWAY_INSTANCE_DIR']
  if (named !== undefined && named !== '') return resolve(named)
  const home = homeDirectory()
  return home === null ? null : join(home, '.gateway')
}

/** The state directory: argument or environment variable; null without one. */
export function stateDirectory(
  asked: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): string | null {
  const named = asked ?? env['GATEWAY_STATE_DIR']
  return named === undefined || named === '' ? null : resolve(named)
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
export function instanceDirectories(
  instance: string,
  { state = null, temporary, folders = null }: OtherDirectories = {},
): InstanceDirectories {
  const config = folders?.config ?? join(instance, 'config')
  const writable = state ?? instance
  return {
    instance,
    config,
    routes: join(config, 'routes'),
    scripts: folders?.scripts ?? join(instance, 'scripts'),
    secrets: join(instance, 'secrets'),
    extra: join(instance, 'extra'),
    writable,
    isReadOnly: state !== null,
    logs: join(writable, 'logs'),
    history: join(writable, 'history'),
    temporary: temporary ?? join(writable, 'tmp'),
  }
}
