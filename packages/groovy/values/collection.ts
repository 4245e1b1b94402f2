// Lists, sets and maps. Methods of the library use only the abstract classes, so that a host can add its own collection
// classes.
import { allocateCollection, allocateGrowth, checkSize, spend, tick } from '../meter.ts'
import type { ClassInfo } from './class-info.ts'
import { ArrayListClass, MapEntryClass, UnmodifiableListClass } from './classes.ts'
import { ConcurrentModificationException, unsupported } from './exceptions.ts'
import { throwable } from './throwable.ts'
import { GroovyObject, type Value } from './value.ts'

/** An iterable with a size. */
export abstract class CollectionValue extends GroovyObject {
  abstract readonly size: number
  /** All elements; for reading only, and only until the collection changes. */
  abstract readonly items: readonly Value[]
  /** Counts structural modifications, so that concurrent modification is detected. */
  modifications = 0

  override get weight(): number {
    return this.size
  }

  abstract add(value: Value): boolean
  abstract has(value: Value): boolean
  abstract delete(value: Value): boolean
  abstract clear(): void
}

/** Throws ConcurrentModificationException where a collection changes during iteration. */
export function checkUnchanged(collection: CollectionValue | MapValue, expected: number): void {
  if (collection.modifications !== expected) throw throwable(ConcurrentModificationException, null)
}

/** A List. `items` is its own array, to be changed only through `writable`. */
export class ListValue extends CollectionValue {
  readonly klass: ClassInfo
  protected elements: Value[]
  readonly frozen: boolean

  constructor(elements: Value[] = [], klass: ClassInfo = ArrayListClass) {
    super()
    this.elements = elements
    this.klass = klass
    this.frozen = klass === UnmodifiableListClass
    checkSize(elements.length)
    allocateCollection(elements.length)
  }

  get items(): readonly Value[] {
    return this.elements
  }

  get size(): number {
    return this.elements.length
  }

  /** A range costs nothing until its elements are created. */
  override get weight(): number {
    return this.elements.length
  }

  /** The array, for a modification that adds `growth` elements. */
  writable(growth = 0): Value[] {
    if (this.frozen) throw unsupported()
    if (growth > 0) {
      checkSize(this.elements.length + growth)
      allocateGrowth(growth)
    }
    this.modifications += 1
    return this.elements
  }

  /** Replaces one element, which is not a structural modification. */
  set(index: number, value: Value): void {
    if (this.frozen) throw unsupported()
    this.elements[index] = value
  }

  replaceAll(elements: Value[]): void {
    if (this.frozen) throw unsupported()
    checkSize(elements.length)
    this.modifications += 1
    this.elements = elements
  }

  add(value: Value): boolean {
    tick()
    this.writable(1).push(value)
    return true
  }

  has(value: Value): boolean {
    spend(this.size)
    return this.items.some((each) => equality.equals(each, value))
  }

  delete(value: Value): boolean {
    spend(this.size)
    const index = this.items.findIndex((each) => equality.equals(each, value))
    if (index >= 0) this.writable().splice(index, 1)
    return index >= 0
  }

  clear(): void {
    this.writable().length = 0
  }
}

/** The equality of elements; set by `equality.ts`, which needs the classes of this file. */
export const equality: { equals(left: Value, right: Value): boolean } = { equals: Object.is }

export abstract class SetValue extends CollectionValue {}

/** A Map. */
export abstract class MapValue extends GroovyObject {
  abstract readonly size: number
  modifications = 0

  override get weight(): number {
    return this.size
  }

  abstract get(key: Value): Value | undefined
  abstract has(key: Value): boolean
  abstract put(key: Value, value: Value): void
  abstract delete(key: Value): void
  abstract clear(): void
  /** All entries in order; for reading, and only until the map changes. */
  abstract entries(): readonly MapEntry[]
}

/** A pair of a Map; changing its value changes the map. */
export class MapEntry extends GroovyObject {
  readonly key: Value
  value: Value

  constructor(key: Value, value: Value) {
    super()
    this.key = key
    this.value = value
  }

  get klass(): ClassInfo {
    return MapEntryClass
  }
}
