// Slots of the variables of a function, assigned at compile time.

import { walk } from '../syntax/walk.ts'
import type { ClassInfo } from '../values/class-info.ts'
import { FIRST_SLOT, type Frame } from './frame.ts'

/** A variable in the scope of one function. */
export interface LocalVariable {
  readonly name: string
  readonly slot: number
  /** Stored in a Reference, since a closure captures it. */
  readonly shared: boolean
  /** Assigned values are converted to this class; null for `def`. */
  readonly type: ClassInfo | null
  readonly isFinal: boolean
}

/** A variable that a closure captures from its enclosing function. */
interface Capture {
  readonly outerSlot: number
  readonly innerSlot: number
}

/** The variables of one method, closure, or of the script's own code. */
export class FunctionScope {
  readonly kind: 'body' | 'closure'
  readonly captures: Capture[] = []
  readonly #parent: FunctionScope | null
  readonly #sharedNames: ReadonlySet<string>
  readonly #blocks: Map<string, LocalVariable>[] = [new Map()]
  readonly #captured = new Map<string, LocalVariable>()
  #slots = FIRST_SLOT
  #template: Frame = []
  /** Labels of the enclosing statements, for messages. */
  readonly labels: string[] = []
  loopDepth = 0
  breakDepth = 0

  constructor(kind: FunctionScope['kind'], parent: FunctionScope | null, code: object) {
    this.kind = kind
    this.#parent = parent
    this.#sharedNames = namesInClosures(code)
  }

  /** A new frame for a call, all slots null; called after the function is compiled. */
  newFrame(): Frame {
    // Copying an array is faster than filling one.
    if (this.#template.length !== this.#slots) this.#template = new Array(this.#slots).fill(null)
    return this.#template.slice()
  }

  newSlot(): number {
    this.#slots += 1
    return this.#slots - 1
  }

  openBlock(): void {
    this.#blocks.push(new Map())
  }

  closeBlock(): void {
    this.#blocks.pop()
  }

  /** Compiles in a nested block. */
  inBlock<Result>(compile: () => Result): Result {
    this.openBlock()
    const result = compile()
    this.closeBlock()
    return result
  }

  declare(name: string, type: ClassInfo | null, isFinal = false): LocalVariable {
    const shared = this.#sharedNames.has(name)
    const variable = { name, slot: this.newSlot(), shared, type, isFinal }
    ;(this.#blocks.at(-1) as Map<string, LocalVariable>).set(name, variable)
    return variable
  }

  /** Whether the name is declared in this function or, for a closure, in an enclosing one. */
  isDeclared(name: string): boolean {
    if (this.#blocks.some((block) => block.has(name))) return true
    // Each closure without parameters has its own `it`.
    return name !== 'it' && this.kind === 'closure' && this.#parent?.isDeclared(name) === true
  }

  /** A variable of this function, or of an enclosing one. */
  find(name: string): LocalVariable | null {
    for (let index = this.#blocks.length - 1; index >= 0; index--) {
      const own = this.#blocks[index]?.get(name)
      if (own !== undefined) return own
    }
    return this.#captured.get(name) ?? this.#capture(name)
  }

  #capture(name: string): LocalVariable | null {
    const outer = this.#parent?.find(name) ?? null
    if (outer === null) return null
    const inner = { ...outer, slot: this.newSlot(), shared: true }
    this.captures.push({ outerSlot: outer.slot, innerSlot: inner.slot })
    this.#captured.set(name, inner)
    return inner
  }
}

/**
 * Names used by closures and anonymous classes within a piece of code. Variables with such a name are stored in a Reference; a
 * false match costs little and does not change behaviour.
 */
function namesInClosures(code: object): ReadonlySet<string> {
  const names = new Set<string>()
  walk(code, (part) => {
    if (part === code || (part.kind !== 'closure' && part.kind !== 'class')) return undefined
    addNames(part, names)
    return false
  })
  return names
}

function addNames(code: object, names: Set<string>): void {
  walk(code, (part) => {
    if (part.kind === 'variable' || part.kind === 'call') {
      const { name } = part as { name?: unknown }
      if (typeof name === 'string') names.add(name)
    }
    return undefined
  })
}
