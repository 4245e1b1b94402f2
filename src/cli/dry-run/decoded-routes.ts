import type { RouteFailure } from '#contracts'
import { Catalogue, ConfigDocument, UNKNOWN_FIELD, type UnitContext } from '#heap'
import { DEFAULT_OBJECTS, type InstanceDirectories, RootDocument, RouteDocument, rootProperties } from '#instance'
import { type JsonObject, readDocument } from '#json'
import { type CatalogueType, defaultSettings, systemClock } from '#schema'
import type { RouteFolders } from './route-folders.ts'
import { SILENT_LOGGER } from './silent-logger.ts'

/** Context for decoding routes that can not be built. */
interface Decoding {
  /** Null if config.json is not JSON: its decorators and properties are then unknown. */
  readonly config: JsonObject | null
  readonly types: readonly CatalogueType[]
  readonly directories: InstanceDirectories
  readonly env: Readonly<Record<string, string | undefined>>
}

/**
 * Decodes the routes of the default folder without building them, and reports their problems to the folders. Routes with
 * tokens are skipped, since the properties of config.json are unknown.
 */
export async function decodeRoutes(
  { config, types, directories, env }: Decoding,
  folders: RouteFolders,
): Promise<void> {
  const unitContext = decodingContext(types, directories)
  const properties = rootProperties({
    directories,
    mode: 'PRODUCTION',
    env,
    clock: unitContext.clock,
    logger: SILENT_LOGGER,
  })
  const { heap } = await ConfigDocument.decode(RootDocument, config ?? {}, {
    unitContext,
    parent: null,
    properties,
    segments: ['gateway'],
    revision: '',
    defaults: DEFAULT_OBJECTS,
  })
  const sources = await folders.openRouter({ directory: directories.routes })
  const judged = sources.filter(({ text }) => !text.includes('&{'))
  const failures: RouteFailure[] = []
  for (const { id, text } of judged) {
    const json = readDocument(text).value as JsonObject
    const route = await ConfigDocument.decode(RouteDocument, json, {
      unitContext,
      parent: heap,
      properties,
      segments: [],
      revision: '',
    })
    const problems = route.problems.filter(({ message }) => config !== null || !message.startsWith(UNKNOWN_FIELD))
    failures.push({ id, problems })
  }
  folders.routerOpened(directories.routes, failures)
}

/** A unit context for decoding only. */
function decodingContext(types: readonly CatalogueType[], directories: InstanceDirectories): UnitContext {
  const never = (): never => {
    throw new Error('expected no build while decoding')
  }
  return {
    catalogue: new Catalogue(types),
    logger: SILENT_LOGGER,
    clock: systemClock,
    directories,
    units: 1,
    settings: defaultSettings(),
    variables: {},
    router: never,
    metrics: never,
    sharedStore: never,
    shared: never,
  }
}
