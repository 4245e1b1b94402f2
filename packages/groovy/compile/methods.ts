// Methods and constructors of scripts.

import { enterCall, leaveCall } from '../meter.ts'
import { castTo } from '../runtime/cast.ts'
import { missingMethod } from '../runtime/missing.ts'
import { after, andThen, type Maybe, PENDING } from '../runtime/pending.ts'
import type { BlockNode, MethodNode, Statement } from '../syntax/ast.ts'
import type { ClassInfo } from '../values/class-info.ts'
import { ObjectClass, primitives } from '../values/classes.ts'
import { InterfaceProxy } from '../values/interface-proxy.ts'
import type { Invocable } from '../values/method-group.ts'
import type { Instance, Value } from '../values/value.ts'
import { beginConstructor } from './constructors.ts'
import { type Context, within } from './context.ts'
import { CLOSURE, type Frame, SELF } from './frame.ts'
import {
  compileFunction,
  type FunctionCode,
  parameterOf,
  parametersFor,
  storeArgument,
  storeInitial,
} from './functions.ts'
import { FunctionScope } from './scope.ts'
import type { UserClass } from './unit.ts'

export function addMethod({ info, node }: UserClass, method: MethodNode, context: Context): void {
  const isStatic = method.modifiers.keywords.has('static')
  const methods = isStatic ? info.ownStatics : info.ownMethods
  const scope = new FunctionScope('body', context.enclosing === null || isStatic ? null : context.scope, method)
  const inner = within(context, scope, { isStatic })
  const overloads = compileMethod(method, inner)
  const own = methods.get(method.name) ?? []
  for (const each of overloads) {
    const shape = shapeOf(each)
    if (own.some((other) => shapeOf(other) === shape)) {
      throw context.unit.fail(`${node.name} already has a method ${each.text}`, method.position)
    }
    own.push(each)
  }
  methods.set(method.name, own)
  if (isStatic) addToInstances(info, method.name, overloads)
}

function shapeOf({ parameters }: Invocable): string {
  return parameters.map(({ name }) => name).join()
}

/** A static method can be called on an object of the class too. */
function addToInstances(info: ClassInfo, name: string, overloads: readonly Invocable[]): void {
  const own = info.ownMethods.get(name) ?? []
  own.push(...overloads.map((each): Invocable => ({ ...each, call: (_, args) => each.call(info, args) })))
  info.ownMethods.set(name, own)
}

/** The overloads of a method: one for each number of default values that are used. */
function compileMethod(method: MethodNode, context: Context): Invocable[] {
  const { name, body, returns, parameters } = method
  if (body === null) return [abstractMethod(method, context)]
  const code = compileFunction(parameters, body, context)
  const type = returns === null ? null : context.unit.classOfType(returns)
  const convert = resultConverter(type)
  const run = (self: Value, args: unknown[], given: readonly boolean[]): Maybe => {
    enterCall()
    const frame = frameFor(code, self, args, given)
    const result = code.body(frame)
    leaveCall()
    return convert === null ? result : result === PENDING ? after(convert) : convert(result)
  }
  return overloadsOf(name, code, type, run)
}

function resultConverter(type: ClassInfo | null): ((value: Value) => Maybe) | null {
  if (type === null || type === ObjectClass) return null
  return type === primitives.void ? () => null : (value) => castTo(value, type)
}

function abstractMethod({ name, parameters, returns }: MethodNode, { unit }: Context): Invocable {
  const types = parameters.map(({ type }) => parameterOf(type === null ? null : unit.classOfType(type)))
  return {
    name,
    parameters: types,
    varargs: false,
    returns: returns?.name ?? null,
    text: `${name}(${types.map((each) => each.name).join(', ')})`,
    isAbstract: true,
    call: (self, args) => {
      if (self instanceof InterfaceProxy) return self.call(name, args as Value[])
      throw missingMethod(self, name, args as Value[])
    },
  }
}

function overloadsOf(
  name: string,
  code: FunctionCode,
  type: ClassInfo | null,
  run: (self: Value, args: unknown[], given: readonly boolean[]) => Maybe,
): Invocable[] {
  const { parameters, varargs } = code
  const overloads: Invocable[] = []
  for (let count = parameters.length; count >= 0; count--) {
    const given = parametersFor(parameters, count)
    if (given === null) continue
    const types = parameters.filter((_, index) => given[index] === true).map((each) => each.type)
    overloads.push({
      name,
      parameters: types,
      varargs: varargs && given.at(-1) === true,
      returns: type?.name ?? null,
      text: `${name}(${types.map((each) => each.name).join(', ')})`,
      isAbstract: false,
      call: (self, args) => run(self, args, given),
    })
  }
  return overloads
}

/** The frame of a call, with its arguments and default values. */
function frameFor({ parameters, scope }: FunctionCode, self: Value, args: unknown[], given: readonly boolean[]): Frame {
  const frame = capturedFrame(scope, self)
  let next = 0
  for (let index = 0; index < parameters.length; index++) {
    const parameter = parameters[index]!
    if (given[index] === true) {
      storeArgument(parameter, frame, args[next] as Value)
      next += 1
    } else storeInitial(parameter, frame)
  }
  return frame
}

/** A frame with `this`, and with the variables that an anonymous class captures from its enclosing scope. */
export function capturedFrame(scope: FunctionScope, self: Value): Frame {
  const frame = scope.newFrame()
  frame[SELF] = self
  const { captures } = scope
  if (captures.length > 0) {
    const captured = (self as Instance).captured!
    for (const { outerSlot, innerSlot } of captures) frame[innerSlot] = captured[outerSlot]
  }
  frame[CLOSURE] = null
  return frame
}

/** The constructors that a class declares, each to be run on an object of the class. */
export function constructorsOf({ info, node }: UserClass, context: Context): Invocable[] {
  return node.methods
    .filter(({ name }) => name === '<init>')
    .flatMap((method) => {
      const scope = new FunctionScope('body', context.enclosing === null ? null : context.scope, method)
      const inner = within(context, scope, { isConstructor: true })
      const body = method.body as BlockNode
      const code = compileFunction(method.parameters, { ...body, statements: [...body.statements, endOf(body)] }, inner)
      const callsOther = beginsWithCall(body.statements[0])
      return overloadsOf('<init>', code, null, (self, args, given) => {
        enterCall()
        const run = (): Maybe => code.body(frameFor(code, self, args, given))
        const result = callsOther ? run() : andThen(beginConstructor(self, info), run)
        leaveCall()
        return result
      })
    })
}

/** A constructor has no result. */
function endOf({ position }: BlockNode): Statement {
  return { kind: 'return', value: null, position }
}

function beginsWithCall(first: Statement | undefined): boolean {
  return (
    first?.kind === 'expression' &&
    first.expression.kind === 'callValue' &&
    (first.expression.callee.kind === 'this' || first.expression.callee.kind === 'super')
  )
}
