import type { Maybe } from '../runtime/pending.ts'
import { type Invocable, MethodGroup } from './method-group.ts'
import { GroovyObject, type Value } from './value.ts'

type ClassKind = 'class' | 'interface' | 'enum' | 'primitive' | 'array'

/** Read and write access to a property, `object.name`. */
export interface PropertyAccess {
  readonly name: string
  /** The simple or qualified name of its class, if known. */
  readonly type: string | null
  readonly get: ((self: Value) => Maybe) | null
  /** Returns undefined if the value has the wrong type. */
  readonly set: ((self: Value, value: Value) => Maybe | undefined) | null
  /** Direct access to the field without getter and setter: `object.@name`. */
  readonly field?: number
  /** Whether the field is private or protected. */
  readonly isHidden?: boolean
}

/** Support for classes of scripts that extend a class of the library. */
export interface Extensible {
  /** Creates an object of a subclass. */
  allocate(klass: ClassInfo): Value
  /** Runs the constructor of this class on an existing object. */
  initialise(self: Value, args: Value[]): Maybe
}

export interface ClassOptions {
  readonly kind?: ClassKind
  readonly parent?: ClassInfo | null
  readonly interfaces?: readonly ClassInfo[]
  readonly extensible?: Extensible
  /** For classes of scripts: the simple name of nested classes is after the last `$`. */
  readonly component?: ClassInfo
}

/**
 * A class: its superclass, interfaces and members. Classes of the library get theirs by `extend`, classes of
 * scripts by the compiler. It is also a value of scripts: the result of `X.class`.
 */
export class ClassInfo extends GroovyObject {
  /** The class of classes; set by `classes.ts`. */
  static classOfClasses: ClassInfo | null = null
  /** The superclass of all array classes; set by `classes.ts`. */
  static arrayBase: ClassInfo | null = null

  readonly name: string
  readonly kind: ClassKind
  readonly parent: ClassInfo | null
  readonly interfaces: readonly ClassInfo[]
  readonly extensible: Extensible | null
  /** The component class of an array class. */
  readonly component: ClassInfo | null
  readonly constructors: Invocable[] = []
  readonly ownMethods = new Map<string, Invocable[]>()
  readonly ownStatics = new Map<string, Invocable[]>()
  readonly ownProperties = new Map<string, PropertyAccess>()
  readonly ownStaticProperties = new Map<string, PropertyAccess>()
  /** The name of the one abstract method of a functional interface. */
  functional: string | null = null
  // Only members that exist are kept: the names that scripts look up may come from clients.
  readonly #methods = new Map<string, MethodGroup>()
  readonly #statics = new Map<string, MethodGroup>()
  readonly #properties = new Map<string, PropertyAccess>()
  /** Names of all methods, inherited ones included. */
  #methodNames: ReadonlySet<string> | null = null
  readonly #ancestors: ReadonlyMap<ClassInfo, number>
  #array: ClassInfo | null = null
  #creation: MethodGroup | null = null

  constructor(name: string, options: ClassOptions = {}) {
    super()
    this.name = name
    this.kind = options.kind ?? 'class'
    this.parent = options.parent ?? null
    this.interfaces = options.interfaces ?? []
    this.extensible = options.extensible ?? null
    this.component = options.component ?? null
    this.#ancestors = distances(this)
  }

  get klass(): ClassInfo {
    return ClassInfo.classOfClasses as ClassInfo
  }

  get simpleName(): string {
    if (this.component !== null) return `${this.component.simpleName}[]`
    return this.name.slice(Math.max(this.name.lastIndexOf('.'), this.name.lastIndexOf('$')) + 1)
  }

  /** Inheritance distance to a class: 0 for this class, -1 for one that is not a supertype. */
  distanceTo(ancestor: ClassInfo): number {
    return this.#ancestors.get(ancestor) ?? -1
  }

  isSubclassOf(ancestor: ClassInfo): boolean {
    return this === ancestor || this.#ancestors.has(ancestor)
  }

  /** This class and its supertypes, nearest first. */
  get lineage(): Iterable<ClassInfo> {
    return this.#ancestors.keys()
  }

  /** All overloads of a method, inherited ones included. */
  method(name: string): MethodGroup | null {
    const known = this.#methods.get(name)
    if (known !== undefined) return known
    this.#methodNames ??= new Set([...this.lineage].flatMap((each) => [...each.ownMethods.keys()]))
    return this.#methodNames.has(name) ? this.#collect(name, this.#methods, ({ ownMethods }) => ownMethods) : null
  }

  staticMethod(name: string): MethodGroup | null {
    return this.#statics.get(name) ?? this.#collect(name, this.#statics, ({ ownStatics }) => ownStatics)
  }

  #collect(
    name: string,
    known: Map<string, MethodGroup>,
    membersOf: (klass: ClassInfo) => ReadonlyMap<string, Invocable[]>,
  ): MethodGroup | null {
    const lists = [...this.lineage].map((each) => membersOf(each).get(name))
    // Kept by the name of the declaration: the looked up one may be a part of a long text, which it would keep.
    const declared = lists.find((list) => list !== undefined)?.[0]?.name
    if (declared === undefined) return null
    const group = MethodGroup.collect(declared, lists)
    known.set(declared, group)
    return group
  }

  /** Drops cached members, when members of this class or of a supertype were added. */
  invalidateMembers(): void {
    this.#methods.clear()
    this.#statics.clear()
    this.#properties.clear()
    this.#methodNames = null
    this.#creation = null
  }

  get creation(): MethodGroup {
    this.#creation ??= new MethodGroup('<init>', this.constructors)
    return this.#creation
  }

  /** The parameter type of a property's setter, for messages. */
  setterType(name: string): string {
    const [first] = this.method(`set${capitalised(name)}`)?.overloads ?? []
    return first?.parameters[0]?.name ?? 'Object'
  }

  /** An instance property: declared, or derived from a getter and setter. */
  property(name: string): PropertyAccess | null {
    const known = this.#properties.get(name)
    if (known !== undefined) return known
    const access = this.#findProperty(name)
    if (access !== null) this.#properties.set(access.name, access)
    return access
  }

  staticProperty(name: string): PropertyAccess | null {
    for (const each of this.lineage) {
      const access = each.ownStaticProperties.get(name)
      if (access !== undefined) return access
    }
    const getter = this.#accessor('get', name, 0, true) ?? this.#accessor('is', name, 0, true)
    const setter = this.#accessor('set', name, 1, true)
    return getter === null && setter === null ? null : accessThrough(name, getter, setter)
  }

  get arrayClass(): ClassInfo {
    if (this.#array === null) {
      const component =
        this.kind === 'primitive' ? PRIMITIVE_CODES[this.name] : this.kind === 'array' ? this.name : null
      const name = `[${component ?? `L${this.name};`}`
      this.#array = new ClassInfo(name, { kind: 'array', parent: ClassInfo.arrayBase, component: this })
    }
    return this.#array
  }

  #findProperty(name: string): PropertyAccess | null {
    for (const each of this.lineage) {
      const own = each.ownProperties.get(name)
      if (own !== undefined) return own.set !== null ? own : { ...own, set: this.#setter(name) }
    }
    const getter = this.#accessor('get', name, 0, false) ?? this.#accessor('is', name, 0, false)
    const set = this.#setter(name)
    if (getter === null && set === null) return null
    return { ...accessThrough(name, getter, null), set }
  }

  #setter(name: string): PropertyAccess['set'] {
    const setter = this.#accessor('set', name, 1, false)
    return setter === null ? null : (self, value) => setter.tryInvoke(self, [value])
  }

  #accessor(prefix: string, name: string, arity: number, isStatic: boolean): MethodGroup | null {
    const method = prefix + capitalised(name)
    const group = isStatic ? this.staticMethod(method) : this.method(method)
    return group?.accepts(arity) === true ? group : null
  }
}

const PRIMITIVE_CODES: Readonly<Record<string, string>> = Object.assign(Object.create(null), {
  boolean: 'Z',
  byte: 'B',
  char: 'C',
  double: 'D',
  float: 'F',
  int: 'I',
  long: 'J',
  short: 'S',
})

function accessThrough(name: string, getter: MethodGroup | null, setter: MethodGroup | null): PropertyAccess {
  return {
    name,
    type: getter?.overloads.find((each) => each.parameters.length === 0)?.returns ?? null,
    get: getter === null ? null : (self) => getter.invoke(self, []),
    set: setter === null ? null : (self, value) => setter.tryInvoke(self, [value]),
  }
}

/** `uri` is read by `getUri`; `URL`, as in JavaBeans, by `getURL`; `aB` by `getaB`. */
function capitalised(name: string): string {
  const second = name.charAt(1)
  if (second !== '' && second === second.toUpperCase() && second !== second.toLowerCase()) return name
  return name.charAt(0).toUpperCase() + name.slice(1)
}

/** The class itself, then its superclasses, then their interfaces, then the root. */
function distances(klass: ClassInfo): ReadonlyMap<ClassInfo, number> {
  const chain: ClassInfo[] = []
  for (let each: ClassInfo | null = klass; each !== null; each = each.parent) chain.push(each)
  const root = chain.at(-1) as ClassInfo
  const found = new Map(chain.map((each, index) => [each, index * 3]))
  if (root !== klass) found.delete(root)
  const visit = (each: ClassInfo, distance: number): void => {
    for (const type of each.interfaces) {
      if (found.has(type)) continue
      found.set(type, distance + 1)
      visit(type, distance + 1)
    }
  }
  chain.forEach((each, index) => {
    visit(each, index * 3)
  })
  if (root !== klass) found.set(root, ROOT_DISTANCE)
  return found
}

/** Any class is a better match for an argument than Object. */
const ROOT_DISTANCE = 300
