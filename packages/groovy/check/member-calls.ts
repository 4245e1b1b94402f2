// Checks that classes have the members that a script uses.
import type { CallNode, Expression, MethodPointerNode, NewNode, PropertyNode } from '../syntax/ast.ts'
import { isFieldAccess } from '../syntax/expression-parser.ts'
import type { ClassInfo } from '../values/class-info.ts'
import {
  ClassClass,
  ClosureClass,
  CollectionInterface,
  ListInterface,
  MapInterface,
  ObjectClass,
  StringClass,
} from '../values/classes.ts'
import type { CheckScope } from './check-scope.ts'
import { didYouMean } from './class-names.ts'
import type { Findings } from './findings.ts'
import type { StaticType } from './members.ts'
import { staticType } from './static-types.ts'

const REFLECTION = 'scripts can not use reflection; a class has only the properties name and simpleName'
const NO_CHANGES = 'classes can not be changed while scripts run; use a map, or a class with methods'
const NO_CODE =
  'scripts can not compile code at run time; put the code into the script, or into a class below scripts/groovy'

/** Members that are not available on any class. */
const UNSUPPORTED_MEMBERS: ReadonlyMap<string, string> = new Map([
  ['metaClass', NO_CHANGES],
  ['getMetaClass', NO_CHANGES],
  ['setMetaClass', NO_CHANGES],
  ['mixin', NO_CHANGES],
  ['classLoader', REFLECTION],
  ['getClassLoader', REFLECTION],
  ['contextClassLoader', REFLECTION],
  ['forName', REFLECTION],
  ['declaredMethods', REFLECTION],
  ['declaredFields', REFLECTION],
  ['getDeclaredMethods', REFLECTION],
  ['getDeclaredMethod', REFLECTION],
  ['getDeclaredFields', REFLECTION],
  ['getDeclaredField', REFLECTION],
  ['protectionDomain', REFLECTION],
])

/** Calls without a receiver that are available on the JVM and not here. */
const UNSUPPORTED_CALLS: ReadonlyMap<string, string> = new Map([
  ['evaluate', NO_CODE],
  ['use', NO_CHANGES],
])

/** The problem of a call of a host's variable; null where it is valid. */
export type BindingCallCheck = (binding: string, call: CallNode) => string | null

/** A map of Java may hold closures, which are called like methods; maps of a host hold data. */
function holdsFunctions(klass: ClassInfo): boolean {
  return klass.isSubclassOf(MapInterface) && /^(?:java|groovy)\./.test(klass.name)
}

export class MemberCalls {
  readonly #scope: CheckScope
  readonly #findings: Findings
  readonly #checkBindingCall: BindingCallCheck | undefined
  /** In code whose `catch` names the exception for missing members. */
  isExpected = false

  constructor(scope: CheckScope, findings: Findings, checkBindingCall?: BindingCallCheck) {
    this.#checkBindingCall = checkBindingCall
    this.#scope = scope
    this.#findings = findings
  }

  checkCall(call: CallNode): void {
    const { target, name, args, namePosition, access } = call
    if (typeof name !== 'string') return
    if (target?.kind === 'variable' && this.#scope.isBinding(target)) {
      const problem = this.#checkBindingCall?.(target.name, call) ?? null
      if (problem !== null) {
        this.#findings.add(target.position, problem)
        return
      }
    }
    if (target === null) {
      const advice = this.#scope.isVariable(name) || this.#isDeclared(name) ? undefined : UNSUPPORTED_CALLS.get(name)
      if (advice !== undefined) this.#findings.add(namePosition, `${name} is not available: ${advice}`)
      return
    }
    const type = staticType(target, this.#scope)
    const advice = type !== null && this.#isOwnMember(type, name) ? undefined : UNSUPPORTED_MEMBERS.get(name)
    if (advice !== undefined) this.#findings.add(namePosition, `${name} is not available: ${advice}`)
    if (access === 'spread' || this.isExpected || target.kind === 'super') return
    if (type === null || this.#isOpen(type, 'method') || holdsFunctions(type.klass)) return
    const count = args.some(({ kind }) => kind === 'spread') ? null : args.length
    if (this.#scope.members.hasMethod(type, name, count)) return
    this.#findings.add(namePosition, this.#missingMethod(type, name, count))
  }

  #isDeclared(name: string): boolean {
    const { unit, owner } = this.#scope
    const methods = owner?.node.methods ?? unit.script.methods
    return methods.some((method) => method.name === name) || unit.staticImport(name) !== null
  }

  /** `Charset.forName` is not reflection. */
  #isOwnMember({ klass, isClass }: StaticType, name: string): boolean {
    return isClass && klass.staticMethod(name) !== null
  }

  /** Classes whose members are only partly known. */
  #isOpen(type: StaticType, kind: 'method' | 'property'): boolean {
    const { klass } = type
    return (
      klass === ObjectClass ||
      klass.isSubclassOf(ClosureClass) ||
      klass.kind === 'primitive' ||
      this.#scope.members.hasDynamicMembers(type, kind)
    )
  }

  #missingMethod(type: StaticType, name: string, count: number | null): string {
    const { klass, isClass } = type
    if (name === 'execute' && (klass === StringClass || klass.isSubclassOf(ListInterface))) {
      return 'execute is not available: scripts can not start processes'
    }
    const what = isClass ? 'static method' : 'method'
    if (this.#scope.members.hasMethod(type, name, null)) {
      const texts = (isClass ? klass.staticMethod(name) : klass.method(name))?.overloads.map(({ text }) => text) ?? []
      const known = texts.length === 0 ? '' : `; available: ${texts.slice(0, 3).join(', ')}`
      return `${nameOf(klass)} has no ${what} ${name} with ${count} argument${count === 1 ? '' : 's'}${known}`
    }
    return `${nameOf(klass)} has no ${what} ${name}${this.#hint(type, name)}`
  }

  #hint(type: StaticType, name: string): string {
    if (type.klass === ClassClass) return `; ${REFLECTION}`
    return didYouMean(name, this.#scope.members.names(type))
  }

  checkProperty(node: PropertyNode): void {
    const { target, name, namePosition, access } = node
    if (typeof name !== 'string' || this.#scope.classNamed(node) !== null) return
    const advice = UNSUPPORTED_MEMBERS.get(name)
    if (advice !== undefined && !this.#isMap(target)) {
      this.#findings.add(namePosition, `${name} is not available: ${advice}`)
    }
    if (access === 'spread' || isFieldAccess(access) || this.isExpected || target.kind === 'super') return
    const type = staticType(target, this.#scope)
    if (type === null || this.#isOpen(type, 'property')) return
    const { klass, isClass } = type
    // `list.name` is the property of each element, `map.name` an entry.
    if (
      !isClass &&
      (klass.isSubclassOf(MapInterface) || klass.isSubclassOf(CollectionInterface) || klass.kind === 'array')
    )
      return
    if (this.#scope.members.hasProperty(type, name)) return
    const what = isClass ? 'static property' : 'property'
    this.#findings.add(namePosition, `${nameOf(klass)} has no ${what} ${name}${this.#hint(type, name)}`)
  }

  #isMap(target: Expression): boolean {
    return staticType(target, this.#scope)?.klass.isSubclassOf(MapInterface) === true
  }

  checkPointer({ target, name, namePosition }: MethodPointerNode): void {
    if (typeof name !== 'string' || name === 'new' || this.isExpected) return
    const type = staticType(target, this.#scope)
    if (type === null || this.#isOpen(type, 'method')) return
    const { members } = this.#scope
    const isThere = members.hasMethod(type, name, null) || members.hasMethod({ ...type, isClass: false }, name, null)
    if (!isThere)
      this.#findings.add(namePosition, `${nameOf(type.klass)} has no method ${name}${this.#hint(type, name)}`)
  }

  /** `new X(...)` of a class of the library. */
  checkNew({ type, args, body }: NewNode): void {
    const { unit } = this.#scope
    const klass = unit.findType(type)
    if (klass === null || unit.userClasses.has(klass) || body !== null || this.isExpected) return
    if (klass.constructors.length === 0) {
      const statics = [...klass.ownStatics.keys()].slice(0, 5)
      const instead =
        statics.length === 0 ? '' : `; available: ${statics.map((each) => `${klass.simpleName}.${each}`).join(', ')}`
      this.#findings.add(type.position, `${nameOf(klass)} can not be created with new${instead}`)
      return
    }
    const acceptsProperties = args.length === 1 && args[0]?.kind === 'map' && klass.creation.accepts(0)
    const spreads = args.some(({ kind }) => kind === 'spread')
    if (
      spreads ||
      acceptsProperties ||
      klass.creation.accepts(args.length) ||
      (args.length === 0 && klass.creation.accepts(1))
    )
      return
    const known = klass.constructors.map(({ text }) => text.replace(/^new/, klass.simpleName)).slice(0, 4)
    this.#findings.add(
      type.position,
      `${nameOf(klass)} has no constructor with ${args.length} argument${args.length === 1 ? '' : 's'}; available: ${known.join(', ')}`,
    )
  }
}

function nameOf(klass: ClassInfo): string {
  return klass.kind === 'array' ? klass.simpleName : klass.name.replaceAll('$', '.')
}
