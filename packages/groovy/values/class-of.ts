import type { ClassInfo } from './class-info.ts'
import { BooleanClass, IntegerClass, LongClass, NullClass, StringClass } from './classes.ts'
import type { Value } from './value.ts'

/** The class of a value. */
export function classOf(value: Value): ClassInfo {
  switch (typeof value) {
    case 'string':
      return StringClass
    case 'number':
      return IntegerClass
    case 'boolean':
      return BooleanClass
    case 'bigint':
      return LongClass
  }
  return value === null ? NullClass : value.klass
}
