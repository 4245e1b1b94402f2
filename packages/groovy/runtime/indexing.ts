// `x[i]` and `x[i] = v`.

import { checkCopy } from '../meter.ts'
import { ListValue, MapValue } from '../values/collection.ts'
import { ArrayIndexOutOfBoundsException } from '../values/exceptions.ts'
import { GStringValue } from '../values/gstring.ts'
import { ArrayValue } from '../values/java-array.ts'
import { textOf } from '../values/text.ts'
import { throwable } from '../values/throwable.ts'
import type { Value } from '../values/value.ts'
import { castNow } from './cast.ts'
import { invokeMethod } from './invoke.ts'
import type { Maybe } from './pending.ts'

/** Normalises an index: negative ones count from the end; throws if it is before the start. */
export function normalIndex(index: number, size: number): number {
  if (index >= 0) return index
  const position = index + size
  if (position >= 0) return position
  throw throwable(ArrayIndexOutOfBoundsException, `Negative array index [${index}] too large for array size ${size}`)
}

/** A GString as index is the name of a property. */
function keyAt(index: Value): Value {
  return index instanceof GStringValue ? textOf(index) : index
}

export function getAt(self: Value, index: Value): Maybe {
  if (self instanceof MapValue) return self.get(keyAt(index)) ?? null
  if (typeof index === 'number') {
    if (self instanceof ListValue) return self.items[normalIndex(index, self.size)] ?? null
    if (self instanceof ArrayValue) return self.get(checkedIndex(index, self.length))
  }
  return invokeMethod(self, 'getAt', [index])
}

export function putAt(self: Value, index: Value, value: Value): Maybe {
  if (self instanceof MapValue) {
    self.put(keyAt(index), value)
    return null
  }
  if (typeof index === 'number') {
    if (self instanceof ListValue) return listPutAt(self, index, value)
    if (self instanceof ArrayValue) {
      self.set(checkedIndex(index, self.length), castNow(value, self.component))
      return null
    }
  }
  return invokeMethod(self, 'putAt', [index, value])
}

/** Setting an index beyond the end fills the gap with null. */
function listPutAt(list: ListValue, index: number, value: Value): Value {
  const position = normalIndex(index, list.size)
  if (position < list.size) {
    list.set(position, value)
    return null
  }
  checkCopy(position + 1)
  const items = list.writable(position + 1 - list.size)
  while (items.length < position) items.push(null)
  items.push(value)
  return null
}

function checkedIndex(index: number, length: number): number {
  const position = index < 0 ? normalIndex(index, length) : index
  if (position < length) return position
  throw throwable(ArrayIndexOutOfBoundsException, `Index ${index} out of bounds for length ${length}`)
}
