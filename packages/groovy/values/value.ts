import { allocateObject } from '../meter.ts'
import type { ClassInfo } from './class-info.ts'

/**
 * A value of a script. JavaScript types represent the Java types that scripts use most: a number is an Integer (always
 * a whole number of 32 bits), a bigint a Long, a string a String, a boolean a Boolean. All others are GroovyObjects, so that
 * no property of a JavaScript object is ever looked up by a name of a script.
 */
export type Value = null | boolean | number | bigint | string | GroovyObject

/** A value with a Groovy class. */
export abstract class GroovyObject {
  abstract readonly klass: ClassInfo

  constructor() {
    allocateObject()
  }

  /** Objects of one class with the same identity text are equal; null: by the class's `equals`. */
  equalityKey(): string | null {
    return null
  }

  /** Characters, bytes or elements that a method may go through: what its calls cost. */
  get weight(): number {
    return 0
  }

  /** The property that `object.@name` reads, for objects without fields. */
  fieldProperty(name: string): string {
    return name
  }
}

/** An instance of a class of a script: its fields are in the order of the class. */
export class Instance extends GroovyObject {
  readonly klass: ClassInfo
  readonly fields: Value[] = []
  /** Variables of the enclosing scope that an anonymous class captures. */
  captured: readonly Reference[] | null = null

  constructor(klass: ClassInfo) {
    super()
    this.klass = klass
  }
}

/** A captured variable, shared by a closure and its enclosing scope. */
export class Reference {
  value: Value

  constructor(value: Value) {
    this.value = value
  }
}
