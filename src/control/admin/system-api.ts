import {
  type ApiSecurity,
  type Collection,
  commonRest,
  crestError,
  describeBelow,
  type EndpointGroup,
  Refusal,
  type ServedEndpoint,
  type Singleton,
} from '#crest'
import { type Exchange, type Handler, Response } from '#http'
import type { Logger } from '#logging'
import { auditedHandler } from '../audit/audited-handler.ts'
import type { GatewayAudit } from '../audit/gateway-audit.ts'
import type { FleetApi } from '../fleet/api/fleet-api.ts'
import { isFleetPath } from '../fleet/api/fleet-paths.ts'
import { EVENTS } from '../log-events.ts'
import { MONITOR, type MonitorApi } from '../monitoring/live/monitor-api.ts'
import type { ObjectStates } from '../monitoring/object-states.ts'
import type { RouteStore } from '../routes/route-store.ts'
import type { UpstreamServices } from '../upstreams/upstream-services.ts'
import { ADMIN_DESCRIPTIONS } from './admin-descriptions.ts'
import { completeAction, evaluateAction } from './routes/evaluate-action.ts'
import { type ExplainContext, explainAction } from './routes/explain-action.ts'
import type { PatchScripts } from './routes/patch-scripts.ts'
import { routesCollection } from './routes/routes-collection.ts'
import { scopeAction } from './routes/scope-action.ts'
import { type RunningFiles, runningConfiguration } from './running-configuration.ts'
import { SHARE, shareCollection } from './share-collection.ts'
import { SESSION } from './studio/session-endpoint.ts'
import type { StudioAccess } from './studio/studio-access.ts'
import { typesCollection } from './types-collection.ts'
import { UPSTREAM, upstreamEndpoint } from './upstream-endpoint.ts'

/** Content of `/api/info`. */
interface GatewayInfo {
  readonly version: string
  readonly revision: string
  readonly mode: string
  readonly units: number
  readonly configRevision: string
  /** Only where it is `warn`. */
  readonly unknownFields?: string
}

/** Dependencies of the endpoints below `/api`. */
interface SystemApi extends ExplainContext {
  readonly states: ObjectStates
  readonly upstreams: UpstreamServices
  readonly logger: Logger
  readonly audit: Pick<GatewayAudit, 'config' | 'topics' | 'find'>
  /** Security schemes of the API; null where a filter of the configuration authenticates. */
  readonly security: ApiSecurity | null
  readonly monitor: MonitorApi
  /** Null without a store that is shared with other gateways. */
  readonly fleet: FleetApi | null
  /** For its descriptor; null where the Studio is switched off. */
  readonly studio: StudioAccess | null
  /** Scripts of patches. */
  readonly scripts: Omit<PatchScripts, 'logger'>
  running(): RunningFiles
  info(): GatewayInfo
}

const INFO = '/api/info'
const TYPES = '/api/system/types'
const CONFIGURATION = '/api/system/configuration'
const OBJECTS = '/api/system/objects'
const AUDIT = '/api/audit'

const NO_STORE = 'there are no releases and no other instances: admin.json has no store'

/** Paths that only contain other endpoints. */
const GROUPS = new Set(['/api', '/api/system', OBJECTS, AUDIT, MONITOR])

/** One or more `/<router>/routes`, with `/<id>/objects` between them; then perhaps an id. */
const ROUTES = /^((?:\/[^/]+\/routes\/[^/]+\/objects)*\/[^/]+\/routes)(?:\/[^/]*)?$/

/** The shares of an object of config.json, or of a route; then perhaps an id. */
const SHARES = new RegExp(`^((?:/[^/]+/routes/[^/]+/objects)*/[^/]+/${SHARE})(?:/[^/]*)?$`)

/** The servers of an UpstreamService of config.json, or of a route. */
const UPSTREAMS = new RegExp(`^((?:/[^/]+/routes/[^/]+/objects)*/[^/]+/${UPSTREAM})$`)

/** The Common REST endpoints of the gateway itself: information, object types, the audit, the routes of every router. */
export function systemApi(api: SystemApi): Handler {
  const { security } = api
  const [gateway, objectTypes] = [infoSingleton(api), typesCollection(api.types)]
  const info = commonRest(gateway, { base: INFO, security })
  const types = commonRest(objectTypes, { base: TYPES, security })
  const running = runningConfiguration(api.running, api.stores)
  const configuration = commonRest(running, { base: CONFIGURATION, security })
  const collections = new WeakMap<RouteStore, Collection>()
  const routesOf = (store: RouteStore, names: readonly string[]): Collection => {
    const degraded = () => api.states.degradedRoutes(store.directory)
    const collection =
      collections.get(store) ??
      routesCollection(
        store,
        degraded,
        {
          explain: explainAction(names, api),
          evaluate: evaluateAction(names, api),
          complete: completeAction(names, api),
          scope: scopeAction(names, api),
        },
        { ...api.scripts, logger: api.logger },
      )
    collections.set(store, collection)
    return collection
  }
  const all = (): EndpointGroup => ({
    id: 'gateway:api',
    title: 'Management API',
    description: 'Information, object types, routes and audit events of the gateway.',
    version: '1.0',
    security,
    endpoints: [
      { endpoint: gateway, base: INFO },
      { endpoint: objectTypes, base: TYPES },
      { endpoint: running, base: CONFIGURATION },
      ...(api.studio === null ? [] : [{ endpoint: api.studio.session.endpoint, base: SESSION }]),
      ...api.stores.paths.map(({ path: router, store }): ServedEndpoint => {
        const path = `/${router.split('/').map(encodeURIComponent).join('/')}/routes`
        return { endpoint: routesOf(store, namesIn(path)), base: OBJECTS + path }
      }),
      ...(api.fleet?.endpoints ?? []),
      ...api.monitor.endpoints,
      ...[...api.audit.topics].map(([topic, endpoint]) => ({ endpoint, base: `${AUDIT}/${topic}` })),
    ],
  })
  const endpoint: Handler = async (exchange) => {
    const { rawPath } = exchange.request.uri
    if (rawPath === INFO || rawPath.startsWith(`${INFO}/`)) return info(exchange)
    if (rawPath === TYPES || rawPath.startsWith(`${TYPES}/`)) return types(exchange)
    if (rawPath === CONFIGURATION || rawPath.startsWith(`${CONFIGURATION}/`)) return configuration(exchange)
    if (isFleetPath(rawPath)) return api.fleet?.handlerOf(rawPath)?.(exchange) ?? crestError(404, NO_STORE)
    if (GROUPS.has(rawPath)) return groupDescriptor(exchange, all)
    if (rawPath.startsWith(`${AUDIT}/`)) return auditOf(api, exchange)
    if (rawPath.startsWith(`${MONITOR}/`)) return api.monitor.handler(exchange)
    const shares = rawPath.startsWith(OBJECTS) ? SHARES.exec(rawPath.slice(OBJECTS.length))?.[1] : undefined
    if (shares !== undefined) return sharesOf(api, shares)(exchange)
    const upstream = rawPath.startsWith(OBJECTS) ? UPSTREAMS.exec(rawPath.slice(OBJECTS.length))?.[1] : undefined
    if (upstream !== undefined) return upstreamOf(api, upstream)(exchange)
    const collection = rawPath.startsWith(OBJECTS) ? ROUTES.exec(rawPath.slice(OBJECTS.length))?.[1] : undefined
    const names = namesIn(collection ?? '')
    const store = api.stores.ofRouter(['gateway', ...names].join('.'))
    // The routers are unknown until the first unit serves.
    const isEarly = collection !== undefined && !api.units().some(({ state }) => state === 'ready')
    if (store === null && isEarly) return crestError(503, 'no unit serves yet; try again', { 'Retry-After': '1' })
    if (store === null) return crestError(404, `there is nothing at ${exchange.request.uri.path}`)
    const base = `${OBJECTS}${collection}`
    return auditedHandler(commonRest(routesOf(store, names), { base, security }), base, api.audit.config)(exchange)
  }
  return async (exchange) => {
    const response = await endpoint(exchange)
    const { cause: error } = response
    if (error !== null) api.logger.limited(error).error({ error }, EVENTS.REQUEST_FAILED)
    return response
  }
}

/** The shares of the UmaService in a path below `/api/system/objects`. */
function sharesOf({ units, audit, security }: SystemApi, path: string): Handler {
  const base = `${OBJECTS}${path}`
  const shares = shareCollection({ object: ['gateway', ...namesIn(path)].join('+'), units })
  return auditedHandler(commonRest(shares, { base, security }), base, audit.config)
}

/** The servers of the UpstreamService in a path below `/api/system/objects`. */
function upstreamOf({ upstreams, audit, security }: SystemApi, path: string): Handler {
  const base = `${OBJECTS}${path}`
  const servers = upstreamEndpoint(upstreams, ['gateway', ...namesIn(path)].join('+'))
  return auditedHandler(commonRest(servers, { base, security }), base, audit.config)
}

/** Serves only the descriptors of the endpoints below; changes get 405. */
function groupDescriptor(exchange: Exchange, all: () => EndpointGroup): Response {
  const { method, uri } = exchange.request
  if (method === 'GET' || method === 'HEAD') {
    const nothing = new Response(204, { headers: { 'Cache-Control': 'no-store' } })
    return describeBelow(uri.rawPath, all(), exchange) ?? nothing
  }
  return crestError(405, `${method} is not allowed here; there are GET, HEAD`, { Allow: 'GET, HEAD' })
}

/** The events of a topic, below `/api/audit/<topic>`. */
async function auditOf({ audit, security }: SystemApi, exchange: Exchange): Promise<Response> {
  const { rawPath, path } = exchange.request.uri
  const [topic = ''] = rawPath.slice(AUDIT.length + 1).split('/', 1)
  const collection = audit.find(topic)
  if (collection === null) return crestError(404, `there is nothing at ${path}`)
  if (collection instanceof Refusal) return crestError(collection.status, collection.message)
  return commonRest(collection, { base: `${AUDIT}/${topic}`, security })(exchange)
}

/** The names in a path such as `/_router/routes/outer/objects/inner/routes`: routers, and routes between them. */
function namesIn(path: string): readonly string[] {
  const names = path.split('/').filter((_, at) => at % 2 === 1)
  return names.map((name) => decodeURIComponent(name))
}

function infoSingleton(api: SystemApi): Singleton {
  return {
    kind: 'singleton',
    description: ADMIN_DESCRIPTIONS.endpoints.info,
    read: async () => ({ id: 'info', revision: null, content: { ...api.info() } }),
  }
}
