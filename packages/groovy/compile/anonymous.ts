// `new Interface() { ... }`.
import { andThen, type Maybe } from '../runtime/pending.ts'
import type { ClassNode } from '../syntax/ast.ts'
import { ClassInfo } from '../values/class-info.ts'
import { ObjectClass } from '../values/classes.ts'
import { type Instance, Reference, type Value } from '../values/value.ts'
import { allocate, initialise, isScriptClass } from './constructors.ts'
import type { Context } from './context.ts'
import { fieldDefaults, fieldInitialiser } from './fields.ts'
import { CLOSURE, type Frame, SELF } from './frame.ts'
import { addMethod } from './methods.ts'
import { FunctionScope } from './scope.ts'
import type { UserClass } from './unit.ts'
import { declareFields } from './user-classes.ts'

/** Compiles an anonymous class; the function creates an object of it with the variables of a frame. */
export function compileAnonymous(
  node: ClassNode,
  base: ClassInfo,
  context: Context,
): (args: Value[], frame: Frame) => Maybe {
  const { unit } = context
  const isInterface = base.kind === 'interface'
  if (!isInterface && base.extensible === null && !unit.userClasses.has(base) && !isScriptClass(base)) {
    throw unit.fail(`a class of a script can not extend ${base.name}`, node.position)
  }
  const info = new ClassInfo(`${unit.scriptName}$${unit.nextAnonymous()}`, {
    parent: isInterface ? ObjectClass : base,
    interfaces: isInterface ? [base] : [],
  })
  const user: UserClass = { info, node, outer: context.owner, fields: new Map() }
  unit.userClasses.set(info, user)
  const scope = new FunctionScope('body', context.scope, node)
  const inner: Context = {
    ...context,
    scope,
    owner: user,
    isStatic: false,
    isConstructor: false,
    enclosing: context,
    record: null,
  }
  declareFields(user, inner)
  for (const method of node.methods) addMethod(user, method, inner)
  const setFields = fieldInitialiser(user, inner)
  const setDefaults = fieldDefaults(user)
  return (args, frame) => {
    const self = allocate(info) as Instance
    setDefaults(self)
    self.captured = capture(scope, frame)
    return andThen(initialise(self, base.kind === 'interface' ? ObjectClass : base, args), () =>
      andThen(setFields(self), () => self),
    )
  }
}

function capture({ captures }: FunctionScope, frame: Frame): Reference[] {
  const captured: Reference[] = []
  captured[SELF] = new Reference(frame[SELF] as Value)
  captured[CLOSURE] = new Reference((frame[CLOSURE] ?? null) as Value)
  for (const { outerSlot, innerSlot } of captures) captured[innerSlot] = frame[outerSlot] as Reference
  return captured
}
