// Calls of methods and closures.
import { callInClosure } from '../runtime/closure-scope.ts'
import { callValue, invokeMethod, invokeThrough } from '../runtime/invoke.ts'
import { itemsOf } from '../runtime/items.ts'
import { collectItems } from '../runtime/iterate.ts'
import { after, type Maybe, PENDING } from '../runtime/pending.ts'
import type { CallNode, CallValueNode, Expression } from '../syntax/ast.ts'
import { ScriptObject } from '../values/binding.ts'
import { ClassInfo } from '../values/class-info.ts'
import { classOf } from '../values/class-of.ts'
import { ClosureClass } from '../values/classes.ts'
import { ClosureValue, OWNER_FIRST } from '../values/closure.ts'
import type { MethodGroup } from '../values/method-group.ts'
import { textOf } from '../values/text.ts'
import type { Value } from '../values/value.ts'
import { withValues } from './arguments.ts'
import { compileConstructorCall } from './constructors.ts'
import { type Context, fieldOf } from './context.ts'
import { compileExpression } from './expressions.ts'
import { apply1, CLOSURE, type Frame, type Node, SELF } from './frame.ts'
import { classOfPath } from './members.ts'
import { classNamed, compileVariable, enclosingOf, readVariable } from './names.ts'

export function compileCall(node: CallNode, context: Context): Node {
  const { target, name, args, access } = node
  if (target === null) return compileUnqualified(node, context)
  if (target.kind === 'super' && typeof name === 'string') return compileSuperCall(name, args, context)
  const klass = receiverClass(target, context)
  if (klass !== null && typeof name === 'string' && access !== 'spread')
    return compileStaticCall(klass, name, args, context)
  const targetNode = klass !== null ? () => klass : compileExpression(target, context)
  const method = typeof name === 'string' ? invoker(removesElement(node) ? 'removeElement' : name) : null
  if (method === null) return compileNamedByValue(node, targetNode, context)
  const whole = wholeCall(access, method)
  return withReceiver(targetNode, access === 'safe', args, context, whole)
}

/** `list.remove((Object) 5)` removes the element 5, not the one at index 5. */
function removesElement({ name, args }: CallNode): boolean {
  const [only] = args
  return name === 'remove' && args.length === 1 && only?.kind === 'cast' && only.type.name === 'Object'
}

type Invoker = (self: Value, args: Value[]) => Maybe

/** Computes the receiver, then the arguments, then calls. */
function withReceiver(target: Node, safe: boolean, args: readonly Expression[], context: Context, call: Invoker): Node {
  if (args.length === 0) {
    return (frame) => {
      const self = target(frame)
      if (self === PENDING) return after((late) => (safe && late === null ? null : call(late, [])))
      return safe && self === null ? null : call(self, [])
    }
  }
  const [only] = args
  if (args.length === 1 && only !== undefined && only.kind !== 'spread') {
    const argument = compileExpression(only, context)
    const withArgument = (self: Value, frame: Frame): Maybe => {
      if (safe && self === null) return null
      const value = argument(frame)
      return value === PENDING ? after((late) => call(self, [late])) : call(self, [value])
    }
    return (frame) => {
      const self = target(frame)
      return self === PENDING ? after((late) => withArgument(late, frame)) : withArgument(self, frame)
    }
  }
  return withManyArguments(target, safe, args, context, call)
}

function withManyArguments(
  target: Node,
  safe: boolean,
  args: readonly Expression[],
  context: Context,
  call: Invoker,
): Node {
  // The receiver is stored in a slot of the frame while the arguments are computed.
  const slot = context.scope.newSlot()
  const values = withValues(args, context, (list, frame) => call(frame[slot] as Value, list))
  const go = (self: Value, frame: Frame): Maybe => {
    if (safe && self === null) return null
    frame[slot] = self
    return values(frame)
  }
  return (frame) => {
    const self = target(frame)
    return self === PENDING ? after((late) => go(late, frame)) : go(self, frame)
  }
}

/** Calls a method by its name, with an inline cache: the overloads for the class of the last receiver. */
function invoker(name: string): Invoker {
  let known: ClassInfo | null = null
  let group: MethodGroup | null = null
  return (self, args) => {
    if (self instanceof ClassInfo) return invokeMethod(self, name, args)
    const klass = classOf(self)
    if (klass !== known) {
      group = klass.method(name)
      known = klass
    }
    return invokeThrough(group, self, name, args)
  }
}

function wholeCall(access: CallNode['access'], call: Invoker): Invoker {
  if (access !== 'spread') return call
  return (self, args) =>
    self === null ? null : collectItems(itemsOf(self), (each) => (each === null ? null : call(each, [...args])))
}

/** `x."$name"(...)`. */
function compileNamedByValue({ name, args, access }: CallNode, target: Node, context: Context): Node {
  const slot = context.scope.newSlot()
  const nameNode = apply1(compileExpression(name as Expression, context), textOf)
  const call = (self: Value, frame: Frame, values: Value[]): Maybe => {
    const method = frame[slot] as string
    return wholeCall(access, (each, given) => invokeMethod(each, method, given))(self, values)
  }
  const selfSlot = context.scope.newSlot()
  const values = withValues(args, context, (list, frame) => call(frame[selfSlot] as Value, frame, list))
  const withName = (method: Value, frame: Frame): Maybe => {
    frame[slot] = method
    return values(frame)
  }
  const withSelf = (self: Value, frame: Frame): Maybe => {
    if (access === 'safe' && self === null) return null
    frame[selfSlot] = self
    const method = nameNode(frame)
    return method === PENDING ? after((late) => withName(late, frame)) : withName(method, frame)
  }
  return (frame) => {
    const self = target(frame)
    return self === PENDING ? after((late) => withSelf(late, frame)) : withSelf(self, frame)
  }
}

function receiverClass(target: Expression, context: Context): ClassInfo | null {
  if (target.kind === 'variable') {
    return fieldOf(context, target.name) === null ? classNamed(target.name, context) : null
  }
  return target.kind === 'property' ? classOfPath(target, context) : null
}

function compileStaticCall(klass: ClassInfo, name: string, args: readonly Expression[], context: Context): Node {
  return withValues(args, context, (values) => invokeMethod(klass, name, values))
}

/** `super.name(args)`: calls the overridden method of the superclass. */
function compileSuperCall(name: string, args: readonly Expression[], context: Context): Node {
  const parent = context.owner?.info.parent ?? null
  if (parent === null)
    throw context.unit.fail('there is no super in a script', context.unit.script.statements[0]!.position)
  return withValues(args, context, (values, frame) =>
    invokeThrough(parent.method(name), frame[SELF] as Value, name, values),
  )
}

/** `name(args)`. */
function compileUnqualified({ name, args, position }: CallNode, context: Context): Node {
  if (typeof name !== 'string') {
    return compileCallValue({ kind: 'callValue', callee: name, args, position }, context)
  }
  const variable = context.scope.find(name)
  if (variable !== null) {
    const callee = readVariable(variable)
    return withReceiver(callee, false, args, context, callValue)
  }
  if (context.owner !== null && fieldOf(context, name) !== null && !hasMethod(context, name)) {
    const callee = compileVariable({ kind: 'variable', name, position }, context)
    return withReceiver(callee, false, args, context, callValue)
  }
  const imported = hasMethod(context, name) ? null : context.unit.staticImport(name)
  if (imported !== null) {
    return withValues(args, context, (values) => invokeMethod(imported.klass, imported.member, values))
  }
  return withValues(args, context, callerOf(name, context))
}

/** Whether the enclosing class or the script has a method with this name. */
function hasMethod({ owner, unit }: Context, name: string): boolean {
  if (owner === null) return unit.script.methods.some((method) => method.name === name)
  // Methods of this file may not be compiled yet: their declarations are searched too.
  for (const klass of owner.info.lineage) {
    if (klass.ownMethods.has(name) || klass.ownStatics.has(name)) return true
    if (unit.userClasses.get(klass)?.node.methods.some((method) => method.name === name) === true) return true
  }
  return false
}

function callerOf(name: string, context: Context): (values: Value[], frame: Frame) => Maybe {
  if (context.scope.kind === 'closure') {
    // Members of closures take precedence over those of the enclosing scope.
    const own = ClosureClass.method(name)
    if (own === null) return (values, frame) => callFrom(frame[CLOSURE] as ClosureValue, name, values)
    return (values, frame) => {
      const closure = frame[CLOSURE] as ClosureValue
      return own.select(values) === null ? callFrom(closure, name, values) : own.invoke(closure, values)
    }
  }
  if (context.enclosing !== null) return (values, frame) => callOuter(frame[SELF] as Value, name, values)
  const invoke = invoker(name)
  return (values, frame) => invoke(frame[SELF] as Value, values)
}

/** A call in a closure: most closures have no delegate, and the method of the script is called. */
function callFrom(closure: ClosureValue, name: string, args: Value[]): Maybe {
  let at = closure
  while (at.delegate === at.owner && at.resolveStrategy === OWNER_FIRST) {
    const { owner } = at
    if (!(owner instanceof ClosureValue))
      return owner instanceof ScriptObject ? invokeMethod(owner, name, args) : callOuter(owner, name, args)
    at = owner
  }
  return callInClosure(at, name, args)
}

/** Calls a method of an object or, in an anonymous class, of the enclosing scope. */
function callOuter(self: Value, name: string, args: Value[]): Maybe {
  const enclosing = self instanceof ClassInfo ? null : enclosingOf(self)
  if (enclosing === null || classOf(self).method(name) !== null) return invokeMethod(self, name, args)
  return enclosing instanceof ClosureValue ? callFrom(enclosing, name, args) : callOuter(enclosing, name, args)
}

export function compileCallValue({ callee, args, position }: CallValueNode, context: Context): Node {
  if (callee.kind === 'this' || callee.kind === 'super') {
    return compileConstructorCall(callee.kind, args, position, context)
  }
  return withReceiver(compileExpression(callee, context), false, args, context, callValue)
}
