// Arrays.copyOf and copyOfRange of java.util.

import { checkCopy } from '../../meter.ts'
import { extend } from '../../registry/extend.ts'
import type { ClassInfo } from '../../values/class-info.ts'
import { ArrayIndexOutOfBoundsException, illegalArgument, NegativeArraySizeException } from '../../values/exceptions.ts'
import { type ArrayValue, ByteArray, ObjectArray } from '../../values/java-array.ts'
import { throwable } from '../../values/throwable.ts'
import { zeroOf } from '../../values/zero.ts'
import { ArraysClass } from './static-methods.ts'

/** Elements of an array; zeros or nulls beyond its end. */
function copied(array: ArrayValue, from: number, to: number): ArrayValue {
  checkCopy(to - from)
  if (array instanceof ByteArray) {
    const bytes = new Uint8Array(to - from)
    bytes.set(array.bytes.subarray(from, to))
    return new ByteArray(bytes)
  }
  const items = array.items.slice(from, to)
  const zero = zeroOf((array.component as ClassInfo).name)
  while (items.length < to - from) items.push(zero)
  return new ObjectArray(array.component, items)
}

function copyOf(array: ArrayValue, length: number): ArrayValue {
  if (length < 0) throw throwable(NegativeArraySizeException, String(length))
  return copied(array, 0, length)
}

function copyOfRange(array: ArrayValue, from: number, to: number): ArrayValue {
  if (from > to) throw illegalArgument(`${from} > ${to}`)
  if (from < 0 || from > array.length)
    throw throwable(ArrayIndexOutOfBoundsException, `Array index out of range: ${from}`)
  return copied(array, from, to)
}

for (const type of ['Object', 'boolean', 'byte', 'char', 'double', 'float', 'int', 'long', 'short']) {
  extend(ArraysClass, {
    [`static copyOf(${type}[] array, int length): ${type}[]`]: copyOf,
    [`static copyOfRange(${type}[] array, int from, int to): ${type}[]`]: copyOfRange,
  })
}
