import { type ClassInfo, CollectionValue, MapEntry, MapValue, textOf, type Value } from '#groovy'
import { toGroovy, toHost } from './host-values.ts'

/** Store of the entries of a shared map. */
interface SharedStore {
  get(key: string): unknown
  set(key: string, value: unknown): void
  delete(key: string): void
  keys(): Iterable<string>
}

interface Held {
  readonly value: Value
  /** The stored value. */
  stored: unknown
  /** The stored value as text, to detect changes inside the script's value. */
  text: string
}

/**
 * `attributes` and `session`: the store has data, the script live objects. Changes inside a list or map are
 * written to the store before other code reads it.
 */
export class SharedMap extends MapValue {
  readonly klass: ClassInfo
  readonly #store: SharedStore
  readonly #held = new Map<string, Held>()

  constructor(klass: ClassInfo, store: SharedStore) {
    super()
    this.klass = klass
    this.#store = store
  }

  get size(): number {
    return [...this.#store.keys()].length
  }

  get(key: Value): Value | undefined {
    const name = textOf(key)
    const stored = this.#store.get(name)
    if (stored === undefined || stored === null) return undefined
    if (typeof stored !== 'object') return toGroovy(stored)
    const held = this.#held.get(name)
    if (held?.stored === stored) return held.value
    const value = toGroovy(stored)
    if (isContainer(value)) this.#held.set(name, { value, stored, text: JSON.stringify(stored) })
    return value
  }

  has(key: Value): boolean {
    return this.get(key) !== undefined
  }

  put(key: Value, value: Value): void {
    const name = textOf(key)
    this.modifications += 1
    if (value === null) this.delete(name)
    else this.#write(name, value)
  }

  delete(key: Value): void {
    const name = textOf(key)
    this.#held.delete(name)
    this.#store.delete(name)
    this.modifications += 1
  }

  clear(): void {
    for (const key of this.#store.keys()) this.delete(key)
  }

  entries(): readonly MapEntry[] {
    return [...this.#store.keys()].map((key) => new MapEntry(key, this.get(key) ?? null))
  }

  /** Writes changed lists and maps to the store. */
  publish(): void {
    for (const [name, held] of this.#held) {
      if (this.#store.get(name) !== held.stored) this.#held.delete(name)
      else if (JSON.stringify(toHost(held.value)) !== held.text) this.#write(name, held.value)
    }
  }

  #write(name: string, value: Value): void {
    const data = toHost(value)
    this.#store.set(name, data)
    this.#held.delete(name)
    if (isContainer(value)) {
      this.#held.set(name, { value, stored: this.#store.get(name), text: JSON.stringify(data) })
    }
  }
}

const isContainer = (value: Value): boolean => value instanceof MapValue || value instanceof CollectionValue
