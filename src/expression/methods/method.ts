import { EvaluationError } from '../errors.ts'

/** One method of a kind of value; `minimum` and `maximum` count its arguments. */
export interface Method<T> {
  readonly minimum: number
  readonly maximum: number
  readonly call: (self: T, args: readonly unknown[]) => unknown
}

/** Defines a method with `count` arguments, or between `count` and `maximum` of them. */
export function method<T>(count: number, call: Method<T>['call'], maximum = count): Method<T> {
  return { minimum: count, maximum, call }
}

/** Calls a method of a table after checking its name and number of arguments. */
export function invoke<T>(
  table: ReadonlyMap<string, Method<T>>,
  kind: string,
  self: T,
  name: string,
  args: readonly unknown[],
): unknown {
  const found = table.get(name)
  if (found === undefined) throw new EvaluationError(`a ${kind} has no method "${name.slice(0, 100)}"`)
  if (args.length < found.minimum || args.length > found.maximum) {
    throw new EvaluationError(
      `${name}() of a ${kind} takes ${found.minimum === found.maximum ? found.minimum : `${found.minimum} to ${found.maximum}`} arguments, found ${args.length}`,
    )
  }
  return found.call(self, args)
}
