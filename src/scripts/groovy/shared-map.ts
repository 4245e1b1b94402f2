import {
  type ClassInfo,
  CollectionValue,
  GroovyObject,
  GStringValue,
  MapEntry,
  MapValue,
  textOf,
  type Value,
} from '@identity-gateway/groovy'
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
  readonly stored: unknown
  /** The stored value as text, to detect changes inside the script's value. */
  readonly text: string
}

/** The values of a shared map, for the scripts that follow in the same request. */
export type HeldValues = Map<string, Held>

/**
 * `attributes`, `session` and the entries of the access event: the store has data, the script live objects. Changes inside a list
 * or map are written to the store before other code reads it.
 */
export class SharedMap extends MapValue {
  readonly klass: ClassInfo
  readonly #store: SharedStore
  readonly #held: HeldValues
  /** Values of earlier scripts that are still stored. */
  readonly #current = new Set<Held>()

  /** `held`: values that earlier scripts of the request have stored. */
  constructor(klass: ClassInfo, store: SharedStore, held: HeldValues = new Map()) {
    super()
    this.klass = klass
    this.#store = store
    this.#held = held
  }

  get size(): number {
    return [...this.#store.keys()].length
  }

  get(key: Value): Value | undefined {
    const name = textOf(key)
    const stored = this.#store.get(name)
    if (stored === undefined || stored === null) return undefined
    const held = this.#held.get(name)
    if (held !== undefined && this.#isCurrent(held, stored)) return held.value
    if (typeof stored !== 'object') return toGroovy(stored)
    const value = toGroovy(stored)
    if (isContainer(value)) this.#hold(name, value, stored, JSON.stringify(stored))
    return value
  }

  /** Whether the value of a script is still the stored one: filters may have changed that. */
  #isCurrent(held: Held, stored: unknown): boolean {
    if (held.stored !== stored) return false
    if (!this.#current.has(held)) {
      if (JSON.stringify(stored) !== held.text) return false
      this.#current.add(held)
    }
    return true
  }

  #hold(name: string, value: Value, stored: unknown, text: string): void {
    const held = { value, stored, text }
    this.#held.set(name, held)
    this.#current.add(held)
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
      if (!this.#current.has(held)) continue
      if (this.#store.get(name) !== held.stored) this.#held.delete(name)
      else if (JSON.stringify(toHost(held.value)) !== held.text) this.#write(name, held.value)
    }
  }

  #write(name: string, value: Value): void {
    const data = toHost(value)
    this.#store.set(name, data)
    this.#held.delete(name)
    if (isHeld(value)) this.#hold(name, value, this.#store.get(name), JSON.stringify(data))
  }
}

/** Lists and maps are live, and objects such as tokens are more than their data. */
const isHeld = (value: Value): boolean => value instanceof GroovyObject && !(value instanceof GStringValue)

const isContainer = (value: Value): boolean => value instanceof MapValue || value instanceof CollectionValue
