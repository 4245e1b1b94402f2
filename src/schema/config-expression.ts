import { type Expression, isExpression, type Scope } from '#expression'
import { compiled, EXPRESSION_SCHEMA } from './compiled.ts'
import { Deferred, type SettleContext, type Settled } from './deferred.ts'
import { decodeInto, type Field, field, type RenderSchema } from './field.ts'
import { reportUnknownNames, unboundNames } from './known-names.ts'
import { settleValue } from './settle.ts'

const NOTHING: Scope = { lookup: () => undefined }

/** A literal, or an expression that is evaluated once, when the object is built. */
export function config<T>(inner: Field<T>): Field<Deferred<Settled<T>>> {
  const { label } = inner.info.shape
  const schema = (render: RenderSchema) => ({ anyOf: [render(inner), EXPRESSION_SCHEMA] })
  return field({ label, schema, inner }, (value, report) => {
    if (typeof value !== 'string' || !/[$#]\{/.test(value)) return new Literal(decodeInto(inner, value, report, []))
    const expression = compiled(value, report)
    if (expression === null) return undefined
    if (!isExpression(value)) return new Literal(decodeInto(inner, expression.evaluate(NOTHING), report, []))
    return new ConfigExpression(expression, inner)
  }) as Field<Deferred<Settled<T>>>
}

class Literal<T> extends Deferred<T> {
  readonly #value: unknown

  constructor(value: unknown) {
    super()
    this.#value = value
  }

  override get content(): unknown {
    return this.#value
  }

  settle(context: SettleContext, pointer: string): unknown {
    return settleValue(this.#value, context, pointer)
  }
}

class ConfigExpression<T> extends Deferred<T> {
  readonly #expression: Expression
  readonly #inner: Field

  constructor(expression: Expression, inner: Field) {
    super()
    this.#expression = expression
    this.#inner = inner
  }

  override get mayBeNull(): boolean {
    return true
  }

  override isNull(scope: Scope): boolean {
    try {
      return (this.#expression.evaluate(scope) ?? null) === null
    } catch {
      // Reported where it is settled.
      return false
    }
  }

  settle(context: SettleContext, pointer: string): unknown {
    reportUnknownNames(this.#expression, context, pointer)
    let value: unknown
    try {
      value = this.#expression.evaluate(context.scope)
    } catch (error) {
      context.report(pointer, `${this.#expression.source} can not be evaluated: ${(error as Error).message}`)
      return undefined
    }
    // Null selects the default of the member; without a default the member is missing (field-notes 1.6).
    const isNull = value === null || value === undefined
    const target = isNull && this.owner !== null ? this.owner : this.#inner
    let failed = false
    const reason = isNull ? unboundNames(this.#expression, context.scope) : ''
    const decoded = target.decode(isNull ? undefined : value, (message) => {
      failed = true
      context.report(pointer, `${this.#expression.source} gave a bad value: ${message}${reason}`)
    })
    return failed ? undefined : settleValue(decoded, context, pointer)
  }
}
