// keySet, values and entrySet: live views, whose removals change the map.
import type { ClassInfo } from '../../values/class-info.ts'
import { EntrySetClass, KeySetClass, ValuesClass } from '../../values/classes.ts'
import { CollectionValue, equality, MapEntry, type MapValue, SetValue } from '../../values/collection.ts'
import { unsupported } from '../../values/exceptions.ts'
import type { Value } from '../../values/value.ts'

export class KeySet extends SetValue {
  readonly #map: MapValue

  constructor(map: MapValue) {
    super()
    this.#map = map
  }

  get klass(): ClassInfo {
    return KeySetClass
  }

  get size(): number {
    return this.#map.size
  }

  get items(): readonly Value[] {
    return this.#map.entries().map(({ key }) => key)
  }

  has(value: Value): boolean {
    return this.#map.has(value)
  }

  add(): boolean {
    throw unsupported()
  }

  delete(value: Value): boolean {
    if (!this.#map.has(value)) return false
    this.#map.delete(value)
    this.modifications += 1
    return true
  }

  clear(): void {
    this.#map.clear()
    this.modifications += 1
  }
}

export class EntrySet extends SetValue {
  readonly #map: MapValue

  constructor(map: MapValue) {
    super()
    this.#map = map
  }

  get klass(): ClassInfo {
    return EntrySetClass
  }

  get size(): number {
    return this.#map.size
  }

  get items(): readonly Value[] {
    return this.#map.entries()
  }

  has(value: Value): boolean {
    if (!(value instanceof MapEntry)) return false
    const found = this.#map.get(value.key)
    return found !== undefined && equality.equals(found, value.value)
  }

  /** Only entries of this map can be put back, after `clear`. */
  add(value: Value): boolean {
    if (!(value instanceof MapEntry)) throw unsupported()
    this.#map.put(value.key, value.value)
    return true
  }

  delete(value: Value): boolean {
    if (!this.has(value)) return false
    this.#map.delete((value as MapEntry).key)
    this.modifications += 1
    return true
  }

  clear(): void {
    this.#map.clear()
    this.modifications += 1
  }
}

export class MapValues extends CollectionValue {
  readonly #map: MapValue

  constructor(map: MapValue) {
    super()
    this.#map = map
  }

  get klass(): ClassInfo {
    return ValuesClass
  }

  get size(): number {
    return this.#map.size
  }

  get items(): readonly Value[] {
    return this.#map.entries().map(({ value }) => value)
  }

  has(value: Value): boolean {
    return this.items.some((each) => equality.equals(each, value))
  }

  add(): boolean {
    throw unsupported()
  }

  delete(value: Value): boolean {
    const found = this.#map.entries().find((entry) => equality.equals(entry.value, value))
    if (found === undefined) return false
    this.#map.delete(found.key)
    this.modifications += 1
    return true
  }

  clear(): void {
    this.#map.clear()
    this.modifications += 1
  }
}
