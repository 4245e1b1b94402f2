import type { FunctionScope } from './scope.ts'
import type { FieldInfo, Unit, UserClass } from './unit.ts'

/** Where a piece of code stands. */
export interface Context {
  readonly unit: Unit
  readonly scope: FunctionScope
  /** The class whose member it is; null in the script itself. */
  readonly owner: UserClass | null
  /** In a static method `this` is the class. */
  readonly isStatic: boolean
  /** In an anonymous class: its members can use what is around it. */
  readonly enclosing: Context | null
  /** Where a parameter of a constructor or a field of the script is set. */
  readonly isConstructor: boolean
  /** In the condition of an `assert`: where the values of its parts are kept, which its message shows. */
  readonly record: AssertionRecord | null
}

interface AssertionRecord {
  /** The slot of the frame that holds the values. */
  readonly slot: number
  /** The column where the message begins. */
  readonly start: number
}

/** The context of code in another function. */
export function within(context: Context, scope: FunctionScope, changes: Partial<Context> = {}): Context {
  return { ...context, scope, record: null, ...changes }
}

/** A field of the class around, or of one above it in the same file. */
export function fieldOf({ unit, owner }: Context, name: string): FieldInfo | null {
  for (const klass of (owner?.info ?? unit.scriptInfo).lineage) {
    const field = unit.userClasses.get(klass)?.fields.get(name)
    if (field !== undefined) return field
  }
  return null
}
