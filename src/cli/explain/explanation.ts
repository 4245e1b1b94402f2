import { join } from 'node:path'
import type { ConditionResult } from '#contracts'
import type { Scope } from '#expression'
import { Catalogue, chainSteps, type DocumentScope, effectiveBaseUri } from '#heap'
import type { Exchange } from '#http'
import { DEFAULT_OBJECTS, RouteDocument } from '#instance'
import { isPlainObject, type JsonObject, type JsonValue } from '#json'
import type { Refusal } from '#listener'
import { DOCUMENT_STRUCTURE, isIgnoredKey } from '#schema'
import { type LiveRouter, matchRoutes } from '#unit'
import type { DryRun } from '../dry-run/dry-run.ts'
import { type ExplainedStep, withTargets } from './request-target.ts'

/** A route whose condition was evaluated, and its router. */
export type RouterConditionResult = ConditionResult & { readonly router: string }

/** How a request would be processed, and why. */
export interface Explanation {
  readonly request: { readonly method: string; readonly received: string; readonly uri: string | null }
  readonly refused: { readonly status: number; readonly reason: string } | null
  readonly tried: readonly RouterConditionResult[]
  /** Id of the matching route; of the innermost one for nested routers. */
  readonly route: string | null
  readonly file: string | null
  /** Top-level decorations of its document, which wrap the whole chain. */
  readonly decorations: JsonObject
  readonly chain: readonly ExplainedStep[]
  readonly notes: readonly string[]
}

/** The explanation of a request that the listener refuses. */
export function refusal(request: Explanation['request'], { status, problem }: Refusal): Explanation {
  const refused = { status, reason: problem }
  return { request, refused, tried: [], route: null, file: null, decorations: {}, chain: [], notes: [] }
}

/** Matches a request against the routes of an instance, in the order and with the code of live traffic. */
export async function explain(
  request: Explanation['request'],
  exchange: Exchange,
  dryRun: DryRun,
): Promise<Explanation> {
  const catalogue = new Catalogue(dryRun.types)
  const routers = dryRun.unit?.routers.live ?? []
  const tried: RouterConditionResult[] = []
  const chain: ExplainedStep[] = []
  const notes: string[] = []
  let route: string | null = null
  let file: string | null = null
  let document = dryRun.config
  let scope: DocumentScope = {
    path: 'gateway',
    heap: heapOf(document),
    parent: { path: 'gateway', heap: DEFAULT_OBJECTS, parent: null },
  }
  let baseURI: JsonValue = null
  let bindings = NO_NAMES
  for (;;) {
    baseURI = effectiveBaseUri(document, baseURI)
    const declared = await chainStepsOf(document, scope, catalogue, baseURI)
    const steps = withTargets(declared, exchange, bindings)
    const at = steps.findIndex(({ qualifiedName }) => routers.some((router) => router.qualifiedName === qualifiedName))
    if (at === -1) {
      chain.push(...steps)
      break
    }
    const router = routers.find(({ qualifiedName }) => qualifiedName === steps[at]?.qualifiedName) as LiveRouter
    if (at > 0)
      notes.push(`what stands before the router ${router.name} is not run here; it may change or answer the request`)
    const { tried: here, route: taker } = await matchRoutes(router, exchange, { parts: true })
    tried.push(...here.map((trial) => ({ router: router.name, ...trial })))
    chain.push(...(taker === null ? steps : steps.slice(0, at + 1)))
    if (taker === null) {
      notes.push(
        `no route of the router ${router.name} takes it: its default handler answers, or 404 where it has none`,
      )
      break
    }
    route = taker
    baseURI = steps[at]?.routesBaseURI ?? null
    bindings = dryRun.unit?.routers.scopeOf(router.qualifiedName, taker) ?? NO_NAMES
    const found = dryRun.folders.fileOf(router.directory, taker)
    file = found === null ? null : join(router.directory, found.file)
    document = (found?.route?.document.value ?? {}) as JsonObject
    scope = { path: `${router.qualifiedName}+${taker}`, heap: heapOf(document), parent: scope }
  }
  const decorations = route === null ? {} : decorationsOf(document)
  return { request, refused: null, tried, route, file, decorations, chain, notes }
}

/** Objects of config.json: their own properties are unknown here, so that expressions with them have no value. */
const NO_NAMES: Scope = { lookup: () => undefined }

function chainStepsOf(
  document: JsonObject,
  scope: DocumentScope,
  catalogue: Catalogue,
  baseURI: JsonValue,
): Promise<ReturnType<typeof chainSteps>> {
  return catalogue.withTypes(() => chainSteps(document['handler'] ?? null, '/handler', scope, catalogue, baseURI))
}

function heapOf(document: JsonValue): readonly JsonValue[] {
  const heap = isPlainObject(document) ? document['heap'] : undefined
  return Array.isArray(heap) ? heap : []
}

const ROUTE_KEYS = new Set([
  ...Object.keys(RouteDocument.members),
  ...RouteDocument.legacy,
  ...Object.keys(DOCUMENT_STRUCTURE),
])

function decorationsOf(document: JsonObject): JsonObject {
  const keys = Object.keys(document).filter((key) => !ROUTE_KEYS.has(key) && !isIgnoredKey(key))
  return Object.fromEntries(keys.map((key) => [key, document[key] as JsonValue]))
}
