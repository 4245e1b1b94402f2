import type { ClassInfo } from '../values/class-info.ts'
import type { Value } from '../values/value.ts'
import type { Context } from './context.ts'

/** The static fields of a class of a script. They are set up when one of them, or a static method, is used first. */
class StaticFields {
  readonly #values: Value[] = []
  #setUp: (() => void) | null = null

  /** Sets the initialiser. */
  prepare(setUp: () => void): void {
    this.#setUp = setUp
  }

  ensureReady(): void {
    const setUp = this.#setUp
    if (setUp === null) return
    this.#setUp = null
    setUp()
  }

  read(index: number): Value {
    this.ensureReady()
    return this.#values[index] ?? null
  }

  write(index: number, value: Value): void {
    this.ensureReady()
    this.#values[index] = value
  }
}

const byClass = new WeakMap<ClassInfo, StaticFields>()

export function staticFieldsOf(klass: ClassInfo): StaticFields {
  let fields = byClass.get(klass)
  if (fields === undefined) {
    fields = new StaticFields()
    byClass.set(klass, fields)
  }
  return fields
}

/** The static fields of the class that declares a name in scope. */
export function staticsOf({ unit, owner }: Context, name: string): StaticFields {
  for (const klass of (owner?.info ?? unit.scriptInfo).lineage) {
    if (unit.userClasses.get(klass)?.fields.get(name)?.isStatic === true) return staticFieldsOf(klass)
  }
  throw new TypeError(`no static field ${name}`)
}
