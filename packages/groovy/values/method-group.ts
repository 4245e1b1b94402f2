import type { Maybe } from '../runtime/pending.ts'
import type { Value } from './value.ts'

/** The type of a parameter. */
export interface ParameterType {
  /** The type name in the source: `int`, `String`, `byte[]`. */
  readonly name: string
  /** Match score of a value: 0 is best, negative is no match. */
  distance(value: Value): number
  /** Converts a matching value for the implementation. */
  convert(value: Value): unknown
}

/** One method or constructor: one overload of a name. */
export interface Invocable {
  readonly name: string
  readonly parameters: readonly ParameterType[]
  /** Whether the last parameter is variadic, passed as an array. */
  readonly varargs: boolean
  /** The return type, if known. */
  readonly returns: string | null
  /** `substring(int begin, int end)`, for messages and the reference page. */
  readonly text: string
  readonly isAbstract: boolean
  /** Calls it with converted arguments. */
  call(self: Value, args: unknown[]): Maybe
}

/** The overloads of one name. */
export class MethodGroup {
  readonly name: string
  readonly overloads: readonly Invocable[]
  readonly #byArity: Invocable[][] = []

  constructor(name: string, overloads: readonly Invocable[]) {
    this.name = name
    this.overloads = overloads
  }

  /** Merges the methods of classes, nearest class first: an overload overrides inherited ones with the same parameters. */
  static collect(name: string, lists: readonly (readonly Invocable[] | undefined)[]): MethodGroup {
    const seen = new Set<string>()
    const overloads: Invocable[] = []
    for (const each of lists.flatMap((list) => list ?? [])) {
      const shape = each.parameters.map((type) => type.name).join()
      if (seen.has(shape)) continue
      seen.add(shape)
      overloads.push(each)
    }
    return new MethodGroup(name, overloads)
  }

  /** Whether any overload accepts this number of arguments. */
  accepts(count: number): boolean {
    return this.#candidates(count).length > 0
  }

  /** The overload for these arguments, or null. */
  select(args: readonly Value[]): Invocable | null {
    const candidates = this.#candidates(args.length)
    if (candidates.length === 1) return distanceOf(candidates[0]!, args) < 0 ? null : candidates[0]!
    let best: Invocable | null = null
    let shortest = Number.POSITIVE_INFINITY
    for (const candidate of candidates) {
      const distance = distanceOf(candidate, args)
      if (distance >= 0 && distance < shortest) {
        best = candidate
        shortest = distance
      }
    }
    return best
  }

  /** Calls the matching overload; undefined without a match. */
  tryInvoke(self: Value, args: Value[]): Maybe | undefined {
    const chosen = this.select(args)
    return chosen === null ? undefined : chosen.call(self, convertAll(chosen, args))
  }

  /** Calls the matching overload, which must exist. */
  invoke(self: Value, args: Value[]): Maybe {
    const result = this.tryInvoke(self, args)
    if (result === undefined) throw new TypeError(`no overload of ${this.name} accepts these arguments`)
    return result
  }

  #candidates(count: number): readonly Invocable[] {
    let list = this.#byArity[count]
    if (list === undefined) {
      list = this.overloads.filter(({ parameters, varargs }) =>
        varargs ? count >= parameters.length - 1 : count === parameters.length,
      )
      if (count < MAX_CACHED_ARITY) this.#byArity[count] = list
    }
    return list
  }
}

const MAX_CACHED_ARITY = 16
/** Variadic overloads have the lowest precedence. */
const VARARGS_DISTANCE = 1000

function distanceOf({ parameters, varargs }: Invocable, args: readonly Value[]): number {
  let sum = 0
  const last = parameters.length - 1
  for (let index = 0; index < args.length; index++) {
    const value = args[index] as Value
    if (varargs && index >= last) {
      // An array, or null, is passed as all variadic arguments.
      const whole = args.length === parameters.length ? parameters[last]!.distance(value) : -1
      if (whole >= 0) return sum + whole
      const one = elementDistance(parameters[last] as VariableParameter, value)
      if (one < 0) return -1
      sum += one + VARARGS_DISTANCE
    } else {
      const distance = parameters[index]!.distance(value)
      if (distance < 0) return -1
      sum += distance
    }
  }
  return varargs && args.length === last ? sum + VARARGS_DISTANCE : sum
}

/** The array type of a varargs parameter, with that of its elements. */
export interface VariableParameter extends ParameterType {
  readonly element: ParameterType
  /** Collects individual variadic arguments in an array. */
  gather(values: readonly Value[]): unknown
}

function elementDistance(parameter: VariableParameter, value: Value): number {
  return parameter.element.distance(value)
}

/** Converts arguments for the implementation. */
function convertAll({ parameters, varargs }: Invocable, args: Value[]): unknown[] {
  const converted: unknown[] = args
  const last = varargs ? parameters.length - 1 : parameters.length
  for (let index = 0; index < last; index++) converted[index] = parameters[index]!.convert(args[index] as Value)
  if (varargs) {
    const parameter = parameters[last] as VariableParameter
    const rest = args.slice(last)
    const whole = rest.length === 1 && parameter.distance(rest[0] as Value) >= 0
    converted.length = last
    converted.push(whole ? parameter.convert(rest[0] as Value) : parameter.gather(rest))
  }
  return converted
}
