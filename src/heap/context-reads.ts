import type { Declaration } from './declaration.ts'

/** The contexts that an expression reads. */
interface ContextRead {
  /** Pointer of the expression. */
  readonly pointer: string
  readonly contexts: readonly string[]
}

/** The contexts that expressions of built objects read. */
export class ContextReads {
  readonly #byDeclaration = new Map<Declaration, ContextRead[]>()

  add(declaration: Declaration | undefined, pointer: string, contexts: readonly string[]): void {
    if (declaration === undefined) return
    const known = this.#byDeclaration.get(declaration)
    if (known === undefined) this.#byDeclaration.set(declaration, [{ pointer, contexts }])
    else known.push({ pointer, contexts })
  }

  of(declaration: Declaration): readonly ContextRead[] {
    return this.#byDeclaration.get(declaration) ?? []
  }
}
