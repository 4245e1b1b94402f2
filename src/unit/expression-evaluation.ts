import type { EvaluationMessage, EvaluationResult, UnitSettings } from '#contracts'
import { compile, ExpressionSyntaxError } from '#expression'
import { Body, Headers, plainValue, Response, type TemporaryStorage, valueType } from '#http'
import { bindExpression } from '#schema'
import { simulateAdmission } from './route-matching.ts'
import type { Routers } from './routers.ts'

/** Longer values are truncated. */
const MAX_JSON = 65_536

/** Evaluates an expression of the control plane for a simulated request; never throws. */
export async function evaluateExpression(
  { router, route, expression: source, request, response: given }: EvaluationMessage,
  routers: Routers,
  settings: Pick<UnitSettings, 'connectors' | 'settings'>,
  storage: TemporaryStorage,
): Promise<EvaluationResult> {
  const scope = routers.scopeOf(router, route)
  if (scope === null) return { missing: true }
  const body = request.body === '' ? Body.empty : Body.of(request.body)
  const arrived = simulateAdmission({ ...request, body }, settings, storage)
  if (!('exchange' in arrived))
    return { error: { message: `the listener would refuse the request: ${arrived.problem}` } }
  const { exchange } = arrived
  const response =
    given === null
      ? null
      : new Response(given.status, { headers: Headers.fromRaw([...given.rawHeaders]), body: given.body })
  try {
    const value = await bindExpression(compile(source), scope)(exchange, response)
    const json = JSON.stringify(plainValue(value)) ?? 'null'
    const truncated = json.length > MAX_JSON
    return { json: truncated ? json.slice(0, MAX_JSON) : json, type: valueType(value), truncated }
  } catch (error) {
    const { message } = error as Error
    return { error: { message, ...(error instanceof ExpressionSyntaxError && { column: error.offset + 1 }) } }
  } finally {
    exchange.complete()
  }
}
