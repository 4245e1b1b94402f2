import type { CompletionMessage, CompletionResult, EvaluationMessage, EvaluationResult, UnitSettings } from '#contracts'
import { compile, completionPlace, ExpressionSyntaxError, membersOf, namesIn, type Scope } from '#expression'
import {
  Body,
  type Exchange,
  exchangeScope,
  Headers,
  plainValue,
  Response,
  type TemporaryStorage,
  valueType,
} from '#http'
import { bindExpression } from '#schema'
import { simulateAdmission } from './route-matching.ts'
import type { Routers } from './routers.ts'

/** Longer values are truncated. */
const MAX_JSON = 65_536
/** Completions beyond are left out. */
const MAX_COMPLETIONS = 500

/** Parts of the unit that a simulated request needs. */
interface Simulation {
  readonly routers: Routers
  readonly settings: Pick<UnitSettings, 'connectors' | 'settings'>
  readonly storage: TemporaryStorage
}

/** Evaluates an expression of the control plane for a simulated request; never throws. */
export async function evaluateExpression(
  message: EvaluationMessage,
  simulation: Simulation,
): Promise<EvaluationResult> {
  const scope = simulation.routers.scopeOf(message.router, message.route)
  if (scope === null) return { missing: true }
  return simulated(message, simulation, async (exchange, response): Promise<EvaluationResult> => {
    const value = await bindExpression(compile(message.expression), scope)(exchange, response)
    const json = JSON.stringify(plainValue(value)) ?? 'null'
    const truncated = json.length > MAX_JSON
    return { json: truncated ? json.slice(0, MAX_JSON) : json, type: valueType(value), truncated }
  })
}

/** Names that fit at an offset of an expression. Members are those of the value that precedes the dot. */
export async function completeExpression(
  message: CompletionMessage,
  simulation: Simulation,
): Promise<CompletionResult> {
  const scope = simulation.routers.scopeOf(message.router, message.route)
  if (scope === null) return { missing: true }
  const place = completionPlace(message.expression, message.offset)
  if (place === null) return { from: message.offset, options: [] }
  const { from, target } = place
  const options = await simulated(message, simulation, async (exchange, response) => {
    if (target === null) return namesIn(exchangeScope(exchange, response, scope))
    return membersOf(await memberTarget(target, scope)(exchange, response))
  })
  // A target that can not be evaluated has no members.
  return { from, options: Array.isArray(options) ? options.slice(0, MAX_COMPLETIONS) : [] }
}

function memberTarget(target: string, scope: Scope) {
  return bindExpression(compile(`\${${target}}`), scope)
}

/** Runs a function for a simulated request and response; an exception is the error of the expression. */
async function simulated<T>(
  { request, response: given }: EvaluationMessage,
  { settings, storage }: Simulation,
  run: (exchange: Exchange, response: Response | null) => Promise<T>,
): Promise<T | { readonly error: { readonly message: string; readonly column?: number } }> {
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
    return await run(exchange, response)
  } catch (error) {
    const { message } = error as Error
    return { error: { message, ...(error instanceof ExpressionSyntaxError && { column: error.offset + 1 }) } }
  } finally {
    exchange.complete()
  }
}
