// Methods of sorted maps by the order of their keys. Maps that they return are copies, not views.

import { checkCopy } from '../../meter.ts'
import { extend } from '../../registry/extend.ts'
import { SortedMapInterface, TreeMapClass } from '../../values/classes.ts'
import type { MapEntry } from '../../values/collection.ts'
import { type Comparison, HashMapValue } from '../../values/hash-map.ts'
import type { Value } from '../../values/value.ts'
import { KeySet } from './views.ts'

/** Every sorted map is a TreeMap, which has a comparison. */
const comparisonOf = (map: HashMapValue) => map.comparison as Comparison

function treeMap(entries: readonly MapEntry[], comparison: Comparison): HashMapValue {
  checkCopy(entries.length)
  const made = new HashMapValue(TreeMapClass, comparison)
  for (const { key, value } of entries) made.put(key, value)
  return made
}

function descending(map: HashMapValue): HashMapValue {
  const compare = comparisonOf(map)
  return treeMap(map.entries(), (left, right) => compare(right, left))
}

/** The entries whose keys compare with `bound` as `isPart` requires. */
function part(map: HashMapValue, bound: Value, isPart: (order: number) => boolean): MapEntry[] {
  const compare = comparisonOf(map)
  return map.entries().filter(({ key }) => isPart(compare(key, bound)))
}

function poll(map: HashMapValue, at: 0 | -1): MapEntry | null {
  const entry = map.entries().at(at) ?? null
  if (entry !== null) map.delete(entry.key)
  return entry
}

type Find = (map: HashMapValue, key: Value) => MapEntry | null
const floor: Find = (map, key) => part(map, key, (order) => order <= 0).at(-1) ?? null
const lower: Find = (map, key) => part(map, key, (order) => order < 0).at(-1) ?? null
const ceiling: Find = (map, key) => part(map, key, (order) => order >= 0)[0] ?? null
const higher: Find = (map, key) => part(map, key, (order) => order > 0)[0] ?? null
const keyOf =
  (find: Find) =>
  (map: HashMapValue, key: Value): Value =>
    find(map, key)?.key ?? null

extend(SortedMapInterface, {
  'descendingMap(): SortedMap': descending,
  'descendingKeySet(): Set': (self: HashMapValue) => new KeySet(descending(self)),
  'floorEntry(Object key): Map.Entry': floor,
  'floorKey(Object key): Object': keyOf(floor),
  'lowerEntry(Object key): Map.Entry': lower,
  'lowerKey(Object key): Object': keyOf(lower),
  'ceilingEntry(Object key): Map.Entry': ceiling,
  'ceilingKey(Object key): Object': keyOf(ceiling),
  'higherEntry(Object key): Map.Entry': higher,
  'higherKey(Object key): Object': keyOf(higher),
  'headMap(Object end): SortedMap': (self: HashMapValue, end: Value) =>
    treeMap(
      part(self, end, (order) => order < 0),
      comparisonOf(self),
    ),
  'tailMap(Object start): SortedMap': (self: HashMapValue, start: Value) =>
    treeMap(
      part(self, start, (order) => order >= 0),
      comparisonOf(self),
    ),
  'pollFirstEntry(): Map.Entry': (self: HashMapValue) => poll(self, 0),
  'pollLastEntry(): Map.Entry': (self: HashMapValue) => poll(self, -1),
})
