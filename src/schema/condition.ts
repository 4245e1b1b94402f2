import { isExpression, lint } from '#expression'
import type { Exchange, Response } from '#http'
import { isPlainObject } from '#json'
import { EXPRESSION_SCHEMA } from './compiled.ts'
import { IGNORED_KEYS, isIgnoredKey } from './composites.ts'
import { Deferred, type SettleContext } from './deferred.ts'
import { decodeInto, expected, type Field, field } from './field.ts'
import { didYouMean } from './problem.ts'
import { type Runtime, runtime } from './runtime-expression.ts'

/** A condition: a boolean, an expression, or `{ expression, label }`. Passes only for the boolean `true`. */
export type Condition = Runtime<boolean>

const KEYS = ['expression', 'label']

/** A condition on a request. */
export function condition(): Field<Deferred<Condition>> {
  const plain = runtime('any')
  const label = 'a condition'
  const schema = () => ({
    anyOf: [
      { type: 'boolean' },
      EXPRESSION_SCHEMA,
      {
        type: 'object',
        properties: { expression: EXPRESSION_SCHEMA, label: { type: 'string' } },
        required: ['expression'],
        ...IGNORED_KEYS,
        additionalProperties: false,
      },
    ],
  })
  return field({ label, schema }, (value, report) => {
    const labelled = isPlainObject(value)
    if (labelled) {
      for (const key of Object.keys(value)) {
        if (KEYS.includes(key) || isIgnoredKey(key)) continue
        report(`unknown field${didYouMean(key, KEYS)}`, [key])
      }
    }
    const source = labelled ? value['expression'] : value
    const path = labelled ? ['expression'] : []
    if (typeof source !== 'boolean' && !(typeof source === 'string' && isExpression(source))) {
      report(expected('true, false or an expression such as "${find(request.uri.path, \'^/home\')}"', source), path)
      return undefined
    }
    const inner = decodeInto(plain, source, report, path)
    return inner === undefined ? undefined : new StrictCondition(inner)
  }) as Field<Deferred<Condition>>
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
