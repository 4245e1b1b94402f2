// Classes of scripts: hierarchy and members.
import type { ClassNode, TypeNode } from '../syntax/ast.ts'
import { ClassInfo } from '../values/class-info.ts'
import { EnumClass, ObjectClass } from '../values/classes.ts'
import { MethodGroup } from '../values/method-group.ts'
import { allocate, creators, isScriptClass, setConstruction } from './constructors.ts'
import type { Context } from './context.ts'
import { declareEnum } from './enums.ts'
import { addAccessors, declareField, fieldDefaults, fieldInitialiser, prepareStatics } from './fields.ts'
import { addMethod, constructorsOf } from './methods.ts'
import type { Unit, UserClass } from './unit.ts'

/** Declares the classes of a file, superclasses first; members are added later. */
export function declareUserClasses(nodes: readonly ClassNode[], unit: Unit): UserClass[] {
  const { packageName } = unit.script
  const prefix = packageName === null ? '' : `${packageName}.`
  const waiting = new Map<string, Pending>()
  const add = (node: ClassNode, outer: Pending | null): void => {
    const name = outer === null ? prefix + node.name : `${outer.name}$${node.name}`
    if (waiting.has(node.name)) throw unit.fail(`a class ${node.name} is already declared in this file`, node.position)
    const pending = { node, name, outer, made: null }
    waiting.set(node.name, pending)
    for (const each of node.nested) add(each, pending)
  }
  for (const each of nodes) add(each, null)
  return [...waiting.values()].map((each) => declareOne(each, waiting, unit, new Set()))
}

interface Pending {
  readonly node: ClassNode
  readonly name: string
  readonly outer: Pending | null
  made: UserClass | null
}

function declareOne(pending: Pending, all: ReadonlyMap<string, Pending>, unit: Unit, path: Set<Pending>): UserClass {
  if (pending.made !== null) return pending.made
  const { node, name, outer } = pending
  if (path.has(pending)) throw unit.fail(`${node.name} extends itself`, node.position)
  path.add(pending)
  for (const type of [...(node.parent === null ? [] : [node.parent]), ...node.interfaces]) {
    const above = all.get(type.name)
    if (above !== undefined) declareOne(above, all, unit, path)
  }
  const outerClass = outer === null ? null : declareOne(outer, all, unit, path)
  const made = declareUserClass(node, name, outerClass, unit)
  pending.made = made
  unit.declare(node.name, made.info)
  unit.declare(name, made.info)
  unit.declare(name.replaceAll('$', '.'), made.info)
  return made
}

function declareUserClass(node: ClassNode, name: string, outer: UserClass | null, unit: Unit): UserClass {
  const parent = node.form === 'enum' ? EnumClass : node.parent === null ? ObjectClass : parentOf(node.parent, unit)
  const interfaces = node.interfaces.map((type) => interfaceOf(type, unit))
  const info = new ClassInfo(name, { kind: node.form, parent, interfaces })
  const user: UserClass = { info, node, outer, fields: new Map() }
  unit.userClasses.set(info, user)
  return user
}

function parentOf(type: TypeNode, unit: Unit): ClassInfo {
  const klass = unit.classOfType(type)
  if (klass.kind === 'interface') throw unit.fail(`${type.name} is an interface; use implements`, type.position)
  if (klass.extensible === null && !unit.userClasses.has(klass) && !isScriptClass(klass)) {
    throw unit.fail(`a class of a script can not extend ${klass.name}`, type.position)
  }
  return klass
}

function interfaceOf(type: TypeNode, unit: Unit): ClassInfo {
  const klass = unit.classOfType(type)
  if (klass.kind !== 'interface') throw unit.fail(`${type.name} is not an interface; use extends`, type.position)
  return klass
}

/** Declares the fields of a class before code that uses them is compiled. */
export function declareFields(user: UserClass, base: Context): void {
  const context = memberContext(user, base)
  for (const field of user.node.fields) declareField(user, field, context)
  if (user.node.form === 'enum') declareEnum(user, context)
}

function memberContext(user: UserClass, base: Context): Context {
  return { ...base, owner: user, isStatic: false, isConstructor: false, record: null }
}

/** Compiles the methods and constructors of a class. */
export function compileMembers(user: UserClass, base: Context): void {
  const { info, node } = user
  const context = memberContext(user, base)
  for (const method of node.methods) if (method.name !== '<init>') addMethod(user, method, context)
  addAccessors(user)
  const declared = constructorsOf(user, context)
  const initialise = fieldInitialiser(user, context)
  setConstruction({
    klass: info,
    declared: new MethodGroup('<init>', declared),
    setDefaults: fieldDefaults(user),
    initialise,
  })
  if (node.form === 'class' && !node.modifiers.keywords.has('abstract')) {
    info.constructors.push(...creators(info, declared, () => allocate(info)))
  }
  prepareStatics(user, context)
  if (node.form === 'interface') info.functional = onlyAbstract(node)
}

function onlyAbstract({ methods }: ClassNode): string | null {
  const open = methods.filter(({ body }) => body === null)
  return open.length === 1 ? open[0]!.name : null
}
