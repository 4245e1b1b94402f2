import { settled } from '../runtime/pending.ts'
import { BigDecimal } from './big-decimal.ts'
import { CollectionValue, MapValue } from './collection.ts'
import { GStringValue } from './gstring.ts'
import { ArrayValue } from './java-array.ts'
import { numberRank, toDouble } from './number-tower.ts'
import { CharValue } from './numbers.ts'
import { textOf } from './text.ts'
import type { GroovyObject, Value } from './value.ts'

/** Groovy truth: false for null, zero, empty values, and values whose `asBoolean` returns false. */
export function truth(value: Value): boolean {
  const known = builtInTruth(value)
  if (known !== null) return known
  const group = (value as GroovyObject).klass.method('asBoolean')
  return group === null ? true : settled(group.tryInvoke(value, []) ?? true, 'asBoolean') === true
}

/** The truth value of values whose class does not define it; null for others. */
export function builtInTruth(value: Value): boolean | null {
  switch (typeof value) {
    case 'boolean':
      return value
    case 'string':
      return value !== ''
    case 'number':
      return value !== 0
    case 'bigint':
      return value !== 0n
  }
  if (value === null) return false
  if (value instanceof CollectionValue || value instanceof MapValue) return value.size > 0
  if (value instanceof GStringValue) return textOf(value) !== ''
  if (value instanceof ArrayValue) return value.length > 0
  if (value instanceof CharValue) return value.code !== 0
  if (value instanceof BigDecimal) return value.sign !== 0
  if (numberRank(value) !== 0) return toDouble(value) !== 0
  return null
}
