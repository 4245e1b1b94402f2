import { enterCall, leaveCall } from '../meter.ts'
import { missingMethod } from '../runtime/missing.ts'
import type { Maybe } from '../runtime/pending.ts'
import type { ClosureNode } from '../syntax/ast.ts'
import { ClosureValue } from '../values/closure.ts'
import { ListValue } from '../values/collection.ts'
import type { ParameterType, VariableParameter } from '../values/method-group.ts'
import { untypedParameter } from '../values/parameters.ts'
import type { Reference, Value } from '../values/value.ts'
import { type Context, within } from './context.ts'
import { CLOSURE, type Frame, type Node, SELF } from './frame.ts'
import { compileFunction, type FunctionCode, parametersFor, storeArgument, storeInitial } from './functions.ts'
import { FunctionScope } from './scope.ts'

export function compileClosure(node: ClosureNode, context: Context): Node {
  const scope = new FunctionScope('closure', context.scope, node)
  const implicit = node.parameters === null
  const parameters = node.parameters ?? [
    { name: 'it', type: null, varargs: false, initial: null, position: node.position },
  ]
  const code = compileFunction(parameters, node.body, within(context, scope))
  const types = code.parameters.map(({ type }) => type)
  const { captures } = scope
  return (frame) => {
    const references = new Array<Reference>(captures.length)
    for (let index = 0; index < captures.length; index++) {
      references[index] = frame[captures[index]!.outerSlot] as Reference
    }
    const owner = (frame[CLOSURE] ?? frame[SELF]) as Value
    return new CompiledClosure(frame[SELF] as Value, owner, code, types, implicit, references)
  }
}

/** A closure of a script with its captured variables. */
class CompiledClosure extends ClosureValue {
  readonly parameterTypes: readonly ParameterType[]
  readonly #code: FunctionCode
  readonly #implicit: boolean
  readonly #references: readonly Reference[]

  constructor(
    thisObject: Value,
    owner: Value,
    code: FunctionCode,
    parameterTypes: readonly ParameterType[],
    implicit: boolean,
    references: readonly Reference[],
  ) {
    super(thisObject, owner)
    this.#code = code
    this.parameterTypes = parameterTypes
    this.#implicit = implicit
    this.#references = references
  }

  call(args: readonly Value[]): Maybe {
    enterCall()
    const frame = this.#frame()
    this.#bind(frame, args)
    const result = this.#code.body(frame)
    leaveCall()
    return result
  }

  copy(): ClosureValue {
    const { thisObject, owner, parameterTypes } = this
    const copy = new CompiledClosure(thisObject, owner, this.#code, parameterTypes, this.#implicit, this.#references)
    copy.delegate = this.delegate
    copy.resolveStrategy = this.resolveStrategy
    return copy
  }

  #frame(): Frame {
    const { scope } = this.#code
    const frame = scope.newFrame()
    frame[SELF] = this.thisObject
    frame[CLOSURE] = this
    const { captures } = scope
    for (let index = 0; index < captures.length; index++) frame[captures[index]!.innerSlot] = this.#references[index]
    return frame
  }

  #bind(frame: Frame, args: readonly Value[]): void {
    const { parameters, varargs } = this.#code
    const count = parameters.length
    const [first] = args
    if (this.#implicit) {
      if (args.length > 1) throw this.#mismatch(args)
      storeArgument(parameters[0]!, frame, first ?? null)
    } else if (args.length === count && !varargs) this.#bindExact(frame, args)
    else if (args.length === 1 && count > 1 && first instanceof ListValue && this.#fits(first.size)) {
      this.#bind(frame, first.items)
    } else if (varargs && args.length >= count - 1) this.#bindVariable(frame, args)
    // A closure with one parameter can be called without it.
    else if (args.length === 0 && count === 1 && parameters[0]!.initial === null) this.#bindExact(frame, [null])
    else this.#bindPartly(frame, args)
  }

  /** Whether a list with this number of elements can be spread into the parameters. */
  #fits(size: number): boolean {
    const { parameters, varargs } = this.#code
    return varargs ? size >= parameters.length - 1 : parametersFor(parameters, size) !== null
  }

  #bindExact(frame: Frame, args: readonly Value[]): void {
    const { parameters } = this.#code
    for (let index = 0; index < parameters.length; index++) {
      const parameter = parameters[index]!
      const value = args[index] as Value
      if (parameter.type === untypedParameter) storeArgument(parameter, frame, value)
      else {
        if (parameter.type.distance(value) < 0) throw this.#mismatch(args)
        storeArgument(parameter, frame, parameter.type.convert(value) as Value)
      }
    }
  }

  #bindVariable(frame: Frame, args: readonly Value[]): void {
    const { parameters } = this.#code
    const last = parameters.at(-1)!
    const type = last.type as VariableParameter
    parameters.slice(0, -1).forEach((parameter, index) => {
      storeArgument(parameter, frame, parameter.type.convert(args[index] as Value) as Value)
    })
    const rest = args.slice(parameters.length - 1)
    const whole = rest.length === 1 && type.distance(rest[0] as Value) >= 0
    storeArgument(last, frame, (whole ? type.convert(rest[0] as Value) : type.gather(rest)) as Value)
  }

  #bindPartly(frame: Frame, args: readonly Value[]): void {
    const { parameters } = this.#code
    const given = parametersFor(parameters, args.length)
    if (given === null) throw this.#mismatch(args)
    let next = 0
    for (const [index, parameter] of parameters.entries()) {
      if (given[index] !== true) {
        storeInitial(parameter, frame)
        continue
      }
      const value = args[next] as Value
      next += 1
      if (parameter.type.distance(value) < 0) throw this.#mismatch(args)
      storeArgument(parameter, frame, parameter.type.convert(value) as Value)
    }
  }

  #mismatch(args: readonly Value[]): unknown {
    return missingMethod(this, 'doCall', args)
  }
}
