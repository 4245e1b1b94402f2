import { compileLeftValue } from '#expression'
import { type Exchange, exchangeScope, type Response } from '#http'
import { afterPending, EXPRESSION_SCHEMA, withBodies } from './compiled.ts'
import { Deferred, type SettleContext } from './deferred.ts'
import { expected, type Field, field } from './field.ts'
import { reportUnknownNames } from './known-names.ts'

/** Assigns a value to the target of an expression. */
export type Assign = (exchange: Exchange, response: Response | null, value: unknown) => void | Promise<void>

/** An assignable expression, such as `${attributes.user}`. */
export function leftValue(): Field<Deferred<Assign>> {
  const label = 'a place to assign to'
  return field({ label, schema: () => EXPRESSION_SCHEMA }, (value, report) => {
    if (typeof value !== 'string') {
      report(expected('an expression such as "${attributes.name}"', value))
      return undefined
    }
    try {
      return new Assignment(compileLeftValue(value))
    } catch (error) {
      report((error as Error).message)
      return undefined
    }
  }) as Field<Deferred<Assign>>
}

class Assignment extends Deferred<Assign> {
  readonly #target: ReturnType<typeof compileLeftValue>

  constructor(target: ReturnType<typeof compileLeftValue>) {
    super()
    this.#target = target
  }

  settle(context: SettleContext, pointer: string): Assign {
    const { scope } = context
    const target = this.#target
    reportUnknownNames({ ...target, constant: false }, context, pointer, 'the assignment has no effect or fails')
    const assign = (exchange: Exchange, response: Response | null, value: unknown): void | Promise<void> => {
      try {
        target.assign(exchangeScope(exchange, response, scope), value)
      } catch (error) {
        return afterPending(error, () => assign(exchange, response, value))
      }
    }
    return (exchange, response, value) =>
      withBodies(target.reads, exchange, response, () => assign(exchange, response, value))
  }
}
