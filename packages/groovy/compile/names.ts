// Names without a receiver: variables, fields, classes, and variables of the binding or of the scopes of a closure.

import { readInClosure } from '../runtime/closure-scope.ts'
import type { Maybe } from '../runtime/pending.ts'
import { getProperty } from '../runtime/property.ts'
import type { ThisNode, VariableNode } from '../syntax/ast.ts'
import { ScriptObject } from '../values/binding.ts'
import type { ClassInfo } from '../values/class-info.ts'
import { ClosureValue, OWNER_FIRST } from '../values/closure.ts'
import type { Instance, Reference, Value } from '../values/value.ts'
import { type Context, fieldOf } from './context.ts'
import { CLOSURE, type Frame, type Node, SELF } from './frame.ts'
import type { LocalVariable } from './scope.ts'
import { staticsOf } from './static-fields.ts'

export function compileThis({ kind, position }: ThisNode, context: Context): Node {
  if (kind === 'super' && context.owner === null) throw context.unit.fail('there is no super in a script', position)
  return (frame) => frame[SELF] as Value
}

/** Names of properties of the closure itself. */
const CLOSURE_NAMES: ReadonlySet<string> = new Set([
  'delegate',
  'owner',
  'thisObject',
  'directive',
  'resolveStrategy',
  'maximumNumberOfParameters',
  'parameterTypes',
])

export function compileVariable({ name, position }: VariableNode, context: Context): Node {
  const variable = context.scope.find(name)
  if (variable !== null) return readVariable(variable)
  const field = compileField(name, context)
  if (field !== null) return field
  const klass = context.unit.findClass(name)
  if (klass !== null) return () => klass
  const imported = context.unit.staticImport(name)
  if (imported !== null) return () => getProperty(imported.klass, imported.member)
  if (context.isStatic && context.scope.kind === 'body' && context.enclosing === null) {
    throw context.unit.fail(`${name} is not declared, and a static method has no instance properties`, position)
  }
  return compileUnknown(name, context)
}

export function readVariable({ slot, shared }: LocalVariable): Node {
  return shared ? (frame) => (frame[slot] as Reference).value : (frame) => frame[slot] as Value
}

function compileField(name: string, context: Context): Node | null {
  const field = fieldOf(context, name)
  if (field === null) return null
  const { index } = field
  if (field.isStatic) {
    const statics = staticsOf(context, name)
    return () => statics.read(index)
  }
  return context.isStatic ? null : (frame) => (frame[SELF] as Instance).fields[index] ?? null
}

/** A name that is resolved at run time. */
function compileUnknown(name: string, context: Context): Node {
  if (context.scope.kind === 'closure') {
    return CLOSURE_NAMES.has(name)
      ? (frame) => getProperty(frame[CLOSURE] as Value, name)
      : (frame) => readFrom(frame[CLOSURE] as ClosureValue, name)
  }
  const outer = context.enclosing
  if (context.owner !== null) return (frame) => readMember(frame, name, outer !== null)
  return (frame) => readFromScript(frame[SELF] as Value, name)
}

/** A read in the script body: the binding first. */
function readFromScript(script: Value, name: string): Maybe {
  if (script instanceof ScriptObject) {
    const value = script.binding.get(name)
    if (value !== undefined) return value
  }
  return getProperty(script, name)
}

/** A read in a closure: most closures have no delegate, and the binding of the script is read. */
function readFrom(closure: ClosureValue, name: string): Maybe {
  let at = closure
  while (at.delegate === at.owner && at.resolveStrategy === OWNER_FIRST) {
    const { owner } = at
    if (!(owner instanceof ClosureValue))
      return owner instanceof ScriptObject ? readFromScript(owner, name) : readOuter(owner, name)
    at = owner
  }
  return readInClosure(at, name)
}

/** A member of the object; in an anonymous class also of the enclosing scope. */
function readMember(frame: Frame, name: string, isAnonymous: boolean): Maybe {
  const self = frame[SELF] as Value
  return isAnonymous ? readOuter(self, name) : getProperty(self, name)
}

/** A property of an object or, in an anonymous class, of the enclosing scope. */
function readOuter(self: Value, name: string): Maybe {
  const enclosing = enclosingOf(self)
  if (enclosing === null || (self as Instance).klass.property(name) !== null) return getProperty(self, name)
  return enclosing instanceof ClosureValue ? readFrom(enclosing, name) : readOuter(enclosing, name)
}

/** The closure or object in which an anonymous class was created. */
export function enclosingOf(self: Value): Value {
  const captured = (self as Instance | null)?.captured ?? null
  if (captured === null) return null
  return captured[CLOSURE]?.value ?? captured[SELF]?.value ?? null
}

/** For `x.y.Z` read as a name: the class, when no variable is called `x`. */
export function classNamed(path: string, context: Context): ClassInfo | null {
  const [first = ''] = path.split('.')
  return context.scope.find(first) === null ? context.unit.findClass(path) : null
}
