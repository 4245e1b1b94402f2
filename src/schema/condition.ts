import { isExpression, lint } from '#expression'
import type { Exchange, Response } from '#http'
import { isPlainObject } from '#json'
import { EXPRESSION_SCHEMA } from './compiled.ts'
import { IGNORED_KEYS, isIgnoredKey } from './composites.ts'
import { Deferred, type SettleContext } from './deferred.ts'
import { decodeInto, expected, type Field, field, type Report } from './field.ts'
import { didYouMean } from './problem.ts'
import { type Runtime, runtime } from './runtime-expression.ts'

/** A condition: a boolean, an expression, or `{ expression, label }`. Passes only for the boolean `true`. */
export type Condition = Runtime<boolean>

const KEYS = ['expression', 'label']

const LABELLED_SCHEMA = {
  type: 'object',
  properties: { expression: EXPRESSION_SCHEMA, label: { type: 'string' } },
  required: ['expression'],
  ...IGNORED_KEYS,
  additionalProperties: false,
}

const conditionSchema = () => ({ anyOf: [{ type: 'boolean' }, EXPRESSION_SCHEMA, LABELLED_SCHEMA] })

/** A condition on a request. */
export function condition(): Field<Deferred<Condition>> {
  const plain = runtime('any')
  const label = 'a condition'
  return field({ label, schema: conditionSchema }, (value, report) => {
    const { source, path } = withoutLabel(value, report)
    if (typeof source !== 'boolean' && !(typeof source === 'string' && isExpression(source))) {
      report(expected('true, false or an expression such as "${find(request.uri.path, \'^/home\')}"', source), path)
      return undefined
    }
    const inner = decodeInto(plain, source, report, path)
    return inner === undefined ? undefined : new StrictCondition(inner)
  }) as Field<Deferred<Condition>>
}

/** A condition that is a fault where it fails or is no boolean, since false could skip an access check (spec gap 111). */
export function booleanCondition(): Field<Deferred<Condition>> {
  const plain = runtime('boolean')
  return field({ ...plain.info.shape, schema: conditionSchema }, (value, report) => {
    const { source, path } = withoutLabel(value, report)
    const inner = decodeInto(plain, source, report, path)
    return inner === undefined ? undefined : new CheckedCondition(inner)
  })
}

/** The expression of a condition with a label, or the value itself. */
function withoutLabel(value: unknown, report: Report): { readonly source: unknown; readonly path: readonly string[] } {
  if (!isPlainObject(value)) return { source: value, path: [] }
  for (const key of Object.keys(value)) {
    if (KEYS.includes(key) || isIgnoredKey(key)) continue
    report(`unknown field${didYouMean(key, KEYS)}`, [key])
  }
  return { source: value['expression'], path: ['expression'] }
}

/** Warns about a condition that is probably unintended. */
class CheckedCondition extends Deferred<Condition> {
  readonly #inner: Deferred<Condition>

  constructor(inner: Deferred<Condition>) {
    super()
    this.#inner = inner
  }

  settle(context: SettleContext, pointer: string): Condition {
    const ask = this.#inner.settle(context, pointer) as Condition
    for (const doubt of lint(ask.expression)) context.warn(pointer, doubt)
    return ask
  }
}

class StrictCondition extends Deferred<Condition> {
  readonly #inner: Deferred<Runtime<unknown>>

  constructor(inner: Deferred<Runtime<unknown>>) {
    super()
    this.#inner = inner
  }

  settle(context: SettleContext, pointer: string): Condition {
    const ask = this.#inner.settle(context, pointer) as Runtime<unknown>
    for (const doubt of lint(ask.expression)) context.warn(pointer, doubt)
    const strict = (exchange: Exchange, response?: Response | null) => {
      const value = ask(exchange, response)
      return value instanceof Promise ? value.then((settled) => settled === true) : value === true
    }
    return Object.assign(strict, { expression: ask.expression })
  }
}
