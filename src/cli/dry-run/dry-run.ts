import { join } from 'node:path'
import { CATALOGUE } from '#catalogue'
import { type AdminSettings, readConfigFile } from '#control'
import { DEFAULT_CONFIG, type InstanceDirectories, instanceDirectories } from '#instance'
import { JsonDocument, type JsonObject } from '#json'
import { ConnectorAddresses } from '#listener'
import { MetricsRegistry } from '#metrics'
import { type CatalogueType, ConfigError, defaultSettings, systemClock } from '#schema'
import { Routers, Unit, type UnitInput } from '#unit'
import { forInstance, instanceTypes, openSettings, type SettingsOptions } from '../instance-settings.ts'
import { byPosition, type LocatedProblem, locateProblems, problemsOf } from '../problems.ts'
import type { ProcessContext } from '../process-context.ts'
import { decodeRoutes } from './decoded-routes.ts'
import { RouteFolders } from './route-folders.ts'
import { SILENT_LOGGER } from './silent-logger.ts'

/** An instance that is built without serving traffic: no port is opened and no thread started. */
export interface DryRun extends AsyncDisposable {
  readonly directories: InstanceDirectories
  /** Null if admin.json is invalid. */
  readonly settings: AdminSettings | null
  /** Null if config.json is invalid. */
  readonly unit: Unit | null
  /** config.json, or its default. */
  readonly config: JsonObject
  readonly types: readonly CatalogueType[]
  readonly folders: RouteFolders
  readonly problems: readonly LocatedProblem[]
  readonly warnings: readonly LocatedProblem[]
}

/** Options of a dry run. */
export type DryRunOptions = Omit<SettingsOptions, 'serving' | 'openAudit'>

/** Builds all objects of an instance, and collects their problems. */
export async function openDryRun(
  instance: string,
  caller: ProcessContext,
  folders: RouteFolders = new RouteFolders(),
  options: DryRunOptions = {},
): Promise<DryRun> {
  const context = forInstance(caller, instance)
  const admin = await openSettings(instance, SILENT_LOGGER, context, {
    ...options,
    serving: false,
    openAudit: (plan) => folders.openAudit(plan),
  })
  const settings = 'settings' in admin ? admin.settings : null
  const directories = settings?.directories ?? instanceDirectories(instance, options)
  const problems: LocatedProblem[] = 'problems' in admin ? [...admin.problems] : []
  const warnings: LocatedProblem[] = 'warnings' in admin ? [...admin.warnings] : []
  // Errors of extension modules are reported with admin.json; nothing else can be checked then.
  const types = await instanceTypes(directories).catch(() => null)

  const file = join(directories.config, 'config.json')
  const open = (document: JsonDocument) =>
    Unit.open(unitInput(document, directories, settings, folders, context, options))
  let document: JsonDocument | null = null
  let unit: Unit | null = null
  try {
    document = readConfigFile(file, DEFAULT_DOCUMENT)
    if (types !== null) unit = await open(document)
  } catch (error) {
    const found = problemsOf(error)
    problems.push(...locateProblems(file, document, found))
    const isOpen = folders.folders.some(({ directory }) => directory === directories.routes)
    if (types !== null && !isOpen) {
      const config = (document?.value ?? null) as JsonObject | null
      if (config === null || found.some(({ pointer }) => pointer.startsWith('/properties'))) {
        await decodeRoutes({ config, types, directories, env: context.env }, folders)
      } else await buildWithoutHandler(config, open)
    }
  }
  if (unit !== null) warnings.push(...locateProblems(file, document, unit.warnings))
  warnings.push(...folders.warnings)
  return {
    directories,
    settings,
    unit,
    config: (document?.value ?? DEFAULT_CONFIG) as JsonObject,
    types: types ?? CATALOGUE,
    folders,
    problems: [...problems, ...folders.problems.toSorted(byPosition)],
    warnings,
    [Symbol.asyncDispose]: async () => {
      await unit?.close()
      await settings?.dispose()
    },
  }
}

/**
 * Builds the routes of the default folder in the heap of a config.json whose own handler did not build them. Problems
 * of config.json itself are already reported.
 */
async function buildWithoutHandler(config: JsonObject, open: (document: JsonDocument) => Promise<Unit>): Promise<void> {
  const value: JsonObject = { ...config, handler: { type: 'Router' } }
  try {
    const unit = await open(new JsonDocument(JSON.stringify(value), value))
    await unit.close()
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
  }
}

const DEFAULT_DOCUMENT = new JsonDocument(JSON.stringify(DEFAULT_CONFIG), DEFAULT_CONFIG)

function unitInput(
  { text }: JsonDocument,
  directories: InstanceDirectories,
  settings: AdminSettings | null,
  folders: RouteFolders,
  { env }: ProcessContext,
  { secretsLookedUp = false, secretsAbsent = false, system = {} }: DryRunOptions,
): UnitInput {
  const metrics = new MetricsRegistry()
  return {
    directories,
    mode: settings?.unit.mode ?? 'PRODUCTION',
    units: settings?.unit.units ?? 1,
    settings: settings?.unit.settings ?? defaultSettings(),
    ownListeners: new ConnectorAddresses(settings?.unit.connectors ?? [], settings?.unit.management ?? null),
    config: text,
    types: CATALOGUE,
    serving: false,
    secretsLookedUp,
    secretsAbsent,
    control: folders,
    routers: new Routers(folders, metrics),
    metrics,
    logger: SILENT_LOGGER,
    clock: systemClock,
    env,
    system: settings?.unit.systemProperties ?? system,
  }
}
