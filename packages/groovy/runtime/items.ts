// Iteration over the elements of any value.

import { checkSize, tick } from '../meter.ts'
import { ClassInfo } from '../values/class-info.ts'
import { classOf } from '../values/class-of.ts'
import { EnumClass, IteratorInterface, ObjectClass } from '../values/classes.ts'
import { CollectionValue, checkUnchanged, MapValue } from '../values/collection.ts'
import { GStringValue } from '../values/gstring.ts'
import { ArrayValue } from '../values/java-array.ts'
import { IntRange } from '../values/range.ts'
import { textOf } from '../values/text.ts'
import { GroovyObject, type Value } from '../values/value.ts'
import { invokeMethod } from './invoke.ts'
import { settled } from './pending.ts'

/** A Java Iterator over a JavaScript iterator. */
export class IteratorValue extends GroovyObject {
  readonly #source: Iterator<Value>
  #ahead: IteratorResult<Value> | null = null

  constructor(source: Iterable<Value>) {
    super()
    this.#source = source[Symbol.iterator]()
  }

  get klass(): ClassInfo {
    return IteratorInterface
  }

  hasNext(): boolean {
    this.#ahead ??= this.#source.next()
    return this.#ahead.done !== true
  }

  next(): Value | undefined {
    if (!this.hasNext()) return undefined
    const { value } = this.#ahead as IteratorResult<Value>
    this.#ahead = null
    return value as Value
  }
}

/** Iterates over elements; detects concurrent modification. */
export function iterationOf(value: Value): Iterable<Value> {
  if (value instanceof IntRange) return walkRange(value)
  if (value instanceof CollectionValue) return walkCollection(value)
  if (value instanceof MapValue) return walkMap(value)
  if (value instanceof ArrayValue) return value.items
  if (typeof value === 'string' || value instanceof GStringValue) return charactersOf(textOf(value))
  if (value === null) return []
  if (value instanceof IteratorValue) return drain(value)
  if (value instanceof ClassInfo && value.isSubclassOf(EnumClass))
    return itemsOf(settled(invokeMethod(value, 'values', []), 'an iteration'))
  return walkObject(value)
}

/** One after the other: a text may have more characters than a list elements. */
export function* charactersOf(text: string): Iterable<string> {
  for (let index = 0; index < text.length; index++) yield text.charAt(index)
}

function* walkRange(range: IntRange): Iterable<Value> {
  const { size } = range
  for (let index = 0; index < size; index++) yield range.at(index)
}

function* walkCollection(collection: CollectionValue): Iterable<Value> {
  const { items, modifications } = collection
  for (let index = 0; index < items.length; index++) {
    checkUnchanged(collection, modifications)
    yield items[index] as Value
  }
}

function* walkMap(map: MapValue): Iterable<Value> {
  const { modifications } = map
  for (const entry of map.entries()) {
    checkUnchanged(map, modifications)
    yield entry
  }
}

function* drain(iterator: IteratorValue): Iterable<Value> {
  for (let value = iterator.next(); value !== undefined; value = iterator.next()) yield value
}

/** An object with an `iterator` method or one that is an iterator; any other value is iterated as a single element. */
function* walkObject(value: Value): Iterable<Value> {
  const klass = classOf(value)
  const group = klass.method('iterator')
  const isOwn = group !== null && group.overloads[0] !== ObjectClass.method('iterator')?.overloads[0]
  const iterator = isOwn ? settled(invokeMethod(value, 'iterator', []), 'iterator') : value
  if (iterator instanceof IteratorValue) return yield* drain(iterator)
  if (classOf(iterator).method('hasNext') === null) {
    yield value
    return
  }
  while (settled(invokeMethod(iterator, 'hasNext', []), 'hasNext') === true) {
    tick()
    yield settled(invokeMethod(iterator, 'next', []), 'next')
  }
}

/** All elements at once. */
export function itemsOf(value: Value): readonly Value[] {
  if (value instanceof CollectionValue || value instanceof ArrayValue) return value.items
  if (value instanceof MapValue) return value.entries()
  const items: Value[] = []
  for (const each of iterationOf(value)) {
    tick()
    checkSize(items.push(each))
  }
  return items
}
