import { Catalogue, ConfigDocument, type World } from '#heap'
import { DEFAULT_OBJECTS, type InstanceDirectories, RootDocument, RouteDocument, rootProperties } from '#instance'
import { type JsonObject, readDocument } from '#json'
import { systemClock, type TypeDefinition } from '#schema'
import type { RouteFolders } from './route-folders.ts'
import { SILENT } from './silent-logger.ts'

/** Where routes are decoded that can not be built. */
export interface Decoding {
  readonly config: JsonObject
  readonly types: readonly TypeDefinition[]
  readonly directories: InstanceDirectories
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Decodes the routes of the default folder without building anything, and tells the folders what is wrong with them. */
export async function decodeRoutes(
  { config, types, directories, env }: Decoding,
  folders: RouteFolders,
): Promise<void> {
  const world = emptyWorld(types, directories)
  const root = new ConfigDocument(RootDocument, config, {
    world,
    parent: null,
    properties: rootProperties(directories, 'PRODUCTION', env, world.clock, SILENT),
    segments: ['gateway'],
    revision: '',
    defaults: DEFAULT_OBJECTS,
  })
  const sources = await folders.open({ directory: directories.routes })
  // Without its properties every &{token} of a route would be a mistake, and not the author's.
  if (root.problems.some(({ pointer }) => pointer.startsWith('/properties'))) return
  const failures = sources.map(({ id, text }) => {
    const json = readDocument(text).value as JsonObject
    const { heap, properties } = root
    const route = new ConfigDocument(RouteDocument, json, {
      world,
      parent: heap,
      properties,
      segments: [],
      revision: '',
    })
    return { id, problems: route.problems }
  })
  folders.opened(directories.routes, failures)
}

/** Enough of a world to decode in; nothing is ever built in it. */
function emptyWorld(types: readonly TypeDefinition[], directories: InstanceDirectories): World {
  const never = (): never => {
    throw new Error('decoding builds nothing')
  }
  return {
    catalogue: new Catalogue(types),
    logger: SILENT,
    clock: systemClock,
    directories,
    units: 1,
    transactionIdHeader: '',
    router: never,
    metrics: never,
    record: never,
    shared: never,
  }
}
