import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve, sep } from 'node:path'
import type { DocumentType } from '#heap'
import { ADMIN_DEFAULTS, AdminDocument, DEFAULT_OBJECTS, RootDocument, RouteDocument } from '#instance'
import type { JsonValue } from '#json'
import type { Members } from '#schema'

/** A file of configuration, its kind and its instance. */
export interface ConfigFile {
  readonly path: string
  readonly type: DocumentType<Members>
  /** Objects that exist without a declaration. */
  readonly defaults: readonly JsonValue[]
  /** Null for a file outside of an instance. */
  readonly instance: string | null
}

/** The files of an operand: those of an instance directory, or one file. */
export function configFiles(operand: string): ConfigFile[] {
  const path = resolve(operand)
  if (!statSync(path).isDirectory()) return [configFile(path, instanceOf(path))]
  const folder = existsSync(join(path, 'config')) ? join(path, 'config') : path
  const instance = folder === path ? dirname(path) : path
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory() && entry.name.endsWith('.json'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((file) => configFile(file, instance))
    .filter((file) => file.type !== RouteDocument || mayBeRoute(file.path))
}

/**
 * Folders of configuration also have files of properties (`$location`), JWK sets and other data: outside of `routes` a file is a route
 * where it has a handler. One that can not be read is kept, so that it is reported.
 */
function mayBeRoute(path: string): boolean {
  if (dirname(path).split(sep).includes('routes')) return true
  try {
    return /\bhandler(?:Object)?\b/.test(readFileSync(path, 'utf8'))
  } catch {
    return true
  }
}

function configFile(path: string, instance: string | null): ConfigFile {
  const isTop = instance === null || dirname(path) === join(instance, 'config')
  const name = isTop ? basename(path) : ''
  if (name === 'admin.json') return { path, type: AdminDocument, defaults: ADMIN_DEFAULTS, instance }
  if (name === 'config.json') return { path, type: RootDocument, defaults: DEFAULT_OBJECTS, instance }
  return { path, type: RouteDocument, defaults: DEFAULT_OBJECTS, instance }
}

/** The instance in whose folder `config` a file is. */
function instanceOf(path: string): string | null {
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    if (basename(folder) === 'config') return dirname(folder)
  }
  return null
}
