import type { EvaluationMessage } from '#contracts'
import { type Action, Refusal } from '#crest'
import { isPlainObject, type JsonObject, type JsonValue, parseJson } from '#json'
import { ROUTE_ACTIONS } from '../../routes/routes-descriptions.ts'
import { headerFields, simulatedRequest } from '../../routes/simulated-request.ts'
import type { UnitLink } from '../../units/unit-link.ts'
import type { ExplainContext } from './explain-action.ts'

const MAX_EXPRESSION = 16_384
const MEMBERS = new Set(['expression', 'route', 'request', 'response'])

/**
 * `evaluate`: the value of an expression for a simulated request, in the scope of a route or of the router. A unit evaluates it,
 * with the code and the limits of live traffic.
 */
export function evaluateAction(names: readonly string[], { units }: Pick<ExplainContext, 'units'>): Action {
  const router = ['gateway', ...names].join('+')
  return {
    ...ROUTE_ACTIONS.evaluate,
    run: async (_, { body }) => {
      const message = evaluationIn(body)
      if (message instanceof Refusal) return message
      const result = await ofUnit(units(), ({ remote }) => remote.evaluate({ router, ...message }))
      if (result instanceof Refusal) return result
      if ('error' in result) return { error: { ...result.error } }
      const { json, type, truncated } = result
      return { value: truncated ? json : parseJson(json), type, truncated }
    },
  }
}

/** `complete`: names that fit in a place of an expression, with the properties of a value for a simulated request. */
export function completeAction(names: readonly string[], { units }: Pick<ExplainContext, 'units'>): Action {
  const router = ['gateway', ...names].join('+')
  return {
    ...ROUTE_ACTIONS.complete,
    run: async (_, { body }) => {
      const { offset, ...rest } = isPlainObject(body) ? (body as JsonObject) : {}
      const message = evaluationIn(rest)
      if (message instanceof Refusal) return message
      if (typeof offset !== 'number' || !Number.isInteger(offset) || offset < 0 || offset > message.expression.length)
        return new Refusal(400, 'offset: expected a whole number within the expression')
      const result = await ofUnit(units(), ({ remote }) => remote.complete({ router, ...message, offset }))
      if (result instanceof Refusal) return result
      return { from: result.from, options: result.options.map((option) => ({ ...option })) }
    },
  }
}

/** The result of a unit that serves. */
async function ofUnit<T extends object>(
  units: readonly UnitLink[],
  ask: (unit: UnitLink) => Promise<T | { readonly missing: true }>,
): Promise<T | Refusal> {
  const unit = units.find(({ state }) => state === 'ready')
  if (unit === undefined) return new Refusal(503, 'no unit is ready to evaluate it; try again')
  const result = await ask(unit).catch((error: Error) => error)
  if (result instanceof Error) return new Refusal(503, `${result.message}; try again`)
  return 'missing' in result ? new Refusal(404, 'there is no route of this id that is served') : result
}

function evaluationIn(body: JsonValue): Omit<EvaluationMessage, 'router'> | Refusal {
  if (!isPlainObject(body)) return new Refusal(400, 'the body: expected { "expression", "request" }')
  const unknown = Object.keys(body).find((name) => !MEMBERS.has(name))
  if (unknown !== undefined)
    return new Refusal(400, `${JSON.stringify(unknown.slice(0, 40))}: expected only ${[...MEMBERS].join(', ')}`)
  const { expression, route = null, request = { uri: '/' }, response = null } = body
  if (typeof expression !== 'string' || expression.length > MAX_EXPRESSION) {
    return new Refusal(400, `expression: expected a text of at most ${MAX_EXPRESSION} characters`)
  }
  if (route !== null && typeof route !== 'string') return new Refusal(400, 'route: expected the id of a route')
  const simulated = simulatedRequest(request as JsonValue)
  if (simulated instanceof Refusal) return new Refusal(400, `request: ${simulated.message}`)
  const answered = response === null ? null : responseIn(response)
  return answered instanceof Refusal ? answered : { expression, route, request: simulated, response: answered }
}

function responseIn(response: unknown): NonNullable<EvaluationMessage['response']> | Refusal {
  const { status = 200, headers = {}, entity = '' } = isPlainObject(response) ? (response as JsonObject) : {}
  const fields = headerFields(headers)
  const isValid =
    isPlainObject(response) &&
    typeof status === 'number' &&
    Number.isInteger(status) &&
    status >= 100 &&
    status <= 999 &&
    typeof entity === 'string' &&
    fields !== null
  if (!isValid) return new Refusal(400, 'response: expected { "status", "headers", "entity" }')
  return { status, rawHeaders: fields, body: entity }
}
