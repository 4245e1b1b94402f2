// The variables that a script shares with its host and its own methods.
import { checkSize } from '../meter.ts'
import type { ClassInfo } from './class-info.ts'
import { BindingClass, LinkedHashMapClass } from './classes.ts'
import { MapEntry, MapValue } from './collection.ts'
import { textOf } from './text.ts'
import { GroovyObject, Instance, type Value } from './value.ts'

/** Creates the value of a variable on first read; undefined if missing. */
type VariableSource = (name: string) => Value | undefined

export class BindingValue extends GroovyObject {
  readonly #variables = new Map<string, Value>()
  readonly #source: VariableSource | null

  constructor(source: VariableSource | null = null) {
    super()
    this.#source = source
  }

  get klass(): ClassInfo {
    return BindingClass
  }

  /** The value of a variable; undefined if missing. */
  get(name: string): Value | undefined {
    const known = this.#variables.get(name)
    if (known !== undefined || this.#source === null) return known
    const made = this.#source(name)
    if (made !== undefined) this.#variables.set(name, made)
    return made
  }

  set(name: string, value: Value): void {
    checkSize(this.#variables.size + 1)
    this.#variables.set(name, value)
  }

  delete(name: string): void {
    this.#variables.delete(name)
  }

  /** Names of the variables that were set or read. */
  names(): string[] {
    return [...this.#variables.keys()]
  }
}

/** `binding.variables`. */
export class BindingMap extends MapValue {
  readonly #binding: BindingValue

  constructor(binding: BindingValue) {
    super()
    this.#binding = binding
  }

  get klass(): ClassInfo {
    return LinkedHashMapClass
  }

  get size(): number {
    return this.#binding.names().length
  }

  get(key: Value): Value | undefined {
    return this.#binding.get(textOf(key))
  }

  has(key: Value): boolean {
    return this.get(key) !== undefined
  }

  put(key: Value, value: Value): void {
    this.#binding.set(textOf(key), value)
    this.modifications += 1
  }

  delete(key: Value): void {
    this.#binding.delete(textOf(key))
    this.modifications += 1
  }

  clear(): void {
    for (const name of this.#binding.names()) this.#binding.delete(name)
    this.modifications += 1
  }

  entries(): readonly MapEntry[] {
    return this.#binding.names().map((name) => new MapEntry(name, this.#binding.get(name) as Value))
  }
}

/** `this` of a script. */
export class ScriptObject extends Instance {
  readonly binding: BindingValue

  constructor(klass: ClassInfo, binding: BindingValue) {
    super(klass)
    this.binding = binding
  }
}
