import type { ConditionResult, SimulatedRequestMessage } from '#contracts'
import { type Action, Refusal } from '#crest'
import { Catalogue, chainSteps, type DocumentScope, effectiveBaseUri, type Step } from '#heap'
import { DEFAULT_OBJECTS } from '#instance'
import { isPlainObject, type JsonObject, type JsonValue } from '#json'
import type { CatalogueType } from '#schema'
import type { OpenFolders } from '../../routes/open-folders.ts'
import { ROUTE_ACTIONS } from '../../routes/routes-descriptions.ts'
import { simulatedRequest } from '../../routes/simulated-request.ts'
import type { UnitLink } from '../../units/unit-link.ts'
import { fileOf } from './route-resources.ts'

/** Dependencies of `explain`. */
export interface ExplainContext {
  readonly stores: OpenFolders
  readonly types: readonly CatalogueType[]
  units(): readonly UnitLink[]
  /** config.json, or its default. */
  config(): JsonObject
}

/**
 * `explain`: the route of a router that matches a request, and why. A unit evaluates the conditions, with the code of
 * live traffic; filters and handlers are listed, not run. `names` are those of the router and of the routes that contain
 * it: `_router`, or `_router`, `outer`, `inner`.
 */
export function explainAction(names: readonly string[], context: ExplainContext): Action {
  return {
    ...ROUTE_ACTIONS.explain,
    run: async (_, { body }) => {
      const request = simulatedRequest(body)
      return request instanceof Refusal ? request : explain(names, request, context)
    },
  }
}

async function explain(
  names: readonly string[],
  request: SimulatedRequestMessage,
  context: ExplainContext,
): Promise<JsonObject | Refusal> {
  const catalogue = new Catalogue(context.types)
  const tried: (ConditionResult & { router: string })[] = []
  const chain: Step[] = []
  let route: string | null = null
  let { router, scope, baseURI } = await routerAndScope(names, context, catalogue)
  for (;;) {
    const unit = context.units().find(({ state }) => state === 'ready')
    if (unit === undefined) return new Refusal(503, 'no unit is ready to evaluate conditions; try again')
    const answer = await unit.remote.matchRoutes({ router, request }).catch((error: Error) => error)
    if (answer instanceof Error) return new Refusal(503, `${answer.message}; try again`)
    if ('refused' in answer) return { refused: { ...answer.refused }, tried: [], route: null, chain: [] }
    tried.push(...answer.tried.map((trial) => ({ router, ...trial })))
    if (answer.route === null) break
    route = answer.route
    const document = documentOf(router.replaceAll('+', '.'), route, context)
    scope = { path: `${router}+${route}`, heap: heapOf(document), parent: scope }
    const steps = await stepsOf(document, scope, effectiveBaseUri(document, baseURI), catalogue)
    const at = steps.findIndex(
      ({ qualifiedName }) => context.stores.ofRouter(qualifiedName.replaceAll('+', '.')) !== null,
    )
    chain.push(...(at === -1 ? steps : steps.slice(0, at + 1)))
    if (at === -1) break
    const inner = steps[at] as Step
    ;[router, baseURI] = [inner.qualifiedName, inner.routesBaseURI ?? null]
  }
  return { refused: null, tried: tried as unknown as JsonValue, route, chain: chain as unknown as JsonValue }
}

/** A router, the heaps visible to its routes, and the `baseURI` that they begin with. */
interface RouterPlace {
  readonly router: string
  readonly scope: DocumentScope
  readonly baseURI: JsonValue
}

/** The place of a router in the documents around it: config.json, then the routes that contain it. */
export async function routerAndScope(
  names: readonly string[],
  context: ExplainContext,
  catalogue: Catalogue,
): Promise<RouterPlace> {
  const defaults = { path: 'gateway', heap: DEFAULT_OBJECTS, parent: null }
  let document = context.config()
  let scope: DocumentScope = { path: 'gateway', heap: heapOf(document), parent: defaults }
  let router = `gateway+${names[0]}`
  let baseURI = await baseUriOf(router, document, scope, null, catalogue)
  for (let at = 1; at + 1 < names.length; at += 2) {
    document = documentOf(router.replaceAll('+', '.'), names[at] as string, context)
    scope = { path: `${router}+${names[at]}`, heap: heapOf(document), parent: scope }
    router = `${scope.path}+${names[at + 1]}`
    baseURI = await baseUriOf(router, document, scope, baseURI, catalogue)
  }
  return { router, scope, baseURI }
}

/** The `baseURI` in effect at a router of a document. */
async function baseUriOf(
  router: string,
  document: JsonObject,
  scope: DocumentScope,
  around: JsonValue,
  catalogue: Catalogue,
): Promise<JsonValue> {
  const steps = await stepsOf(document, scope, effectiveBaseUri(document, around), catalogue)
  return steps.find(({ qualifiedName }) => qualifiedName === router)?.routesBaseURI ?? null
}

function stepsOf(document: JsonObject, scope: DocumentScope, baseURI: JsonValue, catalogue: Catalogue) {
  return catalogue.withTypes(() => chainSteps(document['handler'] ?? null, '/handler', scope, catalogue, baseURI))
}

function documentOf(router: string, id: string, { stores }: ExplainContext): JsonObject {
  const store = stores.ofRouter(router)
  const value = store === null ? null : fileOf(store, id)?.route?.document.value
  return isPlainObject(value) ? (value as JsonObject) : {}
}

function heapOf({ heap }: JsonObject): readonly JsonValue[] {
  return Array.isArray(heap) ? heap : []
}
