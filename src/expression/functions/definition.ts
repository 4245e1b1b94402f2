import type { Scope } from '../scope.ts'

/** One function of the expression language. */
export interface FunctionDefinition {
  readonly name: string
  /** The parameters, for documentation and messages. */
  readonly parameters: string
  readonly minimum: number
  readonly maximum: number
  /** The index of the argument that is a regular expression; it is passed as a `Matcher`, or null if invalid. */
  readonly pattern?: number
  readonly call: (args: readonly unknown[], scope: Scope) => unknown
}

/** Defines a function with a fixed number of parameters, written as `a, b`. */
export function define(
  name: string,
  parameters: string,
  call: FunctionDefinition['call'],
  pattern?: number,
): FunctionDefinition {
  const count = parameters === '' ? 0 : parameters.split(',').length
  const arity = { name, parameters, minimum: count, maximum: count, call }
  return pattern === undefined ? arity : { ...arity, pattern }
}
