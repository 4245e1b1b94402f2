import { existsSync, readFileSync } from 'node:fs'
import { isAbsolute, join, relative } from 'node:path'
import { type RouteFile, readConfigFile, readRouteFiles, revisionOf } from '#control'
import type { JsonObject } from '#json'
import type { ManagementClient } from '../management/management-client.ts'
import {
  type RunningRoute,
  type RunningRouter,
  runningConfiguration,
  runningRoutes,
  type ServedVersion,
} from '../management/running-routes.ts'
import { type Granularity, textDifference } from './text-difference.ts'

/** A file of the folder that differs from the running configuration. */
export interface FileDifference {
  /** Path in the instance. */
  readonly file: string
  /** Router and id of a route; null for other files. */
  readonly route: { readonly router: string; readonly id: string } | null
  /** From the running configuration to the folder. */
  readonly change: 'added' | 'removed' | 'changed'
  /** Reasons of the difference, and the way to remove it. */
  readonly notes: readonly string[]
  /** Hunks of a unified diff. */
  readonly hunks: readonly string[]
}

/** Result of a comparison. */
export interface Comparison {
  readonly differences: readonly FileDifference[]
  /** Number of compared files. */
  readonly compared: number
}

type Outcome = FileDifference | 'same'

const AFTER_RESTART = 'takes effect when the gateway is restarted'

/** Compares the files of an instance with the configuration that a gateway runs. */
export async function compareWithRunning(
  instance: string,
  client: ManagementClient,
  granularity: Granularity,
): Promise<Comparison> {
  const running = await runningConfiguration(client)
  const outcomes: Outcome[] = [
    adminDifference(instance, running.adminRevision),
    configDifference(instance, running.config, granularity),
  ]
  // Several routers may share a folder.
  const routers = new Map(running.routers.map((router) => [router.directory, router]))
  for (const router of routers.values())
    outcomes.push(...(await routeDifferences(instance, router, client, granularity)))
  return { differences: outcomes.filter((outcome) => outcome !== 'same'), compared: outcomes.length }
}

/** admin.json is compared by its revision: the gateway does not send its content. */
function adminDifference(instance: string, running: string): Outcome {
  const file = join('config', 'admin.json')
  const differs = (note: string): Outcome => ({ file, route: null, change: 'changed', notes: [note], hunks: [] })
  try {
    const { value } = readConfigFile(join(instance, file))
    if (revisionOf(value as JsonObject) === running) return 'same'
    return differs(`not the one that the gateway has read at its start; it ${AFTER_RESTART}`)
  } catch (error) {
    return differs(`can not be read: ${(error as Error).message}`)
  }
}

function configDifference(instance: string, running: string | null, granularity: Granularity): Outcome {
  const file = join('config', 'config.json')
  const path = join(instance, file)
  const text = existsSync(path) ? readFileSync(path, 'utf8') : null
  const hunks = textDifference(running, text, granularity)
  if (hunks === null) return 'same'
  return { file, route: null, change: changeOf(running, text), notes: [AFTER_RESTART], hunks }
}

/** Routes are matched by id, and files that are no routes by their name. */
async function routeDifferences(
  instance: string,
  router: RunningRouter,
  client: ManagementClient,
  granularity: Granularity,
): Promise<Outcome[]> {
  const directory = isAbsolute(router.directory) ? router.directory : join(instance, router.directory)
  const path = (file: string) => shownIn(instance, join(directory, file))
  const routes = await runningRoutes(client, router)
  const versions = routes.flatMap(({ file, served }) => (served === null ? [] : [{ ...served, file }]))
  const byId = new Map(versions.map((version) => [version.id, version]))
  const byFile = new Map(versions.map((version) => [version.file, version]))
  const outcomes: Outcome[] = []
  for (const local of readRouteFiles(directory, new Map()).values()) {
    const version = (local.route === null ? byFile.get(local.file) : byId.get(local.route.id)) ?? null
    if (version !== null) byId.delete(version.id)
    const id = local.route?.id ?? version?.id ?? local.file.replace(/\.json$/, '')
    const rejected = routes.find((route) => route.id === id && route.state === 'failed') ?? null
    const place = { file: path(local.file), route: { router: router.path, id } }
    outcomes.push(routeDifference(place, local, version, rejected, granularity))
  }
  for (const { id, file, text } of byId.values()) {
    const hunks = textDifference(text, null, granularity) ?? []
    outcomes.push({ file: path(file), route: { router: router.path, id }, change: 'removed', notes: [], hunks })
  }
  return outcomes
}

function routeDifference(
  place: Pick<FileDifference, 'file' | 'route'>,
  local: RouteFile,
  version: ServedVersion | null,
  rejected: RunningRoute | null,
  granularity: Granularity,
): Outcome {
  const isSame = version !== null && local.route?.revision === version.revision
  if (isSame && (granularity === 'values' || local.text === version.text)) return 'same'
  const before = version?.text ?? null
  const notes = [
    ...local.problems.map(({ message }) => `not a route: ${message}`),
    ...(local.route === null ? [] : (rejected?.problems ?? []).map((problem) => `the gateway rejects it: ${problem}`)),
  ]
  const hunks = textDifference(before, local.text, granularity) ?? []
  return { ...place, change: changeOf(before, local.text), notes, hunks }
}

function changeOf(before: string | null, after: string | null): FileDifference['change'] {
  if (before === null) return 'added'
  return after === null ? 'removed' : 'changed'
}

function shownIn(instance: string, path: string): string {
  const inside = relative(instance, path)
  return inside.startsWith('..') || isAbsolute(inside) ? path : inside
}
