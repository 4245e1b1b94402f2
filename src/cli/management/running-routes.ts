import { isPlainObject, type JsonObject } from '#json'
import type { ManagementClient } from './management-client.ts'

/** A router of a running gateway. */
export interface RunningRouter {
  /** Its path below `/api/system/objects`, such as `_router`. */
  readonly path: string
  /** Its folder, relative to the instance where it is in it. */
  readonly directory: string
}

/** Configuration of a running gateway, beside its routes. */
interface RunningConfiguration {
  /** Text of config.json; null without one. */
  readonly config: string | null
  readonly adminRevision: string
  readonly routers: readonly RunningRouter[]
}

/** The version of a route that units serve. */
export interface ServedVersion {
  readonly id: string
  readonly revision: string
  readonly name: string
  readonly text: string
}

/** A route file of a running gateway. */
export interface RunningRoute {
  readonly id: string
  readonly name: string
  /** Name of its file. */
  readonly file: string
  readonly condition: string
  readonly state: string
  readonly problems: readonly string[]
  /** Null where no version of it is served. */
  readonly served: ServedVersion | null
}

export async function runningConfiguration(client: ManagementClient): Promise<RunningConfiguration> {
  const { config, adminRevision, routers } = await client.read('/api/system/configuration')
  const list = Array.isArray(routers) ? (routers.filter(isPlainObject) as JsonObject[]) : []
  return {
    config: typeof config === 'string' ? config : null,
    adminRevision: String(adminRevision),
    routers: list.map(({ path, directory }) => ({ path: String(path), directory: String(directory) })),
  }
}

/** The routes of a router, in the order in which they are tried. */
export async function runningRoutes(client: ManagementClient, { path }: RunningRouter): Promise<RunningRoute[]> {
  const collection = `/api/system/objects/${path.split('/').map(encodeURIComponent).join('/')}/routes`
  const routes: RunningRoute[] = []
  const fields = ['_file', 'name', 'condition', '_status', '_served']
  for await (const resource of client.query(collection, fields)) routes.push(runningRoute(resource))
  return routes
}

function runningRoute({ _id, _file, name, condition, _status: status, _served: served }: JsonObject): RunningRoute {
  const { state, problems } = isPlainObject(status) ? (status as JsonObject) : {}
  return {
    id: String(_id),
    name: typeof name === 'string' ? name : String(_id),
    file: String(_file),
    condition: conditionText(condition),
    state: String(state ?? 'loaded'),
    problems: Array.isArray(problems) ? (problems.filter(isPlainObject) as JsonObject[]).map(problemText) : [],
    served: isPlainObject(served) ? servedVersion(served as JsonObject) : null,
  }
}

/** A condition as it is written; without one a route matches every request. */
export function conditionText(condition: unknown): string {
  if (condition === undefined || condition === null) return ''
  return typeof condition === 'string' ? condition : JSON.stringify(condition)
}

function problemText({ pointer, message }: JsonObject): string {
  return pointer === '' || pointer === undefined ? String(message) : `${String(pointer)}: ${String(message)}`
}

function servedVersion({ _id, _rev, name, _source }: JsonObject): ServedVersion {
  return { id: String(_id), revision: String(_rev), name: String(name), text: String(_source) }
}
