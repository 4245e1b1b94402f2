import { enterCall, leaveCall } from '../meter.ts'
import type { Maybe } from '../runtime/pending.ts'
import type { ClassInfo } from './class-info.ts'
import { ClosureClass } from './classes.ts'
import type { ParameterType } from './method-group.ts'
import { GroovyObject, type Value } from './value.ts'

export const OWNER_FIRST = 0
export const DELEGATE_FIRST = 1
export const OWNER_ONLY = 2
export const DELEGATE_ONLY = 3
export const TO_SELF = 4

/** A closure with its owner and delegate. */
export abstract class ClosureValue extends GroovyObject {
  readonly thisObject: Value
  readonly owner: Value
  delegate: Value
  resolveStrategy = OWNER_FIRST

  constructor(thisObject: Value, owner: Value) {
    super()
    this.thisObject = thisObject
    this.owner = owner
    this.delegate = owner
  }

  get klass(): ClassInfo {
    return ClosureClass
  }

  /** Types of the parameters; a closure without a parameter list has one, `it`. */
  abstract readonly parameterTypes: readonly ParameterType[]

  /** Calls it; may return PENDING. */
  abstract call(args: readonly Value[]): Maybe

  /** A copy with the same code and captured variables, whose delegate can be set without changing this closure. */
  abstract copy(): ClosureValue

  get parameterCount(): number {
    return this.parameterTypes.length
  }
}

/** A closure created by the library: a method pointer, a composition, or a curried closure. */
export class NativeClosure extends ClosureValue {
  readonly parameterTypes: readonly ParameterType[]
  readonly #run: (args: readonly Value[]) => Maybe

  constructor(owner: Value, parameterTypes: readonly ParameterType[], run: (args: readonly Value[]) => Maybe) {
    super(owner, owner)
    this.parameterTypes = parameterTypes
    this.#run = run
  }

  call(args: readonly Value[]): Maybe {
    enterCall()
    const result = this.#run(args)
    leaveCall()
    return result
  }

  copy(): ClosureValue {
    return new NativeClosure(this.owner, this.parameterTypes, this.#run)
  }
}
