import { EvaluationError, type Exposure, type Expression, exposed, isTrueText, type Scope, scopeOf } from '#expression'
import { type Exchange, exchangeScope, type Response } from '#http'
import { JsonNumber } from '#json'
import { afterPending, compiled, constant, EXPRESSION_SCHEMA, withBodies } from './compiled.ts'
import { Deferred, type SettleContext } from './deferred.ts'
import { expected, type Field, field } from './field.ts'
import { reportUnknownNames } from './known-names.ts'
import { shown } from './problem.ts'

/** Values by name. */
type Bindings = Readonly<Record<string, unknown>>

/** Result types of runtime expressions. */
interface RuntimeTypes {
  string: string
  boolean: boolean
  number: number
  map: Readonly<Record<string, unknown>>
  list: readonly unknown[]
  any: unknown
}

/**
 * An expression bound to its object's properties, evaluated for each request. Returns a promise only where a body has to be
 * read, or another value fetched, first. Null where the expression is null; throws where it fails.
 */
export interface Runtime<T> {
  /** `bindings`: further names of a field, which take precedence. */
  (exchange: Exchange, response?: Response | null, bindings?: Bindings | null): T | null | Promise<T | null>
  readonly expression: Expression
}

/** The result of an evaluation has another type than the field requires. */
export class ResultTypeError extends EvaluationError {}

/** An expression that is evaluated for each request, its result checked against a type. */
export function runtime<K extends keyof RuntimeTypes>(type: K): Field<Deferred<Runtime<RuntimeTypes[K]>>> {
  const label = type === 'any' ? 'an expression' : `an expression (${type})`
  const jsonType = JSON_TYPES[type]
  const schema = jsonType === null ? {} : { anyOf: [{ type: jsonType }, EXPRESSION_SCHEMA] }
  return field({ label, schema: () => (type === 'string' ? { type: 'string' } : schema) }, (value, report) => {
    const expression = typeof value === 'string' ? compiled(value, report) : constant(value)
    if (expression === null) return undefined
    if (!expression.constant) return new RuntimeExpression(expression, type)
    const literal = expression.evaluate(NOTHING)
    const typedLiteral = typeof literal === 'string' ? spelled(type, literal) : literal
    if (!fits(type, typedLiteral)) {
      report(expected(`${label} such as "\${...}"`, value))
      return undefined
    }
    return new RuntimeExpression(typedLiteral === literal ? expression : constant(typedLiteral), type)
  }) as Field<Deferred<Runtime<RuntimeTypes[K]>>>
}

const NOTHING: Scope = { lookup: () => undefined }

/** A number or boolean as text, as from `&{tokens}`. */
function spelled(type: keyof RuntimeTypes, text: string): unknown {
  if (type === 'boolean' && /^(true|false)$/i.test(text)) return text.toLowerCase() === 'true'
  if (type === 'number' && /^-?\d+(\.\d+)?$/.test(text)) return Number(text)
  return text
}

const JSON_TYPES: Readonly<Record<keyof RuntimeTypes, string | null>> = {
  string: 'string',
  boolean: 'boolean',
  number: 'number',
  map: 'object',
  list: 'array',
  any: null,
}

/** A compiled runtime expression, not yet bound to the properties of its heap. */
export class RuntimeExpression extends Deferred<unknown> {
  readonly #expression: Expression
  readonly #type: keyof RuntimeTypes

  constructor(expression: Expression, type: keyof RuntimeTypes) {
    super()
    this.#expression = expression
    this.#type = type
  }

  settle(context: SettleContext, pointer: string): Runtime<unknown> {
    reportUnknownNames(this.#expression, context, pointer)
    return bind(this.#expression, this.#type, context.scope)
  }
}

/** Binds an expression to the properties of a scope, for any type of result. */
export function bindExpression(expression: Expression, scope: Scope): Runtime<unknown> {
  return bind(expression, 'any', scope)
}

function bind(expression: Expression, type: keyof RuntimeTypes, scope: Scope): Runtime<unknown> {
  if (expression.constant) {
    const value = typed(expression.evaluate(scope), type, expression)
    return Object.assign(() => value, { expression })
  }
  const evaluate = (exchange: Exchange, response: Response | null, bindings: Bindings | null) => {
    const names = exchangeScope(exchange, response, scope)
    return typed(expression.evaluate(bindings === null ? names : scopeOf(bindings, names)), type, expression)
  }
  const ask = (exchange: Exchange, response: Response | null = null, bindings: Bindings | null = null): unknown => {
    try {
      return evaluate(exchange, response, bindings)
    } catch (error) {
      return afterPending(error, () => ask(exchange, response, bindings))
    }
  }
  const { reads } = expression
  const readThenAsk: typeof ask = (exchange, response = null, bindings = null) =>
    withBodies(reads, exchange, response, () => ask(exchange, response, bindings))
  return Object.assign(reads.requestBody || reads.responseBody ? readThenAsk : ask, { expression })
}

function typed(value: unknown, type: keyof RuntimeTypes, expression: Expression): unknown {
  if (value === null || value === undefined) return null
  if (fits(type, value)) return value
  if (type === 'boolean' && typeof value === 'string') return isTrueText(value)
  if (value instanceof JsonNumber) {
    if (type === 'string') return value.text
    if (type === 'number') return value.valueOf()
  }
  const plain = plainValue(value, type)
  if (type === 'string' && (typeof plain === 'number' || typeof plain === 'boolean')) return String(plain)
  if (fits(type, plain)) return plain
  throw new ResultTypeError(`${expression.source}: expected a result of type ${type}, got ${shown(value)}`)
}

/** Converts objects of the gateway: a status to its code, a URI to its text. */
function plainValue(value: unknown, type: keyof RuntimeTypes): unknown {
  if (typeof value !== 'object' || value === null) return value
  const exposure = (value as { readonly [exposed]?: Exposure<unknown> })[exposed]
  if (exposure?.value !== undefined) return exposure.value(value)
  const calls = exposure?.call ?? {}
  return type === 'string' && Object.hasOwn(calls, 'toString') ? calls['toString']?.(value) : value
}

function fits(type: keyof RuntimeTypes, value: unknown): boolean {
  if (type === 'any') return true
  if (type === 'list') return Array.isArray(value)
  if (type === 'map') {
    return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof JsonNumber)
  }
  return typeof value === type
}
