// Imports and classes of one file.
import type { Library } from '../registry/library.ts'
import type { ClassNode, ImportNode, ScriptNode, TypeNode } from '../syntax/ast.ts'
import { GroovySyntaxError, type Position } from '../syntax/syntax-error.ts'
import { ClassInfo } from '../values/class-info.ts'
import { libraryClass, ObjectClass, primitives, ScriptClass } from '../values/classes.ts'

/** Finds classes of other files of scripts by their full name. */
export type ClassFinder = (name: string) => ClassInfo | null

/** A field of a class of a script. */
export interface FieldInfo {
  readonly name: string
  readonly index: number
  readonly isStatic: boolean
  readonly isFinal: boolean
  /** Private or protected. */
  readonly isHidden: boolean
  readonly type: ClassInfo | null
}

/** A class of a script with its declaration and fields. */
export interface UserClass {
  readonly info: ClassInfo
  readonly node: ClassNode
  readonly outer: UserClass | null
  readonly fields: Map<string, FieldInfo>
}

/** A member that `import static` names. */
interface StaticImport {
  readonly klass: ClassInfo
  readonly member: string
}

export class Unit {
  readonly script: ScriptNode
  readonly file: string
  readonly library: Library
  readonly #finder: ClassFinder
  readonly #declared = new Map<string, ClassInfo>()
  readonly #resolved = new Map<string, ClassInfo | null>()
  readonly userClasses = new Map<ClassInfo, UserClass>()
  /** The class of the script itself. */
  readonly scriptInfo: ClassInfo
  #anonymous = 0

  constructor(script: ScriptNode, library: Library, finder: ClassFinder = () => null) {
    this.script = script
    this.file = script.file
    this.library = library
    this.#finder = finder
    this.scriptInfo = new ClassInfo(this.scriptName, { parent: ScriptClass })
  }

  /** Name of the script's class, from its file name. */
  get scriptName(): string {
    const name = this.file.slice(this.file.lastIndexOf('/') + 1).replace(/\.\w+$/, '')
    return name.replace(/[^\p{L}\p{N}_]/gu, '_') || 'Script'
  }

  /** The number of the next anonymous class. */
  nextAnonymous(): number {
    this.#anonymous += 1
    return this.#anonymous
  }

  fail(reason: string, position: Position): GroovySyntaxError {
    return new GroovySyntaxError(reason, this.file, position)
  }

  /** Registers a class of this file. */
  declare(name: string, info: ClassInfo): void {
    this.#declared.set(name, info)
  }

  /** Resolves a type; throws if it does not exist. */
  classOfType(type: TypeNode): ClassInfo {
    const found = this.findType(type)
    if (found === null) throw this.fail(`unknown class ${type.name}`, type.position)
    return found
  }

  findType({ name, dimensions }: TypeNode): ClassInfo | null {
    let found = this.findClass(name)
    for (let left = dimensions; left > 0 && found !== null; left--) found = found.arrayClass
    return found
  }

  /** A class by the name that code of this file uses for it. */
  findClass(name: string): ClassInfo | null {
    let found = this.#resolved.get(name)
    if (found === undefined) {
      found = this.#find(name)
      this.#resolved.set(name, found)
    }
    return found
  }

  #find(name: string): ClassInfo | null {
    if (name.endsWith('[]')) return this.findClass(name.slice(0, -2))?.arrayClass ?? null
    if (Object.hasOwn(primitives, name)) return primitives[name as keyof typeof primitives]
    const declared = this.#declared.get(name)
    if (declared !== undefined) return declared
    const [first = '', ...rest] = name.split('.')
    if (rest.length > 0) return this.#findFull(name) ?? this.#findNested(first, rest)
    const found = this.#findImported(name) ?? this.#findInPackages(name) ?? this.library.findDefaultImport(name)
    return found ?? (this.script.typeParameters.has(name) ? ObjectClass : null)
  }

  #findFull(name: string): ClassInfo | null {
    return this.library.find(name) ?? this.#finder(name)
  }

  /** `Outer.Inner`, and `Map.Entry`. */
  #findNested(first: string, rest: readonly string[]): ClassInfo | null {
    const outer = this.findClass(first)
    if (outer === null) return null
    const name = [outer.name, ...rest].join('$')
    return this.#declared.get(name) ?? libraryClass(name) ?? this.#finder(name)
  }

  #findImported(name: string): ClassInfo | null {
    for (const each of this.script.imports) {
      if (each.star || each.isStatic) continue
      const simple = each.alias ?? each.name.slice(each.name.lastIndexOf('.') + 1)
      if (simple === name) return this.#findFull(each.name) ?? this.#findOuterOf(each.name)
    }
    return null
  }

  /** `import java.util.Map.Entry`. */
  #findOuterOf(name: string): ClassInfo | null {
    return this.#findFull(name.replace(/\.([^.]*)$/, '$$$1'))
  }

  #findInPackages(name: string): ClassInfo | null {
    const { packageName } = this.script
    if (packageName !== null) {
      const sibling = this.#finder(`${packageName}.${name}`)
      if (sibling !== null) return sibling
    }
    for (const each of this.script.imports) {
      if (!each.star || each.isStatic) continue
      const found = this.#findFull(`${each.name}.${name}`)
      if (found !== null) return found
    }
    return null
  }

  /** The static member that an `import static` binds to a name. */
  staticImport(name: string): StaticImport | null {
    for (const each of this.script.imports) {
      if (!each.isStatic) continue
      const klass = this.importedClass(each)
      if (klass === null) continue
      if (each.star) {
        if (klass.staticMethod(name) !== null || klass.staticProperty(name) !== null) return { klass, member: name }
      } else if ((each.alias ?? each.member) === name) return { klass, member: each.member as string }
    }
    return null
  }

  /** The class that an import names, or whose members it names. */
  importedClass({ name }: ImportNode): ClassInfo | null {
    return this.#declared.get(name) ?? this.#findFull(name) ?? this.#findOuterOf(name)
  }
}
