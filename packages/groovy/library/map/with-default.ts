import { settled } from '../../runtime/pending.ts'
import type { ClassInfo } from '../../values/class-info.ts'
import { MapWithDefaultClass } from '../../values/classes.ts'
import type { ClosureValue } from '../../values/closure.ts'
import { type MapEntry, MapValue } from '../../values/collection.ts'
import type { Value } from '../../values/value.ts'
import { call } from '../closure/closure-calls.ts'

/** A map that computes the values of missing keys: `[:].withDefault { ... }`. */
export class MapWithDefault extends MapValue {
  readonly #inner: MapValue
  readonly #make: ClosureValue

  constructor(inner: MapValue, make: ClosureValue) {
    super()
    this.#inner = inner
    this.#make = make
  }

  get klass(): ClassInfo {
    return MapWithDefaultClass
  }

  get size(): number {
    return this.#inner.size
  }

  get(key: Value): Value {
    const known = this.#inner.get(key)
    if (known !== undefined) return known
    const made = settled(call(this.#make, key), 'the default value of a map')
    this.put(key, made)
    return made
  }

  has(key: Value): boolean {
    return this.#inner.has(key)
  }

  put(key: Value, value: Value): void {
    this.#inner.put(key, value)
    this.modifications += 1
  }

  delete(key: Value): void {
    this.#inner.delete(key)
    this.modifications += 1
  }

  clear(): void {
    this.#inner.clear()
    this.modifications += 1
  }

  entries(): readonly MapEntry[] {
    return this.#inner.entries()
  }
}
