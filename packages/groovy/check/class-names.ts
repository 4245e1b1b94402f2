// Classes that a script names: imports, types, and names with a capital letter.
import type { Unit } from '../compile/unit.ts'
import { adviceFor } from '../registry/unsupported-classes.ts'
import type { ImportNode, TypeNode } from '../syntax/ast.ts'
import type { Position } from '../syntax/syntax-error.ts'
import { isAnnotation } from './annotations.ts'
import type { Findings } from './findings.ts'
import { nearest } from './suggestions.ts'

/** Reports unknown classes. */
export class ClassNames {
  readonly #unit: Unit
  readonly #findings: Findings
  /** Names already reported, at their import or their first use. */
  readonly #reported = new Set<string>()

  constructor(unit: Unit, findings: Findings) {
    this.#unit = unit
    this.#findings = findings
  }

  checkImport(node: ImportNode): void {
    const { name, star, isStatic, member, alias, position } = node
    const klass = this.#unit.importedClass(node)
    if (star && !isStatic) {
      const { library } = this.#unit
      const advice = library.hasPackage(name) ? null : adviceFor(`${name}.`, library.unsupported)
      if (advice !== null) this.#findings.add(position, `the package ${name} is not available: ${advice}`)
      return
    }
    if (klass === null && isAnnotation(name)) return
    if (klass === null) {
      this.#reported.add(alias ?? name.slice(name.lastIndexOf('.') + 1))
      if (member !== null) this.#reported.add(alias ?? member)
      this.report(name, position)
    } else if (member !== null && klass.staticMethod(member) === null && klass.staticProperty(member) === null) {
      const names = [...klass.lineage].flatMap((each) => [
        ...each.ownStatics.keys(),
        ...each.ownStaticProperties.keys(),
      ])
      this.#findings.add(position, `${klass.name} has no static member ${member}${didYouMean(member, names)}`)
    }
  }

  checkType(type: TypeNode): void {
    if (this.#unit.findType(type) === null) this.report(type.name, type.position)
  }

  /** Reports a name that was not reported before. */
  report(name: string, position: Position): void {
    const isImported = this.#reported.has(name)
    const isOwnImport = this.#unit.script.imports.some((each) => each.position === position)
    if (isImported && !isOwnImport) return
    this.#reported.add(name)
    const advice = adviceFor(name, this.#unit.library.unsupported)
    if (advice !== null) this.#findings.add(position, `${name} is not available: ${advice}`)
    else this.#findings.add(position, `unknown class ${name}${this.#packageAdvice(name) ?? this.#suggestion(name)}`)
  }

  /** A class may be one of an imported package that is not available. */
  #packageAdvice(name: string): string | null {
    if (name.includes('.')) return null
    for (const { star, isStatic, name: imported } of this.#unit.script.imports) {
      const advice = star && !isStatic ? adviceFor(`${imported}.${name}`, this.#unit.library.unsupported) : null
      if (advice !== null) return `; ${imported}.${name} is not available: ${advice}`
    }
    return null
  }

  /** Suggests a missing import or a similar name. */
  #suggestion(name: string): string {
    const simple = name.slice(name.lastIndexOf('.') + 1)
    const { library } = this.#unit
    const same = library.findSimple(simple)
    if (same !== null) return `; did you mean ${same.name.replaceAll('$', '.')}? It needs an import`
    return didYouMean(
      simple,
      Array.from(library.allClasses(), (klass) => klass.simpleName),
    )
  }
}

export function didYouMean(name: string, names: Iterable<string>): string {
  const found = nearest(name, names)
  return found === null ? '' : `; did you mean ${found}?`
}
