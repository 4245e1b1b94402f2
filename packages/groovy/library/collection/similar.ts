// Collections that methods return: of the same kind as the receiver.

import { checkCopy } from '../../meter.ts'
import { collectionMakers } from '../../runtime/cast.ts'
import type { ClassInfo } from '../../values/class-info.ts'
import {
  CollectionInterface,
  LinkedHashSetClass,
  LinkedListClass,
  ListInterface,
  QueueInterface,
  SetInterface,
  SortedSetInterface,
  TreeSetClass,
} from '../../values/classes.ts'
import { ListValue, SetValue } from '../../values/collection.ts'
import { HashSetValue } from '../../values/hash-map.ts'
import type { Value } from '../../values/value.ts'

/** A new list of values; its size is checked and counted. */
export function listOf(items: Value[]): ListValue {
  checkCopy(items.length)
  return new ListValue(items)
}

/** A set if the source is one, else a list. */
export function similar(source: Value, items: Value[]): Value {
  if (!(source instanceof SetValue)) {
    checkCopy(items.length)
    return source instanceof ListValue && source.klass === LinkedListClass
      ? new ListValue(items, LinkedListClass)
      : new ListValue(items)
  }
  return setOf(items, source.klass === TreeSetClass ? TreeSetClass : LinkedHashSetClass)
}

export function setOf(items: Iterable<Value>, klass: ClassInfo = LinkedHashSetClass): HashSetValue {
  return HashSetValue.of(items, klass)
}

collectionMakers.set(CollectionInterface, (items) => new ListValue([...items]))
collectionMakers.set(ListInterface, (items) => new ListValue([...items]))
collectionMakers.set(QueueInterface, (items) => new ListValue([...items], LinkedListClass))
collectionMakers.set(SetInterface, (items) => setOf(items))
collectionMakers.set(SortedSetInterface, (items) => setOf(items, TreeSetClass))
