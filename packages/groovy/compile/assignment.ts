// Assignments: `=`, `+=`, `++` and similar operators.
import { castNow } from '../runtime/cast.ts'
import { writeInClosure } from '../runtime/closure-scope.ts'
import { getAt, putAt } from '../runtime/indexing.ts'
import { itemsOf } from '../runtime/items.ts'
import { eachItem } from '../runtime/iterate.ts'
import { binaryOperators, next, previous } from '../runtime/operators.ts'
import { after, andThen, type Maybe, PENDING, settled } from '../runtime/pending.ts'
import { getProperty, setField, setProperty } from '../runtime/property.ts'
import type {
  AssignNode,
  Expression,
  IndexNode,
  MultipleAssignNode,
  PropertyNode,
  StepNode,
  VariableNode,
} from '../syntax/ast.ts'
import { ScriptObject } from '../values/binding.ts'
import type { ClassInfo } from '../values/class-info.ts'
import { ClosureValue, OWNER_FIRST } from '../values/closure.ts'
import { ListValue } from '../values/collection.ts'
import { nullPointer } from '../values/exceptions.ts'
import { textOf } from '../values/text.ts'
import { truth } from '../values/truth.ts'
import type { Instance, Reference, Value } from '../values/value.ts'
import { type Context, fieldOf } from './context.ts'
import { compileExpression } from './expressions.ts'
import { CLOSURE, type Frame, type Node, SELF } from './frame.ts'
import { compileVariable, enclosingOf } from './names.ts'
import type { LocalVariable } from './scope.ts'
import { staticsOf } from './static-fields.ts'

/** An assignment target. */
interface AssignmentTarget {
  /** Evaluates the object and the name or index, and stores them in slots of the frame. */
  readonly prepare: Node | null
  readonly read: Node
  /** Stores a value; returns null, or PENDING. */
  readonly write: (frame: Frame, value: Value) => Maybe
}

export function compileAssign({ operator, target, value }: AssignNode, context: Context): Node {
  const assignable = compileTarget(target, context)
  const node = compileExpression(value, context)
  if (operator === '') return compileStore(assignable, node)
  if (operator === '?') return compileElvisStore(assignable, node)
  const operation = binaryOperators.get(operator)
  if (operation === undefined) throw new TypeError(`no operator ${operator}=`)
  return update(assignable, (current, frame) => {
    const right = node(frame)
    return right === PENDING ? after((late) => operation(current, late)) : operation(current, right)
  })
}

function compileStore({ prepare, write }: AssignmentTarget, value: Node): Node {
  const store = (frame: Frame): Maybe => {
    const computed = value(frame)
    if (computed === PENDING) return after((late) => stored(write(frame, late), late))
    return stored(write(frame, computed), computed)
  }
  if (prepare === null) return store
  return (frame) => (prepare(frame) === PENDING ? after(() => store(frame)) : store(frame))
}

/** The value of an assignment is the assigned value. */
function stored(outcome: Maybe, value: Value): Maybe {
  return outcome === PENDING ? after(() => value) : value
}

function compileElvisStore({ prepare, read, write }: AssignmentTarget, value: Node): Node {
  const store = (frame: Frame): Maybe =>
    andThen(read(frame), (current) =>
      truth(current) ? current : andThen(value(frame), (late) => stored(write(frame, late), late)),
    )
  return prepare === null ? store : (frame) => andThen(prepare(frame), () => store(frame))
}

/** Reads a target, computes its new value and stores it. */
function update({ prepare, read, write }: AssignmentTarget, compute: (current: Value, frame: Frame) => Maybe): Node {
  const run = (frame: Frame): Maybe => {
    const current = read(frame)
    if (current === PENDING) return after((late) => finish(compute(late, frame), frame))
    return finish(compute(current, frame), frame)
  }
  const finish = (value: Maybe, frame: Frame): Maybe => {
    if (value === PENDING) return after((late) => stored(write(frame, late), late))
    return stored(write(frame, value), value)
  }
  return prepare === null ? run : (frame) => andThen(prepare(frame), () => run(frame))
}

/** `++` and `--`: the prefix form returns the new value, the postfix form the old one. */
export function compileStep({ operator, prefix, operand }: StepNode, context: Context): Node {
  const step = operator === '++' ? next : previous
  if (operand.kind !== 'variable' && operand.kind !== 'property' && operand.kind !== 'index') {
    const node = compileExpression(operand, context)
    return (frame) => andThen(node(frame), (value) => (prefix ? step(value) : andThen(step(value), () => value)))
  }
  const assignable = compileTarget(operand, context)
  if (prefix) return update(assignable, step)
  const slot = context.scope.newSlot()
  const changed = update(assignable, (current, frame) => {
    frame[slot] = current
    return step(current)
  })
  return (frame) => {
    const value = changed(frame)
    return value === PENDING ? after(() => frame[slot] as Value) : (frame[slot] as Value)
  }
}

/** `(a, b) = list`. */
export function compileMultipleAssign({ targets, value }: MultipleAssignNode, context: Context): Node {
  const assignables = targets.map((each) => compileTarget(each, context))
  const node = compileExpression(value, context)
  const assign = (all: Value, frame: Frame): Maybe => {
    const items = destructure(all, assignables.length)
    return eachItem(
      assignables,
      (assignable, index) =>
        andThen(assignable.prepare?.(frame) ?? null, () => assignable.write(frame, items[index] ?? null)),
      () => all,
    )
  }
  return (frame) => {
    const all = node(frame)
    return all === PENDING ? after((late) => assign(late, frame)) : assign(all, frame)
  }
}

/** The first values of a list, or of an object with `getAt`. */
export function destructure(value: Value, count: number): readonly Value[] {
  if (value === null) throw nullPointer('Cannot invoke method getAt() on null object')
  if (value instanceof ListValue) return value.items
  if (typeof value === 'object' && value.klass.method('iterator') !== null) return itemsOf(value)
  return Array.from({ length: count }, (_, index) => settled(getAt(value, index), 'an assignment to several variables'))
}

function compileTarget(target: Expression, context: Context): AssignmentTarget {
  switch (target.kind) {
    case 'variable':
      return variableTarget(target, context)
    case 'property':
      return propertyTarget(target, context)
    case 'index':
      return indexTarget(target, context)
    case 'bracketed':
      return compileTarget(target.inner, context)
    default:
      throw context.unit.fail('this can not be assigned to', target.position)
  }
}

function variableTarget(target: VariableNode, context: Context): AssignmentTarget {
  const { name } = target
  const variable = context.scope.find(name)
  if (variable !== null) {
    if (variable.isFinal) throw context.unit.fail(`${name} is final and can not be assigned again`, target.position)
    const write = writerOf(variable)
    return { prepare: null, read: compileVariable(target, context), write: (frame, value) => write(frame, value) }
  }
  const field = fieldOf(context, name)
  if (field !== null && (field.isStatic || !context.isStatic)) return fieldTarget(target, context)
  return { prepare: null, read: compileVariable(target, context), write: unknownWriter(name, context) }
}

/** Stores in a variable, converting to its type. */
export function writerOf({ slot, shared, type }: LocalVariable): (frame: Frame, value: Value) => Maybe {
  const convert = converter(type)
  if (shared) {
    return (frame, value) => {
      ;(frame[slot] as Reference).value = convert(value)
      return null
    }
  }
  return (frame, value) => {
    frame[slot] = convert(value)
    return null
  }
}

export function converter(type: ClassInfo | null): (value: Value) => Value {
  return type === null ? (value) => value : (value) => castNow(value, type)
}

function fieldTarget(target: VariableNode, context: Context): AssignmentTarget {
  const field = fieldOf(context, target.name)!
  if (field.isFinal && !context.isConstructor) {
    throw context.unit.fail(`${field.name} is final and can not be assigned here`, target.position)
  }
  const { index } = field
  const convert = converter(field.type)
  const read = compileVariable(target, context)
  if (field.isStatic) {
    const statics = staticsOf(context, target.name)
    const write = (_: Frame, value: Value): Value => {
      statics.write(index, convert(value))
      return null
    }
    return { prepare: null, read, write }
  }
  const write = (frame: Frame, value: Value): Maybe => {
    ;(frame[SELF] as Instance).fields[index] = convert(value)
    return null
  }
  return { prepare: null, read, write }
}

/** An undeclared name is a variable of the script's binding, or of the scopes of a closure. */
function unknownWriter(name: string, context: Context): AssignmentTarget['write'] {
  if (context.scope.kind === 'closure') return (frame, value) => writeFrom(frame[CLOSURE] as ClosureValue, name, value)
  if (context.enclosing !== null) return (frame, value) => writeOuter(frame[SELF] as Value, name, value)
  return (frame, value) => {
    const self = frame[SELF] as Value
    return self instanceof ScriptObject ? setScriptVariable(self, name, value) : setProperty(self, name, value)
  }
}

function setScriptVariable(script: ScriptObject, name: string, value: Value): Value {
  script.binding.set(name, value)
  return null
}

function writeFrom(closure: ClosureValue, name: string, value: Value): Maybe {
  let at = closure
  while (at.delegate === at.owner && at.resolveStrategy === OWNER_FIRST) {
    const { owner } = at
    if (!(owner instanceof ClosureValue)) return writeOuter(owner, name, value)
    at = owner
  }
  return writeInClosure(at, name, value)
}

function writeOuter(self: Value, name: string, value: Value): Maybe {
  if (self instanceof ScriptObject) return setScriptVariable(self, name, value)
  const enclosing = enclosingOf(self)
  if (enclosing === null || (self as Instance).klass.property(name) !== null) return setProperty(self, name, value)
  return enclosing instanceof ClosureValue ? writeFrom(enclosing, name, value) : writeOuter(enclosing, name, value)
}

function propertyTarget(target: PropertyNode, context: Context): AssignmentTarget {
  const { name, access } = target
  const self = compileExpression(target.target, context)
  const [selfSlot, nameSlot] = [context.scope.newSlot(), context.scope.newSlot()]
  const nameNode = typeof name === 'string' ? () => name : compileExpression(name, context)
  const prepare: Node = (frame) =>
    andThen(self(frame), (object) => {
      frame[selfSlot] = object
      return andThen(nameNode(frame), (text) => {
        frame[nameSlot] = textOf(text)
        return null
      })
    })
  const field =
    target.target.kind === 'this' && typeof name === 'string' && !context.isStatic ? fieldOf(context, name) : null
  if (field !== null && !field.isStatic)
    return { ...fieldTarget({ kind: 'variable', name: field.name, position: target.position }, context), prepare: null }
  const safe = access === 'safe'
  return {
    prepare,
    read: (frame) => {
      const object = frame[selfSlot] as Value
      return safe && object === null ? null : getProperty(object, frame[nameSlot] as string)
    },
    write: (frame, value) => {
      const object = frame[selfSlot] as Value
      if (safe && object === null) return null
      const set = access === 'field' ? setField : setProperty
      return andThen(set(object, frame[nameSlot] as string, value), () => null)
    },
  }
}

function indexTarget({ target, indexes, safe, position }: IndexNode, context: Context): AssignmentTarget {
  const self = compileExpression(target, context)
  const [only] = indexes
  const index =
    indexes.length === 1 && only !== undefined && only.kind !== 'spread'
      ? compileExpression(only, context)
      : compileExpression({ kind: 'list', items: indexes, position }, context)
  const [selfSlot, indexSlot] = [context.scope.newSlot(), context.scope.newSlot()]
  return {
    prepare: (frame) =>
      andThen(self(frame), (object) => {
        frame[selfSlot] = object
        return andThen(index(frame), (at) => {
          frame[indexSlot] = at
          return null
        })
      }),
    read: (frame) => {
      const object = frame[selfSlot] as Value
      return safe && object === null ? null : getAt(object, frame[indexSlot] as Value)
    },
    write: (frame, value) => {
      const object = frame[selfSlot] as Value
      if (safe && object === null) return null
      return andThen(putAt(object, frame[indexSlot] as Value, value), () => null)
    },
  }
}
