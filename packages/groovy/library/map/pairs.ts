import { CollectionValue, ListValue, MapEntry, MapValue } from '../../values/collection.ts'
import { ClassCastException, illegalArgument } from '../../values/exceptions.ts'
import { ArrayValue } from '../../values/java-array.ts'
import { throwable } from '../../values/throwable.ts'
import type { Value } from '../../values/value.ts'

/** Adds a pair to a map: an entry, a map, or a list or array of key and value. */
export function addPair(map: MapValue, pair: Value): void {
  if (pair instanceof MapEntry) map.put(pair.key, pair.value)
  else if (pair instanceof MapValue) for (const { key, value } of pair.entries()) map.put(key, value)
  else if (pair instanceof ListValue || pair instanceof ArrayValue) {
    const { items } = pair
    if (pair instanceof ListValue && items.length < 2) throw illegalArgument('a pair of key and value has two elements')
    map.put(items[0] ?? null, items[1] ?? null)
  } else if (pair instanceof CollectionValue || pair !== null) {
    throw throwable(ClassCastException, 'a map takes pairs: a map, an entry, or a list of key and value')
  }
}
