// Parameters of methods and closures.
import { distanceTo } from '../registry/parameter-types.ts'
import { arrayOf, castTo } from '../runtime/cast.ts'
import { type Maybe, settled } from '../runtime/pending.ts'
import type { BlockNode, Parameter } from '../syntax/ast.ts'
import type { ClassInfo } from '../values/class-info.ts'
import { ObjectClass } from '../values/classes.ts'
import type { ParameterType, VariableParameter } from '../values/method-group.ts'
import { untypedParameter } from '../values/parameters.ts'
import { Reference, type Value } from '../values/value.ts'
import type { Context } from './context.ts'
import { compileExpression } from './expressions.ts'
import type { Frame, Node } from './frame.ts'
import type { FunctionScope } from './scope.ts'
import { compileFunctionBody, declareVariable } from './statements.ts'

/** A parameter with its slot in the frame. */
interface CompiledParameter {
  readonly type: ParameterType
  readonly slot: number
  readonly shared: boolean
  /** The value when no argument is given. */
  readonly initial: Node | null
}

/** A compiled function. */
export interface FunctionCode {
  readonly parameters: readonly CompiledParameter[]
  readonly varargs: boolean
  readonly scope: FunctionScope
  readonly body: Node
}

/** Compiles a function whose scope is that of `context`. */
export function compileFunction(parameters: readonly Parameter[], body: BlockNode, context: Context): FunctionCode {
  const compiled = parameters.map((each) => compileParameter(each, context))
  return {
    parameters: compiled,
    varargs: parameters.at(-1)?.varargs === true || parameters.at(-1)?.type?.dimensions === 1,
    scope: context.scope,
    body: compileFunctionBody(body, context),
  }
}

function compileParameter({ name, type, varargs, initial, position }: Parameter, context: Context): CompiledParameter {
  const written = type === null ? null : context.unit.classOfType(type)
  const klass = varargs ? (written ?? ObjectClass).arrayClass : written
  // A default value can use the parameters before it.
  const value = initial === null ? null : compileExpression(initial, context)
  const { slot, shared } = declareVariable(name, klass, false, position, context)
  return { type: parameterOf(klass), slot, shared, initial: value }
}

/** The type of a parameter of a script. */
export function parameterOf(klass: ClassInfo | null): ParameterType {
  if (klass === null || klass === ObjectClass) return untypedParameter
  const distance = distanceTo(klass)
  const convert = (value: Value): Maybe => castTo(value, klass)
  if (klass.kind !== 'array') return { name: klass.simpleName, distance, convert }
  const component = klass.component as ClassInfo
  const variable: VariableParameter = {
    name: klass.simpleName,
    distance,
    convert,
    element: parameterOf(component),
    gather: (values) => arrayOf(component, values),
  }
  return variable
}

/** Stores one argument in the frame of a call. */
export function storeArgument({ slot, shared }: CompiledParameter, frame: Frame, value: Value): void {
  frame[slot] = shared ? new Reference(value) : value
}

/** Stores the default of a parameter. */
export function storeInitial(parameter: CompiledParameter, frame: Frame): void {
  const value = settled(parameter.initial!(frame), 'the default value of a parameter')
  storeArgument(parameter, frame, parameter.type.convert(value) as Value)
}

/**
 * The parameters that receive an argument, for a number of arguments: default values apply from the right. Null if the
 * number does not match.
 */
export function parametersFor(parameters: readonly CompiledParameter[], count: number): readonly boolean[] | null {
  const mandatory = parameters.filter(({ initial }) => initial === null).length
  let optional = count - mandatory
  if (optional < 0 || count > parameters.length) return null
  return parameters.map(({ initial }) => {
    if (initial === null) return true
    optional -= 1
    return optional >= 0
  })
}
