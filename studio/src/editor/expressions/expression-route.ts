import { ApiError } from '../../api/client.ts'
import { type Completions, complete, type Evaluation, evaluate, type SampleRequest } from '../../api/try-it.ts'
import { valueAt } from '../../model/canvas-edits.ts'
import { isObject } from '../../model/canvas-model.ts'

/** The route whose expressions are edited, and the request they are tried for. */
export interface ExpressionRoute {
  readonly text: string
  readonly router: string
  /** Null for a route that is not deployed yet. */
  readonly deployedId: string | null
  readonly sample: SampleRequest
}

/** Value and type of an expression for the sample request, or its error. */
export function evaluateIn(route: ExpressionRoute, expression: string, signal?: AbortSignal): Promise<Evaluation> {
  return inRoute(route, (id) => evaluate(route.router, id, expression, route.sample, signal))
}

/** Names that fit in an expression: those of the gateway, and properties of the draft. */
export async function completionsIn(route: ExpressionRoute, expression: string, offset: number): Promise<Completions> {
  const { from, options } = await inRoute(route, (id) => complete(route.router, id, expression, offset, route.sample))
  const properties = valueAt(route.text, ['properties'])
  const isName = options.some(({ kind }) => kind === 'binding')
  const known = new Set(options.map(({ name }) => name))
  const drafted = isName && isObject(properties) ? Object.keys(properties).filter((name) => !known.has(name)) : []
  return { from, options: [...drafted.map((name) => ({ name, kind: 'binding' as const })), ...options] }
}

/** A route that is stored but does not load is not served: the properties are then those of the router. */
async function inRoute<T>({ deployedId }: ExpressionRoute, ask: (id: string | null) => Promise<T>): Promise<T> {
  try {
    return await ask(deployedId)
  } catch (error) {
    if (deployedId === null || !(error instanceof ApiError) || error.status !== 404) throw error
    return ask(null)
  }
}
