import { join } from 'node:path'
import { isPlainObject } from '#json'
import { type DryRun, openDryRun } from '../dry-run/dry-run.ts'
import { RouteFolders } from '../dry-run/route-folders.ts'
import type { ManagementClient } from '../management/management-client.ts'
import { conditionText, runningConfiguration, runningRoutes } from '../management/running-routes.ts'
import type { ProcessContext } from '../process-context.ts'

/** A route in the order of its router. */
export interface ListedRoute {
  /** Position from 1 in which it is tried; null where it is not served. */
  readonly order: number | null
  readonly id: string
  readonly name: string
  readonly file: string
  readonly condition: string
  readonly state: string
  /** Problems of its file, and degraded objects. */
  readonly errors: readonly string[]
}

/** The routes of one router. */
export interface ListedRouter {
  readonly router: string
  readonly directory: string
  readonly routes: readonly ListedRoute[]
}

type Unordered = Omit<ListedRoute, 'order'> & { readonly isServed: boolean }

/** The routes of a running gateway. */
export async function routesOfGateway(client: ManagementClient): Promise<ListedRouter[]> {
  const { routers } = await runningConfiguration(client)
  const listed: ListedRouter[] = []
  for (const router of routers) {
    const routes = (await runningRoutes(client, router)).map(
      ({ id, name, condition, state, problems, file, served }) => {
        return { id, name, file, condition, state, errors: problems, isServed: served !== null }
      },
    )
    listed.push({ router: router.path, directory: router.directory, routes: numbered(routes) })
  }
  return listed
}

/** The routes of a folder, built as `validate` does. Files with problems are the last ones. */
export async function routesOfFolder(
  instance: string,
  context: ProcessContext,
): Promise<{ readonly routers: readonly ListedRouter[]; readonly problems: DryRun['problems'] }> {
  const folders = new RouteFolders()
  await using dryRun = await openDryRun(instance, context, folders)
  const routers = (dryRun.unit?.routers.live ?? []).map(({ qualifiedName, directory, routes }) => {
    const served = routes.map(({ id, name, file }) => ({
      id,
      name,
      file: `${file}.json`,
      state: 'loaded',
      isServed: true,
    }))
    const known = new Set(served.map(({ file }) => file))
    const failed = folders.filesOf(directory).filter(({ file }) => !known.has(file))
    const all = [
      ...served,
      ...failed.map(({ file, route }) => {
        const id = route?.id ?? file.replace(/\.json$/, '')
        return { id, name: route?.name ?? id, file, state: 'failed', isServed: false }
      }),
    ]
    const errorsOf = (file: string) =>
      dryRun.problems.flatMap(({ file: path, pointer, message }) => {
        if (path !== join(directory, file)) return []
        return [pointer === '' ? message : `${pointer}: ${message}`]
      })
    const conditionOf = (name: string) => {
      const document = folders.filesOf(directory).find(({ file }) => file === name)?.route?.document.value
      return conditionText(isPlainObject(document) ? document['condition'] : undefined)
    }
    const list = all.map((route) => ({ ...route, condition: conditionOf(route.file), errors: errorsOf(route.file) }))
    return { router: qualifiedName, directory, routes: numbered(list) }
  })
  return { routers, problems: dryRun.unit === null ? dryRun.problems : [] }
}

function numbered(routes: readonly Unordered[]): ListedRoute[] {
  let order = 0
  return routes.map(({ isServed, ...route }) => ({ order: isServed ? ++order : null, ...route }))
}
