import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import * as contracts from '#contracts'
import * as http from '#http'
import * as schema from '#schema'

type Api = typeof schema & typeof contracts & typeof http

/** A module in `extra/`: returns object types, defined with the same API as the built-in ones. */
interface ExtensionModule {
  readonly types?: (api: Api) => readonly schema.TypeDefinition[]
}

/** A module in `extra/` that can not be used. */
export class ExtensionError extends Error {
  override readonly name = 'ExtensionError'
  readonly path: string
  readonly reason: string

  constructor(path: string, reason: string, options?: ErrorOptions) {
    super(`extra/${basename(path)}: ${reason}`, options)
    this.path = path
    this.reason = reason
  }
}

/**
 * Loads the object types of every module in the instance's `extra` folder (decisions 2), whose names must differ from the
 * known ones. Throws ExtensionError.
 */
export async function loadExtensions(
  directory: string,
  known: readonly schema.CatalogueType[],
): Promise<schema.TypeDefinition[]> {
  const api: Api = { ...schema, ...contracts, ...http }
  const definitions: schema.TypeDefinition[] = []
  /** The module of a name; null for a known type. */
  const origins = new Map<string, string | null>()
  for (const { name, aliases } of known) for (const each of [name, ...aliases]) origins.set(each, null)
  for (const file of extensionFiles(directory)) {
    const path = join(directory, file)
    for (const definition of await typesOf(path, api)) {
      for (const name of [definition.name, ...definition.aliases]) {
        if (origins.has(name)) throw new ExtensionError(path, sameName(name, origins.get(name) ?? null))
        origins.set(name, file)
      }
      definitions.push(definition)
    }
  }
  return definitions
}

function sameName(name: string, origin: string | null): string {
  const other = origin === null ? 'a type of the gateway' : `one of extra/${origin}`
  return `the object type ${name} has the same name as ${other}; choose another name`
}

async function typesOf(path: string, api: Api): Promise<readonly schema.TypeDefinition[]> {
  const module = await orExtensionError(path, 'can not be loaded', async () => {
    return (await import(pathToFileURL(path).href)) as ExtensionModule
  })
  if (typeof module.types !== 'function') {
    throw new ExtensionError(path, 'expected an exported function types(api) that returns object types')
  }
  const types: unknown = await orExtensionError(path, 'types(api) failed', () => module.types?.(api))
  if (Array.isArray(types) && types.every(isDefinition)) return types
  throw new ExtensionError(path, 'expected types made with defineType, in an array')
}

async function orExtensionError<T>(path: string, what: string, act: () => T | Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new ExtensionError(path, `${what}: ${reason}`, { cause: error })
  }
}

function isDefinition(type: unknown): type is schema.TypeDefinition {
  const { name, aliases, config, create } = (type ?? {}) as Partial<schema.TypeDefinition>
  return typeof name === 'string' && Array.isArray(aliases) && config !== undefined && typeof create === 'function'
}

function extensionFiles(directory: string): string[] {
  try {
    return readdirSync(directory)
      .filter((file) => /\.[jt]s$/.test(file) && !file.endsWith('.d.ts'))
      .sort()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
