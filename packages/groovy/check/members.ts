// Lookup of members of library classes, and of script classes whose methods are not compiled yet.
import type { Unit } from '../compile/unit.ts'
import type { MethodNode } from '../syntax/ast.ts'
import type { ClassInfo } from '../values/class-info.ts'
import { ClassClass } from '../values/classes.ts'

/** The static type of a receiver: an instance of a class or subclass, or the class itself. */
export interface StaticType {
  readonly klass: ClassInfo
  /** Of exactly this class, as for a literal or `new`. */
  readonly exact: boolean
  /** The class itself: only static members. */
  readonly isClass: boolean
}

/** Lookup of members. */
export class MemberIndex {
  readonly #unit: Unit
  readonly #subclasses = new Map<ClassInfo, readonly ClassInfo[]>()

  constructor(unit: Unit) {
    this.#unit = unit
  }

  /** Whether a method accepts this number of arguments; null: any number. */
  hasMethod(type: StaticType, name: string, count: number | null): boolean {
    return this.#candidates(type).some((klass) => this.#accepts(klass, name, count, type.isClass))
  }

  hasProperty(type: StaticType, name: string): boolean {
    return this.#candidates(type).some((klass) => this.#property(klass, name, type.isClass))
  }

  /** A class with `propertyMissing`, `methodMissing` and similar methods may have any member; `get(String)` reads properties. */
  hasDynamicMembers({ klass, isClass }: StaticType, kind: 'method' | 'property'): boolean {
    if (isClass) return false
    return [...klass.lineage].some((each) => {
      const declared = this.#unit.userClasses.get(each)?.node.methods ?? []
      if (declared.some(({ name }) => ANY_NAME.has(name)) || each.ownMethods.has('methodMissing')) return true
      return kind === 'property' && (each.ownMethods.get('get') ?? []).some(acceptsName)
    })
  }

  /** Names of members, for suggestions. */
  names({ klass, isClass }: StaticType): string[] {
    return [...klass.lineage].flatMap((each) => {
      const user = this.#unit.userClasses.get(each)
      const declared = user === undefined ? [] : [...user.node.methods.map(({ name }) => name), ...user.fields.keys()]
      const maps = isClass ? [each.ownStatics, each.ownStaticProperties] : [each.ownMethods, each.ownProperties]
      return [...declared, ...maps.flatMap((map) => [...map.keys()])].flatMap(withProperty)
    })
  }

  /** The return type of a method, if all overloads have the same. */
  returnType({ klass, isClass }: StaticType, name: string): string | null {
    const group = isClass ? klass.staticMethod(name) : klass.method(name)
    const types = new Set(group?.overloads.map(({ returns }) => returns) ?? [])
    return types.size === 1 ? ([...types][0] ?? null) : null
  }

  propertyType({ klass, isClass }: StaticType, name: string): string | null {
    return (isClass ? klass.staticProperty(name) : klass.property(name))?.type ?? null
  }

  /** The class and, unless the type is exact, its subclasses, which the object may be an instance of. */
  #candidates({ klass, exact, isClass }: StaticType): readonly ClassInfo[] {
    if (exact || isClass) return [klass]
    let candidates = this.#subclasses.get(klass)
    if (candidates === undefined) {
      const all = [...this.#unit.library.allClasses(), ...this.#unit.userClasses.keys()]
      candidates = [klass, ...all.filter((each) => each !== klass && each.isSubclassOf(klass))]
      this.#subclasses.set(klass, candidates)
    }
    return candidates
  }

  #accepts(klass: ClassInfo, name: string, count: number | null, isStatic: boolean): boolean {
    for (const each of klass.lineage) {
      const methods = isStatic ? each.ownStatics.get(name) : each.ownMethods.get(name)
      if (methods?.some(({ parameters, varargs }) => fits(parameters.length, 0, varargs, count, false)) === true)
        return true
      const user = this.#unit.userClasses.get(each)
      if (user?.node.methods.some((method) => method.name === name && methodFits(method, count)) === true) return true
      if (user !== undefined && this.#accessorFits(user.fields.keys(), name)) return true
      if (user?.node.form === 'enum' && (name === 'values' || name === 'valueOf')) return true
    }
    // A closure in a property can be called by the name of the property.
    if (this.#unit.userClasses.has(klass) && this.#property(klass, name, isStatic)) return true
    return isStatic && ClassClass.method(name) !== null
  }

  #accessorFits(fields: Iterable<string>, name: string): boolean {
    const property = /^(?:get|set|is)(\p{Lu}.*)$/u.exec(name)?.[1]
    if (property === undefined) return false
    return [...fields].some((field) => field.toLowerCase() === property.toLowerCase())
  }

  #property(klass: ClassInfo, name: string, isStatic: boolean): boolean {
    if (isStatic && (name === 'class' || ClassClass.property(name) !== null)) return true
    const capital = name.charAt(0).toUpperCase() + name.slice(1)
    const accessors = [`get${capital}`, `is${capital}`, `set${capital}`]
    for (const each of klass.lineage) {
      const properties = isStatic ? each.ownStaticProperties : each.ownProperties
      if (properties.has(name) || each.ownStaticProperties.has(name)) return true
      const methods = isStatic ? each.ownStatics : each.ownMethods
      if (accessors.some((accessor) => methods.has(accessor))) return true
      const user = this.#unit.userClasses.get(each)
      if (user === undefined) continue
      if (user.fields.has(name) || user.node.constants.some((constant) => constant.name === name)) return true
      if (user.node.nested.some((nested) => nested.name === name)) return true
      if (user.node.methods.some((method) => accessors.includes(method.name))) return true
    }
    return false
  }
}

/** A getter or setter also defines a property. */
function withProperty(name: string): string[] {
  const property = /^(?:get|set|is)(\p{Lu}.*)$/u.exec(name)?.[1]
  return property === undefined ? [name] : [name, property.charAt(0).toLowerCase() + property.slice(1)]
}

const ANY_NAME: ReadonlySet<string> = new Set([
  'methodMissing',
  'propertyMissing',
  'invokeMethod',
  'getProperty',
  'get',
  'set',
])

function acceptsName({ parameters }: { readonly parameters: readonly { readonly name: string }[] }): boolean {
  return parameters.length === 1 && parameters[0]?.name === 'String'
}

function methodFits({ parameters }: MethodNode, count: number | null): boolean {
  const optional = parameters.filter(({ initial }) => initial !== null).length
  const last = parameters.at(-1)
  const varargs = last !== undefined && (last.varargs || last.type?.dimensions === 1)
  return fits(parameters.length, optional, varargs, count, true)
}

/** Whether a parameter count accepts an argument count; a script method with one parameter can be called without it. */
function fits(parameters: number, optional: number, varargs: boolean, count: number | null, isOwn: boolean): boolean {
  if (count === null) return true
  if (varargs) return count >= parameters - 1 - optional
  return (count <= parameters && count >= parameters - optional) || (isOwn && count === 0 && parameters === 1)
}
