import type { FunctionScope } from './scope.ts'
import type { FieldInfo, Unit, UserClass } from './unit.ts'

/** Enclosing constructs of code that is compiled. */
export interface Context {
  readonly unit: Unit
  readonly scope: FunctionScope
  /** The class whose member it is; null in the script itself. */
  readonly owner: UserClass | null
  /** In a static method `this` is the class. */
  readonly isStatic: boolean
  /** In an anonymous class: its members can use the enclosing scope. */
  readonly enclosing: Context | null
  /** In the initialiser of a constructor parameter or a script field. */
  readonly isConstructor: boolean
  /** In the condition of an `assert`: the recorder of the values of its parts, for the message. */
  readonly record: AssertionRecord | null
}

interface AssertionRecord {
  /** The slot of the frame that holds the values. */
  readonly slot: number
  /** The first column of the message. */
  readonly start: number
}

/** The context of code in another function. */
export function within(context: Context, scope: FunctionScope, changes: Partial<Context> = {}): Context {
  return { ...context, scope, record: null, ...changes }
}

/** A field of the enclosing class, or of its superclasses in the same file. */
export function fieldOf({ unit, owner }: Context, name: string): FieldInfo | null {
  for (const klass of (owner?.info ?? unit.scriptInfo).lineage) {
    const field = unit.userClasses.get(klass)?.fields.get(name)
    if (field !== undefined) return field
  }
  return null
}
