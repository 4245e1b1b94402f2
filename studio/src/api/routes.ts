import { hasCrlf, withCrlf, withLf } from '../model/line-ends.ts'
import { call, type Problem, queryAll } from './client.ts'

/** A route in the list of a router. */
export interface RouteSummary {
  readonly _id: string
  readonly _rev: string
  readonly name?: string
  readonly condition?: unknown
  readonly handler?: unknown
  readonly _status: { readonly state: 'loaded' | 'failed' | 'degraded'; readonly problems: readonly Problem[] }
}

/** The text of a route with its revisions. Lines end with LF, also those of a file with CRLF. */
export interface RouteText {
  readonly _id: string
  readonly _rev: string
  readonly _source: string
  /** Whether the lines of the file end with CRLF. */
  readonly isCrlf: boolean
  readonly _sourceRev: string
}

/** A replaced version of a route; `_source` is its text where one version is read. */
export interface RouteVersion {
  readonly _rev: string
  readonly replacedAt: string
  readonly replacedBy: { readonly operation?: string; readonly user?: string | null }
  readonly _source?: string
}

/** The router of `config.json`. */
export const DEFAULT_ROUTER = '_router'

/** Path of the routes of a router: `_router`, or below a route of it `_router/routes/<id>/objects/<name>`. */
export function routesPath(router: string): string {
  return `api/system/objects/${router}/routes`
}

/** All routers of the gateway, by the paths of the management API. */
export async function listRouters(): Promise<readonly string[]> {
  const { paths } = await call<{ paths: Record<string, unknown> }>('api/system/objects?_crestapi')
  return Object.keys(paths).map((path) => path.slice(1).replace(/\/routes$/, ''))
}

/** The name of a route in metrics: its id, preceded by the router for others than the default one. */
export function metricName(router: string, id: string): string {
  if (router === DEFAULT_ROUTER) return id
  const names = router.split('/').filter((_, at) => at % 2 === 0)
  return `${names.map(decodeURIComponent).join('.')}/${id}`
}

function routePath(router: string, id: string): string {
  return `${routesPath(router)}/${encodeURIComponent(id)}`
}

export function listRoutes(router: string): Promise<RouteSummary[]> {
  return queryAll(routesPath(router), { _fields: 'name,condition,handler,heap,_status,_rev' })
}

export async function readRouteText(router: string, id: string): Promise<RouteText> {
  const path = `${routePath(router, id)}?_fields=_source,_sourceRev,_rev`
  const { _source, ...rest } = await call<Omit<RouteText, 'isCrlf'>>(path)
  return { ...rest, _source: withLf(_source), isCrlf: hasCrlf(_source) }
}

/** Problems of a text that would be deployed under an id. */
export async function validateText(
  router: string,
  id: string,
  text: string,
  signal?: AbortSignal,
): Promise<readonly Problem[]> {
  const { problems } = await call<{ problems: Problem[] }>(`${routesPath(router)}?_action=validate`, {
    body: { _id: id, _source: text },
    ...(signal === undefined ? {} : { signal }),
  })
  return problems
}

/** Stores a text; `sourceRev` is that of the text it replaces, null for a new route. `isCrlf` says how the lines of its file end. */
export function deployText(
  router: string,
  id: string,
  text: string,
  sourceRev: string | null,
  isCrlf = false,
): Promise<unknown> {
  const headers: Record<string, string> =
    sourceRev === null ? { 'If-None-Match': '*' } : { 'If-Match': `"${sourceRev}"` }
  return call(routePath(router, id), { method: 'PUT', body: { _source: isCrlf ? withCrlf(text) : text }, headers })
}

export function deleteRoute(router: string, id: string, sourceRev: string | null): Promise<unknown> {
  const headers = sourceRev === null ? {} : { 'If-Match': `"${sourceRev}"` }
  return call(routePath(router, id), { method: 'DELETE', headers })
}

export async function routeHistory(router: string, id: string): Promise<readonly RouteVersion[]> {
  const { versions } = await call<{ versions: RouteVersion[] }>(`${routePath(router, id)}?_action=history`, {
    body: {},
  })
  return versions
}

export async function routeVersion(router: string, id: string, rev: string): Promise<RouteVersion> {
  const version = await call<RouteVersion>(`${routePath(router, id)}?_action=history`, { body: { _rev: rev } })
  return version._source === undefined ? version : { ...version, _source: withLf(version._source) }
}

export function rollBack(router: string, id: string, rev: string): Promise<unknown> {
  return call(`${routePath(router, id)}?_action=rollback`, { body: { _rev: rev } })
}

/** A deleted route with its last version. */
export interface DeletedRoute extends RouteVersion {
  readonly _id: string
}

export async function deletedRoutes(router: string): Promise<readonly DeletedRoute[]> {
  const { routes } = await call<{ routes: DeletedRoute[] }>(`${routesPath(router)}?_action=deleted`, { body: {} })
  return routes
}
