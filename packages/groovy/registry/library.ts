import type { ClassInfo } from '../values/class-info.ts'
import { UNSUPPORTED_CORE_CLASSES, type UnsupportedClasses } from './unsupported-classes.ts'

/** Classes that are loaded when a script has named them. */
interface RareClasses {
  readonly packages: readonly string[]
  /** A class by its full name; null where it is to be loaded first. */
  readonly find: (name: string) => ClassInfo | null
  /** Asks for classes by a simple name. */
  readonly want: (simpleName: string) => void
  readonly loaded: () => Iterable<ClassInfo>
}

/** The classes that scripts can use. A host adds its classes to those of the language. */
export class Library {
  readonly #byName = new Map<string, ClassInfo>()
  /** Classes that are resolved by their simple name below any package with one of these prefixes. */
  readonly #families: { readonly prefixes: readonly string[]; readonly byName: ReadonlyMap<string, ClassInfo> }[] = []
  readonly #packages = new Set<string>()
  readonly #rare: RareClasses
  /** Packages and classes that need no import. */
  readonly defaultImports: readonly string[]
  /** Messages for classes that are not supported. */
  readonly unsupported: readonly UnsupportedClasses[]

  constructor(
    classes: Iterable<ClassInfo>,
    rare: RareClasses,
    defaultImports: readonly string[] = DEFAULT_IMPORTS,
    unsupported: readonly UnsupportedClasses[] = UNSUPPORTED_CORE_CLASSES,
  ) {
    this.defaultImports = defaultImports
    this.unsupported = unsupported
    this.#rare = rare
    for (const each of rare.packages) this.#packages.add(each)
    for (const each of classes) this.#add(each.name.replaceAll('$', '.'), each)
  }

  /** The same classes and more. */
  with(
    classes: Iterable<ClassInfo>,
    defaultImports: readonly string[] = [],
    unsupported: readonly UnsupportedClasses[] = [],
  ): Library {
    const made = new Library(
      [...new Set(this.#byName.values()), ...classes],
      this.#rare,
      [...this.defaultImports, ...defaultImports],
      [...unsupported, ...this.unsupported],
    )
    for (const family of this.#families) made.#families.push(family)
    for (const name of this.#packages) made.#packages.add(name)
    return made
  }

  /** Adds classes that are resolved by a package prefix and their simple name: `org.forgerock.` and `Status`. */
  withFamily(
    prefixes: readonly string[],
    classes: Iterable<ClassInfo>,
    defaultImports: readonly string[] = [],
  ): Library {
    const made = this.with([], defaultImports)
    made.#families.push({ prefixes, byName: new Map(Array.from(classes, (each) => [each.simpleName, each])) })
    return made
  }

  /** All classes that are loaded, those of families included. */
  allClasses(): ReadonlySet<ClassInfo> {
    const families = this.#families.flatMap(({ byName }) => [...byName.values()])
    return new Set([...this.#byName.values(), ...this.#rare.loaded(), ...families])
  }

  /** A class by its simple name, in any package. */
  findSimple(name: string): ClassInfo | null {
    for (const each of this.allClasses()) if (each.simpleName === name) return each
    this.#rare.want(name)
    return null
  }

  /** A class by its full name. */
  find(name: string): ClassInfo | null {
    const exact = this.#byName.get(name) ?? this.#rare.find(name)
    if (exact !== null) return exact
    const simple = name.slice(name.lastIndexOf('.') + 1)
    for (const { prefixes, byName } of this.#families) {
      if (prefixes.some((prefix) => name.startsWith(prefix))) return byName.get(simple) ?? null
    }
    return null
  }

  /** Whether a package may contain classes, so that a star import of it is valid. */
  hasPackage(name: string): boolean {
    return (
      this.#packages.has(name) ||
      this.#families.some(({ prefixes }) => prefixes.some((each) => `${name}.`.startsWith(each)))
    )
  }

  /** A class that needs no import, by its simple name. */
  findDefaultImport(name: string): ClassInfo | null {
    for (const each of this.defaultImports) {
      const simple = each.slice(each.lastIndexOf('.') + 1)
      const full = simple === '*' ? each.slice(0, -1) + name : simple === name ? each : null
      const found = full === null ? null : this.find(full)
      if (found !== null) return found
    }
    return null
  }

  #add(name: string, klass: ClassInfo): void {
    this.#byName.set(name, klass)
    this.#packages.add(name.slice(0, name.lastIndexOf('.')))
  }
}

/** Default imports of Groovy. */
const DEFAULT_IMPORTS: readonly string[] = [
  'java.lang.*',
  'java.util.*',
  'java.io.*',
  'java.net.*',
  'groovy.lang.*',
  'groovy.util.*',
  'java.math.BigInteger',
  'java.math.BigDecimal',
]
