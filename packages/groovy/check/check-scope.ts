import { pathOf } from '../compile/members.ts'
import type { Unit, UserClass } from '../compile/unit.ts'
import type { Expression, VariableNode } from '../syntax/ast.ts'
import type { ClassInfo } from '../values/class-info.ts'
import { MemberIndex, type StaticType } from './members.ts'

/** The names in scope at a position of a script, with the static types of their values. */
export class CheckScope {
  readonly unit: Unit
  readonly members: MemberIndex
  /** Types of the host's variables, where declared. */
  readonly #bindings: ReadonlyMap<string, ClassInfo>
  /** Names that are assigned anywhere: their values may be of any class. */
  readonly #assigned: ReadonlySet<string>
  readonly #blocks: Map<string, StaticType | null>[] = [new Map()]
  /** The class whose member is checked. */
  owner: UserClass | null = null
  /** In a static method `this` is the class. */
  isStatic = false

  constructor(unit: Unit, bindings: ReadonlyMap<string, ClassInfo>, assigned: ReadonlySet<string>) {
    this.unit = unit
    this.members = new MemberIndex(unit)
    this.#bindings = bindings
    this.#assigned = assigned
  }

  inBlock(run: () => void): void {
    this.#blocks.push(new Map())
    run()
    this.#blocks.pop()
  }

  declare(name: string, type: StaticType | null, isTyped: boolean): void {
    const known = isTyped || !this.#assigned.has(name) ? type : null
    ;(this.#blocks.at(-1) as Map<string, StaticType | null>).set(name, known)
  }

  isLocal(name: string): boolean {
    return this.#blocks.some((block) => block.has(name))
  }

  /** Whether a variable is one of the host: neither local, nor assigned, nor a field or a class. */
  isBinding({ name }: VariableNode): boolean {
    if (this.isLocal(name) || this.#assigned.has(name) || this.owner?.fields.has(name) === true) return false
    return this.unit.findClass(name) === null
  }

  /** Whether a name may be a variable of the binding. */
  isVariable(name: string): boolean {
    return this.isLocal(name) || this.#assigned.has(name) || this.#bindings.has(name)
  }

  variableType({ name }: VariableNode): StaticType | null {
    for (let index = this.#blocks.length - 1; index >= 0; index--) {
      const known = this.#blocks[index]?.get(name)
      if (known !== undefined) return known
    }
    if (this.owner?.fields.has(name) === true) return this.#fieldType(name)
    const klass = this.unit.findClass(name)
    if (klass !== null) return { klass, exact: true, isClass: true }
    const bound = this.#assigned.has(name) ? undefined : this.#bindings.get(name)
    return bound === undefined ? null : { klass: bound, exact: false, isClass: false }
  }

  #fieldType(name: string): StaticType | null {
    const type = this.owner?.fields.get(name)?.type ?? null
    return type === null ? null : { klass: type, exact: false, isClass: false }
  }

  thisType(): StaticType | null {
    if (this.owner === null || this.owner.node.name === '') return null
    return { klass: this.owner.info, exact: false, isClass: this.isStatic }
  }

  /** The class that `a.b.C` names. */
  classNamed(expression: Expression): ClassInfo | null {
    const path = pathOf(expression)
    if (path === null) return null
    const named = path.endsWith('.class') ? path.slice(0, -'.class'.length) : path
    const [first = ''] = named.split('.')
    if (this.isLocal(first) || !/(?:^|\.)\p{Lu}[^.]*$/u.test(named)) return null
    return this.unit.findClass(named)
  }
}
