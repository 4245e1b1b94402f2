import { ByteValue, CharValue, DoubleValue, FloatValue, ShortValue } from './numbers.ts'
import type { Value } from './value.ts'

const ZEROS: ReadonlyMap<string, Value> = new Map<string, Value>([
  ['boolean', false],
  ['byte', ByteValue.of(0)],
  ['char', CharValue.of(0)],
  ['double', new DoubleValue(0)],
  ['float', new FloatValue(0)],
  ['int', 0],
  ['long', 0n],
  ['short', new ShortValue(0)],
])

/** The initial value of a variable of a primitive type; null for other types. */
export function zeroOf(type: string): Value {
  return ZEROS.get(type) ?? null
}
