import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import * as contracts from '#contracts'
import * as http from '#http'
import * as schema from '#schema'

type Api = typeof schema & typeof contracts & typeof http

/** A module in `extra/`: returns object types, defined with the same API as the built-in ones. */
interface ExtensionModule {
  readonly types?: (api: Api) => readonly schema.TypeDefinition[]
}

/** Loads the object types of every module in the instance's `extra` folder (decisions 2). */
export async function loadExtensions(directory: string): Promise<schema.TypeDefinition[]> {
  const api: Api = { ...schema, ...contracts, ...http }
  const definitions: schema.TypeDefinition[] = []
  for (const file of extensionFiles(directory)) {
    const module = await load(join(directory, file), file)
    if (typeof module.types !== 'function') {
      throw new TypeError(`extra/${file}: expected an exported function types(api) that returns object types`)
    }
    const types: unknown = module.types(api)
    if (!Array.isArray(types) || !types.every(isDefinition)) {
      throw new TypeError(`extra/${file}: expected types made with defineType, in an array`)
    }
    definitions.push(...types)
  }
  return definitions
}

async function load(path: string, file: string): Promise<ExtensionModule> {
  try {
    return (await import(pathToFileURL(path).href)) as ExtensionModule
  } catch (error) {
    throw new TypeError(`extra/${file}: can not be loaded: ${(error as Error).message}`, { cause: error })
  }
}

function isDefinition(type: unknown): type is schema.TypeDefinition {
  const { name, config, create } = (type ?? {}) as Partial<schema.TypeDefinition>
  return typeof name === 'string' && config !== undefined && typeof create === 'function'
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
