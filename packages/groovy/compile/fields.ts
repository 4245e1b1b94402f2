// Fields of script classes and their initial values.
import { eachItem } from '../runtime/iterate.ts'
import { andThen, type Maybe, settled } from '../runtime/pending.ts'
import type { FieldNode } from '../syntax/ast.ts'
import type { ClassInfo, PropertyAccess } from '../values/class-info.ts'
import type { Invocable } from '../values/method-group.ts'
import { untypedParameter } from '../values/parameters.ts'
import type { Instance, Value } from '../values/value.ts'
import { zeroOf } from '../values/zero.ts'
import { converter } from './assignment.ts'
import { type Context, within } from './context.ts'
import { setUpConstants } from './enums.ts'
import { compileExpression } from './expressions.ts'
import { type Frame, SELF } from './frame.ts'
import { capturedFrame } from './methods.ts'
import { FunctionScope } from './scope.ts'
import { compileBlock } from './statements.ts'
import { staticFieldsOf } from './static-fields.ts'
import type { FieldInfo, UserClass } from './unit.ts'

/** The number of fields of a class, inherited ones included. */
const fieldCounts = new WeakMap<ClassInfo, number>()

function countOf(klass: ClassInfo | null): number {
  return klass === null ? 0 : (fieldCounts.get(klass) ?? countOf(klass.parent))
}

export function declareField(user: UserClass, field: FieldNode, { unit }: Context): void {
  const { fields, node } = user
  const { name, modifiers, position } = field
  if (fields.has(name)) throw unit.fail(`a field ${name} is already declared in this class`, position)
  const isStatic = modifiers.keywords.has('static') || node.form === 'interface'
  const type = field.type === null ? null : unit.classOfType(field.type)
  const isHidden = modifiers.keywords.has('private') || modifiers.keywords.has('protected')
  addField(user, { name, isStatic, isFinal: modifiers.keywords.has('final'), isHidden, type })
}

/** Adds a field and its property. */
export function addField(user: UserClass, declared: Omit<FieldInfo, 'index'>): FieldInfo {
  const { info, fields } = user
  const { name, isStatic } = declared
  const statics = [...fields.values()].filter((each) => each.isStatic).length
  const index = isStatic ? statics : countOf(info)
  const field = { ...declared, index }
  fields.set(name, field)
  if (isStatic) info.ownStaticProperties.set(name, staticProperty(info, field))
  else {
    fieldCounts.set(info, index + 1)
    info.ownProperties.set(name, instanceProperty(field))
  }
  return field
}

function staticProperty(info: ClassInfo, { name, index, type, isFinal }: FieldInfo): PropertyAccess {
  const statics = staticFieldsOf(info)
  const convert = converter(type)
  const set = (_: Value, value: Value): Value => {
    statics.write(index, convert(value))
    return null
  }
  return { name, type: type?.name ?? null, get: () => statics.read(index), set: isFinal ? null : set }
}

/** A field as a property: a declared `getX` or `setX` takes precedence. */
function instanceProperty({ name, index, type, isFinal, isHidden }: FieldInfo): PropertyAccess {
  const convert = converter(type)
  const [getter, setter] = [`get${capitalised(name)}`, `set${capitalised(name)}`]
  const get = (self: Value): Maybe => {
    const declared = (self as Instance).klass.method(getter)
    return declared?.accepts(0) === true ? declared.invoke(self, []) : fieldValue(self, index)
  }
  const set = (self: Value, value: Value): Maybe | undefined => {
    const declared = (self as Instance).klass.method(setter)
    if (declared?.accepts(1) === true) return declared.tryInvoke(self, [value])
    ;(self as Instance).fields[index] = convert(value)
    return null
  }
  return { name, type: type?.name ?? null, get, set: isFinal ? null : set, field: index, isHidden }
}

function fieldValue(self: Value, index: number): Value {
  return (self as Instance).fields[index] ?? null
}

function capitalised(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1)
}

/** `getX()` and `setX(value)` of properties whose class does not declare them. */
export function addAccessors({ info, fields, node }: UserClass): void {
  const declared = new Set(node.methods.map(({ name }) => name))
  for (const { name, index, isStatic, isFinal, type } of fields.values()) {
    const field = node.fields.find((each) => each.name === name)
    const isProperty =
      field !== undefined && !['private', 'protected', 'public'].some((word) => field.modifiers.keywords.has(word))
    if (isStatic || !isProperty) continue
    const [getter, setter] = [`get${capitalised(name)}`, `set${capitalised(name)}`]
    const convert = converter(type)
    if (!declared.has(getter)) {
      info.ownMethods.set(getter, [accessor(getter, [], type, (self) => fieldValue(self, index))])
    }
    if (type?.name === 'boolean' && !declared.has(`is${capitalised(name)}`)) {
      info.ownMethods.set(`is${capitalised(name)}`, [
        accessor(`is${capitalised(name)}`, [], type, (self) => fieldValue(self, index)),
      ])
    }
    if (isFinal || declared.has(setter)) continue
    const write = (self: Value, [value]: unknown[]): Maybe => {
      ;(self as Instance).fields[index] = convert(value as Value)
      return null
    }
    info.ownMethods.set(setter, [accessor(setter, [untypedParameter], null, write)])
  }
}

function accessor(
  name: string,
  parameters: Invocable['parameters'],
  type: ClassInfo | null,
  call: Invocable['call'],
): Invocable {
  const text = `${name}(${parameters.map((each) => each.name).join(', ')})`
  return { name, parameters, varargs: false, returns: type?.name ?? null, text, isAbstract: false, call }
}

/** Sets the fields of a new object to null, or to zero by their type. */
export function fieldDefaults({ fields }: UserClass): (self: Value) => void {
  const own = [...fields.values()].filter((each) => !each.isStatic)
  return (self) => {
    for (const { index, type } of own) (self as Instance).fields[index] = zeroOf(type?.name ?? '')
  }
}

/** Sets the fields of a new object to their declared values, and runs the initializer blocks of the class. */
export function fieldInitialiser(user: UserClass, context: Context): (self: Value) => Maybe {
  const { node, fields } = user
  const scope = new FunctionScope('body', context.enclosing === null ? null : context.scope, node)
  const inner = within(context, scope, { isConstructor: true })
  const steps: ((frame: Frame, self: Instance) => Maybe)[] = []
  for (const { name, initial } of node.fields) {
    const { index, isStatic, type } = fields.get(name)!
    if (isStatic) continue
    const convert = converter(type)
    if (initial === null) continue
    const value = compileExpression(initial, inner)
    steps.push((frame, self) =>
      andThen(value(frame), (result) => {
        self.fields[index] = convert(result)
        return null
      }),
    )
  }
  for (const block of node.initialisers) {
    const exec = compileBlock(block, inner)
    steps.push(exec)
  }
  return (self) => {
    if (steps.length === 0) return null
    const frame = capturedFrame(scope, self)
    return eachItem(
      steps,
      (step) => step(frame, self as Instance),
      () => null,
    )
  }
}

/** Sets the initialiser of the static fields of a class. */
export function prepareStatics(user: UserClass, context: Context): void {
  const { node, info, fields } = user
  const scope = new FunctionScope('body', null, node)
  const inner = within(context, scope, { isStatic: true, isConstructor: true, enclosing: null })
  const statics = staticFieldsOf(info)
  const values = node.fields.flatMap(({ name, initial }) => {
    const { index, isStatic, type } = fields.get(name)!
    if (!isStatic) return []
    return [{ index, type, node: initial === null ? null : compileExpression(initial, inner) }]
  })
  const blocks = node.staticInitialisers.map((block) => compileBlock(block, inner))
  const constants = setUpConstants(user, inner)
  if (values.length === 0 && blocks.length === 0 && constants === null) return
  statics.prepare(() => {
    const frame = scope.newFrame()
    frame[SELF] = info
    constants?.(frame)
    for (const { index, type, node: value } of values) {
      const made = value === null ? zeroOf(type?.name ?? '') : settled(value(frame), 'the value of a static field')
      statics.write(index, value === null ? made : converter(type)(made))
    }
    for (const exec of blocks) settled(exec(frame), 'a static block')
  })
}
