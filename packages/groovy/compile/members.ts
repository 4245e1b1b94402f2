// `a.b`, `a[b]`, `a.&b`.
import { getAt } from '../runtime/indexing.ts'
import { construct, invokeMethod } from '../runtime/invoke.ts'
import { itemsOf } from '../runtime/items.ts'
import { collectItems } from '../runtime/iterate.ts'
import { missingMethod } from '../runtime/missing.ts'
import { after, type Maybe, PENDING } from '../runtime/pending.ts'
import { getField, getProperty } from '../runtime/property.ts'
import type { Expression, IndexNode, MethodPointerNode, PropertyNode } from '../syntax/ast.ts'
import { ScriptObject } from '../values/binding.ts'
import { ClassInfo, type PropertyAccess } from '../values/class-info.ts'
import { classOf } from '../values/class-of.ts'
import { NativeClosure } from '../values/closure.ts'
import { MapValue } from '../values/collection.ts'
import type { ParameterType } from '../values/method-group.ts'
import { untypedParameter } from '../values/parameters.ts'
import { textOf } from '../values/text.ts'
import type { Instance, Value } from '../values/value.ts'
import { type Context, fieldOf } from './context.ts'
import { compileExpression } from './expressions.ts'
import { apply1, apply2, applyAll, type Node } from './frame.ts'
import { classNamed } from './names.ts'

export function compileProperty(node: PropertyNode, context: Context): Node {
  const klass = classOfPath(node, context)
  if (klass !== null) return () => klass
  const { target, name, access } = node
  if (target.kind === 'this' && typeof name === 'string') {
    const field = context.isStatic ? null : fieldOf(context, name)
    if (field !== null && !field.isStatic) return compileFieldOfThis(field.index, context, target)
  }
  const targetNode = compileExpression(target, context)
  if (typeof name !== 'string') {
    return apply2(targetNode, compileExpression(name, context), (self, key) => readAs(access, self, textOf(key)))
  }
  if (access === 'plain' && target.kind !== 'super') return readProperty(targetNode, name)
  return apply1(targetNode, (self) => readAs(access, self, name))
}

function compileFieldOfThis(index: number, context: Context, target: Expression): Node {
  const self = compileExpression(target, context)
  return (frame) => (self(frame) as Instance).fields[index] as Value
}

function readAs(access: PropertyNode['access'], self: Value, name: string): Maybe {
  switch (access) {
    case 'safe':
      return self === null ? null : getProperty(self, name)
    case 'spread':
      return self === null
        ? null
        : collectItems(itemsOf(self), (each) => (each === null ? null : getProperty(each, name)))
    case 'field':
      return getField(self, name)
    case 'safeField':
      return self === null ? null : getField(self, name)
    case 'spreadField':
      return self === null ? null : collectItems(itemsOf(self), (each) => (each === null ? null : getField(each, name)))
    default:
      return getProperty(self, name)
  }
}

/** Reads a property, with an inline cache: the accessor for the class of the last object. */
function readProperty(target: Node, name: string): Node {
  let known: ClassInfo | null = null
  let access: PropertyAccess['get'] = null
  const read = (self: Value): Maybe => {
    if (typeof self === 'object' && self !== null) {
      if (self instanceof MapValue) return self.get(name) ?? null
      if (self.klass === known) return (access as (self: Value) => Maybe)(self)
      const found = self instanceof ScriptObject || self instanceof ClassInfo ? null : self.klass.property(name)
      if (found !== null && found.get !== null) {
        known = self.klass
        access = found.get
        return access(self)
      }
    }
    return getProperty(self, name)
  }
  return (frame) => {
    const self = target(frame)
    return self === PENDING ? after(read) : read(self)
  }
}

/** The class that `a.b.C`, or `a.b.C.class`, names. */
export function classOfPath(expression: Expression, context: Context): ClassInfo | null {
  const path = pathOf(expression)
  if (path === null) return null
  const named = path.endsWith('.class') ? path.slice(0, -'.class'.length) : path
  if (!/(?:^|\.)\p{Lu}[^.]*$/u.test(named) && !/^[a-z]+(?:\[\])*$/.test(named)) return null
  const isName = named.includes('.') || path !== named
  return isName ? classNamed(named, context) : null
}

/** Names with dots between them, as text. */
export function pathOf(expression: Expression): string | null {
  if (expression.kind === 'variable') return expression.name
  if (expression.kind !== 'property' || expression.access !== 'plain' || typeof expression.name !== 'string')
    return null
  const target = pathOf(expression.target)
  return target === null ? null : `${target}.${expression.name}`
}

export function compileIndex({ target, indexes, safe }: IndexNode, context: Context): Node {
  const targetNode = compileExpression(target, context)
  const [only] = indexes
  if (indexes.length === 1 && only !== undefined && only.kind !== 'spread') {
    const index = compileExpression(only, context)
    if (!safe) return apply2(targetNode, index, getAt)
    return apply2(targetNode, index, (self, at) => (self === null ? null : getAt(self, at)))
  }
  const list = compileExpression({ kind: 'list', items: indexes, position: target.position }, context)
  return apply2(targetNode, list, (self, at) => (safe && self === null ? null : getAt(self, at)))
}

export function compileMethodPointer({ target, name }: MethodPointerNode, context: Context): Node {
  const klass = target.kind === 'variable' || target.kind === 'property' ? classOfTarget(target, context) : null
  const targetNode = klass === null ? compileExpression(target, context) : () => klass
  const nameNode = typeof name === 'string' ? () => name : compileExpression(name, context)
  return applyAll([targetNode, nameNode], ([self, method]) => methodPointer(self as Value, textOf(method as Value)))
}

function classOfTarget(target: Expression, context: Context): ClassInfo | null {
  const path = pathOf(target)
  return path === null ? null : classNamed(path, context)
}

/** A method pointer as a closure; for a class, also to an instance method of the first argument. */
function methodPointer(self: Value, name: string): Value {
  if (self === null) throw missingMethod(self, name, [])
  if (!(self instanceof ClassInfo)) {
    return new NativeClosure(self, parametersOf(self, name), (args) => invokeMethod(self, name, [...args]))
  }
  if (name === 'new') return new NativeClosure(self, [untypedParameter], (args) => construct(self, [...args]))
  const statics = self.staticMethod(name)?.overloads ?? []
  const count = Math.max(1, ...statics.map(({ parameters }) => parameters.length))
  return new NativeClosure(
    self,
    Array.from({ length: count }, () => untypedParameter),
    (args) => {
      const direct = self.staticMethod(name)?.tryInvoke(self, [...args])
      if (direct !== undefined) return direct
      const [first = null, ...rest] = args
      return first === null ? invokeMethod(self, name, [...args]) : invokeMethod(first, name, rest)
    },
  )
}

function parametersOf(self: Value, name: string): ParameterType[] {
  const overloads = classOf(self).method(name)?.overloads ?? []
  const most = overloads.reduce((count, { parameters }) => Math.max(count, parameters.length), 0)
  return Array.from({ length: overloads.length === 0 ? 1 : most }, () => untypedParameter)
}
