// Names that a script uses and does not declare. They may be variables of its host, which alone can tell these from mistakes.
import type { Unit } from '../compile/unit.ts'
import type { Expression, TypeNode } from '../syntax/ast.ts'
import type { Position } from '../syntax/syntax-error.ts'
import { walk } from '../syntax/walk.ts'
import { ClosureClass } from '../values/classes.ts'
import type { CheckScope } from './check-scope.ts'
import { nearest } from './suggestions.ts'

/** A variable or a function that a script uses and does not declare. */
export interface UnresolvedName {
  readonly name: string
  readonly kind: 'variable' | 'function'
  readonly line: number
  readonly column: number
  /**
   * Where the script has a local variable of this name that is not visible here: in its body, which the methods do not see, or in
   * another block, closure or method.
   */
  readonly hiddenIn: 'body' | 'block' | null
  /** The most similar of the names that the script declares and of those of its host. */
  similar(hostNames: Iterable<string>): string | null
}

/** Members by which a script adds names while it runs, or chooses where a closure looks for them. */
const DYNAMIC =
  /^(?:binding|delegate|rehydrate|dehydrate|resolveStrategy|[gs]et(?:Binding|Delegate|ResolveStrategy|Variable)|(?:property|method)Missing|invokeMethod)$/

/** The content of their closures is looked up in an object that is not known before the script runs. */
const DYNAMIC_CLASSES = /(?:^|\.)(?:Streaming)?JsonBuilder$/

/** Methods whose closure looks up names in their receiver first, or takes them for names of JSON members. */
export const DELEGATING: ReadonlySet<string> = new Set(['with', 'tap', 'identity', 'toJson'])

const CLOSURE_NAMES = new Set(['it', 'owner', 'thisObject', 'directive', 'parameterTypes', 'maximumNumberOfParameters'])

/** Collects the names of one script. */
export class UnresolvedNames {
  readonly #unit: Unit
  readonly #scope: CheckScope
  readonly #isDynamic: boolean
  readonly #methods: ReadonlySet<string>
  readonly #locals: { readonly body: ReadonlySet<string>; readonly all: ReadonlySet<string> }
  readonly #found: UnresolvedName[] = []
  /** In a method of the script. */
  isInMethod = false

  constructor(unit: Unit, scope: CheckScope) {
    this.#unit = unit
    this.#scope = scope
    this.#isDynamic = addsNames(unit)
    const { methods, statements } = unit.script
    this.#methods = new Set(methods.map(({ name }) => name))
    this.#locals = { body: localNames(statements), all: localNames([...methods, ...statements]) }
  }

  get all(): readonly UnresolvedName[] {
    return this.#found
  }

  addVariable(name: string, position: Position): void {
    if (/^\p{Lu}/u.test(name) || CLOSURE_NAMES.has(name)) return
    const capital = name.charAt(0).toUpperCase() + name.slice(1)
    const getters = [`get${capital}`, `is${capital}`]
    const { script, scriptInfo, userClasses } = this.#unit
    const isProperty =
      scriptInfo.property(name) !== null ||
      script.methods.some((method) => getters.includes(method.name)) ||
      userClasses.get(scriptInfo)?.fields.has(name) === true
    if (!isProperty) this.#add(name, 'variable', position)
  }

  addFunction(name: string, position: Position): void {
    const { script, scriptInfo } = this.#unit
    const isMethod =
      script.methods.some((method) => method.name === name) ||
      scriptInfo.method(name) !== null ||
      ClosureClass.method(name) !== null
    if (!isMethod) this.#add(name, 'function', position)
  }

  #add(name: string, kind: UnresolvedName['kind'], { line, column }: Position): void {
    if (this.#isDynamic || this.#scope.isVariable(name)) return
    if (this.#unit.findClass(name) !== null || this.#unit.staticImport(name) !== null) return
    const { body, all } = this.#locals
    const hiddenIn = this.isInMethod && body.has(name) ? 'body' : all.has(name) ? 'block' : null
    const similar = (hostNames: Iterable<string>): string | null =>
      nearest(name, [...this.#methods, ...all, ...hostNames])
    this.#found.push({ name, kind, line, column, hiddenIn, similar })
  }
}

function addsNames({ script }: Unit): boolean {
  let isDynamic = false
  walk(script, (part) => {
    const { name } = part as { readonly name?: unknown }
    if (typeof name === 'string' && DYNAMIC.test(name)) isDynamic = true
    if ('dimensions' in part && DYNAMIC_CLASSES.test((part as unknown as TypeNode).name)) isDynamic = true
    return !isDynamic
  })
  return isDynamic
}

/** Variables that parts of a script declare or assign. */
function localNames(parts: readonly object[]): ReadonlySet<string> {
  const names = new Set<string>()
  walk(parts, (part) => {
    const node = part as Expression | { readonly kind: 'declaration'; readonly variables: readonly { name: string }[] }
    if (node.kind === 'declaration') for (const { name } of node.variables) names.add(name)
    else if (node.kind === 'assign' && node.target.kind === 'variable') names.add(node.target.name)
    return undefined
  })
  return names
}
