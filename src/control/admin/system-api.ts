import { type Collection, commonRest, type Singleton } from '#crest'
import { type Exchange, type Handler, type Request, Response } from '#http'
import type { Logger } from '#logging'
import { auditedHandler } from '../audit/audited-handler.ts'
import type { GatewayAudit } from '../audit/gateway-audit.ts'
import type { ObjectStates } from '../object-states.ts'
import type { RouteStore } from '../route-store.ts'
import { crestError } from './crest-error.ts'
import { type Explaining, explainAction } from './routes/explain-action.ts'
import type { PatchScripts } from './routes/patch-scripts.ts'
import { routesCollection } from './routes/routes-collection.ts'
import { typesCollection } from './types-collection.ts'

/** What `/api/info` tells. */
export interface GatewayInfo {
  readonly version: string
  readonly revision: string
  readonly mode: string
  readonly units: number
  readonly configRevision: string
}

/** What the endpoints below `/api` are made of. */
export interface SystemApi extends Explaining {
  readonly states: ObjectStates
  readonly logger: Logger
  readonly audit: Pick<GatewayAudit, 'config' | 'topics'>
  /** Scripts of patches. */
  readonly scripts: Omit<PatchScripts, 'logger'>
  info(): GatewayInfo
}

const INFO = '/api/info'
const TYPES = '/api/system/types'
const OBJECTS = '/api/system/objects'
const AUDIT = '/api/audit'

/** Paths that hold others and nothing of their own. */
const HOLDERS = new Set(['/api', '/api/system', OBJECTS, AUDIT])

/** One or more `/<router>/routes`, with `/<id>/objects` between them; then perhaps an id. */
const ROUTES = /^((?:\/[^/]+\/routes\/[^/]+\/objects)*\/[^/]+\/routes)(?:\/[^/]*)?$/

/** The Common REST endpoints of the gateway itself: information, object types, the audit, the routes of every router. */
export function systemApi(api: SystemApi): Handler {
  const info = commonRest(infoSingleton(api), { base: INFO })
  const types = commonRest(typesCollection(api.types), { base: TYPES })
  const collections = new WeakMap<RouteStore, Collection>()
  const routesOf = (store: RouteStore, names: readonly string[]): Collection => {
    const degraded = () => api.states.degradedRoutes(store.directory)
    const collection =
      collections.get(store) ??
      routesCollection(store, degraded, explainAction(names, api), { ...api.scripts, logger: api.logger })
    collections.set(store, collection)
    return collection
  }
  const endpoint: Handler = async (exchange) => {
    const { rawPath } = exchange.request.uri
    if (rawPath === INFO || rawPath.startsWith(`${INFO}/`)) return info(exchange)
    if (rawPath === TYPES || rawPath.startsWith(`${TYPES}/`)) return types(exchange)
    if (HOLDERS.has(rawPath)) return holder(exchange.request)
    if (rawPath.startsWith(`${AUDIT}/`)) return auditOf(api, exchange)
    const collection = rawPath.startsWith(OBJECTS) ? ROUTES.exec(rawPath.slice(OBJECTS.length))?.[1] : undefined
    const names = namesIn(collection ?? '')
    const store = api.stores.ofRouter(['gateway', ...names].join('.'))
    // Before the first unit serves, nobody knows which routers there are.
    const isEarly = collection !== undefined && !api.units().some(({ state }) => state === 'ready')
    if (store === null && isEarly) return crestError(503, 'no unit serves yet; try again', { 'Retry-After': '1' })
    if (store === null) return crestError(404, `there is nothing at ${exchange.request.uri.path}`)
    const base = `${OBJECTS}${collection}`
    return auditedHandler(commonRest(routesOf(store, names), { base }), base, api.audit.config)(exchange)
  }
  return async (exchange) => {
    const response = await endpoint(exchange)
    if (response.cause !== null) api.logger.error({ error: response.cause }, 'a request of the management API failed')
    return response
  }
}

/** There is nothing to read; a change is refused, so that nobody takes it for done. */
function holder({ method }: Request): Response {
  if (method === 'GET' || method === 'HEAD') return new Response(204, { headers: { 'Cache-Control': 'no-store' } })
  return crestError(405, `${method} is not allowed here; there are GET, HEAD`, { Allow: 'GET, HEAD' })
}

/** The events of a topic, below `/api/audit/<topic>`. */
async function auditOf({ audit }: SystemApi, exchange: Exchange): Promise<Response> {
  const { rawPath, path } = exchange.request.uri
  const [topic = ''] = rawPath.slice(AUDIT.length + 1).split('/', 1)
  const collection = audit.topics.get(topic)
  if (collection === undefined) return crestError(404, `there is nothing at ${path}`)
  return commonRest(collection, { base: `${AUDIT}/${topic}` })(exchange)
}

/** The names in a path such as `/_router/routes/outer/objects/inner/routes`: routers, and routes between them. */
function namesIn(path: string): readonly string[] {
  const names = path.split('/').filter((_, at) => at % 2 === 1)
  return names.map((name) => decodeURIComponent(name))
}

function infoSingleton(api: SystemApi): Singleton {
  return {
    kind: 'singleton',
    description: {
      id: 'gateway:info',
      title: 'Gateway',
      description: 'The version of the gateway, its mode, and the revision of its configuration.',
      version: '1.0',
      schema: {
        type: 'object',
        properties: {
          version: { type: 'string' },
          revision: { type: 'string' },
          mode: { type: 'string', enum: ['PRODUCTION', 'DEVELOPMENT'] },
          units: { type: 'integer' },
          configRevision: { type: 'string' },
        },
      },
      revisions: false,
    },
    read: async () => ({ id: 'info', revision: null, content: { ...api.info() } }),
  }
}
