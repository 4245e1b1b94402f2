// Hash maps and sets, and sorted ones, which sort on read.
import { allocateGrowth, checkSize, tick } from '../meter.ts'
import type { ClassInfo } from './class-info.ts'
import {
  HashMapClass,
  HashSetClass,
  LinkedHashMapClass,
  LinkedHashSetClass,
  TreeMapClass,
  TreeSetClass,
  UnmodifiableMapClass,
  UnmodifiableSetClass,
} from './classes.ts'
import { equality, MapEntry, MapValue, SetValue } from './collection.ts'
import { unsupported } from './exceptions.ts'
import { CustomKey, hashOf, keyOf } from './hash.ts'
import type { Value } from './value.ts'

/** Compares two keys of a sorted collection. */
export type Comparison = (left: Value, right: Value) => number

/** The natural order for sorted collections without a comparator; set by `compare.ts`. */
export const naturalOrder: { compare: Comparison } = { compare: () => 0 }

/** What an entry takes, as elements of a list. */
const ENTRY = 2

/** Entries by key, in insertion order. */
class HashTable {
  readonly entries = new Map<unknown, MapEntry>()
  /** Number of entries of each hash, for keys whose class defines `equals`. */
  #probes: Map<string, number> | null = null
  readonly #comparison: Comparison | null
  /** The maximum number of entries so far, which determines the iteration order of a HashMap. */
  peak = 0

  constructor(comparison: Comparison | null) {
    this.#comparison = comparison
  }

  /** The key in the JavaScript Map. */
  mapKey(key: Value): unknown {
    if (this.#comparison !== null) return this.#sortedKey(key, this.#comparison)
    const plain = keyOf(key)
    return plain instanceof CustomKey ? this.#customKey(plain.hash, key) : plain
  }

  put(key: Value, value: Value): boolean {
    const mapKey = this.mapKey(key)
    const found = this.entries.get(mapKey)
    if (found !== undefined) {
      found.value = value
      return false
    }
    tick()
    checkSize(this.entries.size + 1)
    allocateGrowth(ENTRY)
    this.entries.set(mapKey, new MapEntry(key, value))
    if (this.entries.size > this.peak) this.peak = this.entries.size
    return true
  }

  #customKey(hash: string, key: Value): unknown {
    this.#probes ??= new Map()
    const count = this.#probes.get(hash) ?? 0
    let free = -1
    for (let probe = 0; probe < count; probe++) {
      const entry = this.entries.get(`${hash}#${probe}`)
      if (entry === undefined) free = probe
      else if (equality.equals(entry.key, key)) return `${hash}#${probe}`
    }
    if (free < 0) {
      free = count
      this.#probes.set(hash, count + 1)
    }
    return `${hash}#${free}`
  }

  /** In a sorted collection, keys are equal if their comparison returns 0. */
  #sortedKey(key: Value, comparison: Comparison): unknown {
    const plain = keyOf(key)
    if (this.entries.has(plain)) return plain
    // As in Java, the first key is compared with itself, so that a key that is not comparable is rejected.
    if (this.entries.size === 0) comparison(key, key)
    for (const [mapKey, entry] of this.entries) {
      tick()
      if (comparison(entry.key, key) === 0) return mapKey
    }
    return plain
  }
}

/** The number of buckets in Java for a capacity. */
function tableSize(capacity: number): number {
  if (capacity === 16) return 16
  return 2 ** Math.ceil(Math.log2(Math.max(Math.floor(capacity), 1)))
}

/** Iteration order: by insertion, by hash as in Java's HashMap, or sorted. */
type Order = 'insertion' | 'hash' | 'sorted'

function orderOf(klass: ClassInfo): Order {
  if (klass === TreeMapClass || klass === TreeSetClass) return 'sorted'
  return klass === HashMapClass || klass === HashSetClass ? 'hash' : 'insertion'
}

function ordered(table: HashTable, order: Order, comparison: Comparison | null, capacity: number): MapEntry[] {
  const entries = [...table.entries.values()]
  if (order === 'insertion') return entries
  if (order === 'sorted') return entries.sort((left, right) => (comparison as Comparison)(left.key, right.key))
  let buckets = capacity
  while (table.peak > buckets * 0.75) buckets *= 2
  const bucket = ({ key }: MapEntry): number => {
    const hash = hashOf(key)
    return (hash ^ (hash >>> 16)) & (buckets - 1)
  }
  return entries
    .map((entry) => [bucket(entry), entry] as const)
    .sort(([a], [b]) => a - b)
    .map(([, entry]) => entry)
}

/** HashMap, LinkedHashMap, TreeMap, and unmodifiable maps. */
export class HashMapValue extends MapValue {
  readonly klass: ClassInfo
  readonly comparison: Comparison | null
  readonly #table: HashTable
  readonly #order: Order
  readonly #capacity: number
  #frozen = false
  #read: MapEntry[] | null = null

  /** `capacity`: initial capacity of a HashMap, which determines its iteration order. */
  constructor(klass: ClassInfo = LinkedHashMapClass, comparison: Comparison | null = null, capacity = 16) {
    super()
    this.#capacity = tableSize(capacity)
    this.klass = klass
    this.#order = orderOf(klass)
    this.comparison = this.#order === 'sorted' ? (comparison ?? naturalOrder.compare) : null
    this.#table = new HashTable(this.comparison)
  }

  static of(pairs: Iterable<readonly [Value, Value]>): HashMapValue {
    const made = new HashMapValue()
    for (const [key, value] of pairs) made.put(key, value)
    return made
  }

  /** An immutable copy of a map. */
  static frozen(source: MapValue): HashMapValue {
    const made = new HashMapValue(UnmodifiableMapClass)
    for (const { key, value } of source.entries()) made.put(key, value)
    made.#frozen = true
    return made
  }

  get size(): number {
    return this.#table.entries.size
  }

  get(key: Value): Value | undefined {
    return this.#table.entries.get(this.#table.mapKey(key))?.value
  }

  has(key: Value): boolean {
    return this.#table.entries.has(this.#table.mapKey(key))
  }

  put(key: Value, value: Value): void {
    if (this.#frozen) throw unsupported()
    if (this.#table.put(key, value)) this.#changed()
  }

  delete(key: Value): void {
    if (this.#frozen) throw unsupported()
    if (this.#table.entries.delete(this.#table.mapKey(key))) this.#changed()
  }

  clear(): void {
    if (this.#frozen) throw unsupported()
    this.#table.entries.clear()
    this.#changed()
  }

  entries(): readonly MapEntry[] {
    this.#read ??= ordered(this.#table, this.#order, this.comparison, this.#capacity)
    return this.#read
  }

  #changed(): void {
    this.modifications += 1
    this.#read = null
  }
}

/** HashSet, LinkedHashSet, TreeSet, and unmodifiable sets. */
export class HashSetValue extends SetValue {
  readonly klass: ClassInfo
  readonly comparison: Comparison | null
  readonly #table: HashTable
  readonly #order: Order
  readonly #capacity: number
  #frozen = false
  #read: Value[] | null = null

  /** `capacity`: initial capacity of a HashSet, which determines its iteration order. */
  constructor(klass: ClassInfo = LinkedHashSetClass, comparison: Comparison | null = null, capacity = 16) {
    super()
    this.klass = klass
    this.#order = orderOf(klass)
    this.comparison = this.#order === 'sorted' ? (comparison ?? naturalOrder.compare) : null
    this.#table = new HashTable(this.comparison)
    this.#capacity = tableSize(capacity)
  }

  static of(items: Iterable<Value>, klass: ClassInfo = LinkedHashSetClass): HashSetValue {
    const made = new HashSetValue(klass)
    for (const each of items) made.add(each)
    return made
  }

  static frozen(items: Iterable<Value>): HashSetValue {
    const made = HashSetValue.of(items, UnmodifiableSetClass)
    made.#frozen = true
    return made
  }

  get size(): number {
    return this.#table.entries.size
  }

  get items(): readonly Value[] {
    this.#read ??= ordered(this.#table, this.#order, this.comparison, this.#capacity).map(({ key }) => key)
    return this.#read
  }

  has(value: Value): boolean {
    return this.#table.entries.has(this.#table.mapKey(value))
  }

  add(value: Value): boolean {
    if (this.#frozen) throw unsupported()
    const added = this.#table.put(value, true)
    if (added) this.#changed()
    return added
  }

  delete(value: Value): boolean {
    if (this.#frozen) throw unsupported()
    const deleted = this.#table.entries.delete(this.#table.mapKey(value))
    if (deleted) this.#changed()
    return deleted
  }

  clear(): void {
    if (this.#frozen) throw unsupported()
    this.#table.entries.clear()
    this.#changed()
  }

  #changed(): void {
    this.modifications += 1
    this.#read = null
  }
}
