import { checkSize, tick } from '../meter.ts'
import { compareValues } from '../values/compare.ts'
import { groovyEquals } from '../values/equality.ts'
import { illegalArgument } from '../values/exceptions.ts'
import { GStringValue } from '../values/gstring.ts'
import { isNumber } from '../values/number-tower.ts'
import { CharValue } from '../values/numbers.ts'
import { IntRange, ObjectRange } from '../values/range.ts'
import { textOf } from '../values/text.ts'
import type { Value } from '../values/value.ts'
import { next, previous } from './operators.ts'
import { settled } from './pending.ts'

/** `first..last`, without the ends that are skipped. */
export function makeRange(first: Value, last: Value, skipFirst: boolean, skipLast: boolean): Value {
  if (typeof first === 'number' && typeof last === 'number') return new IntRange(first, last, skipFirst, skipLast)
  const [from, to] = [plain(first), plain(last)]
  if (from === null || to === null) throw illegalArgument('Must specify a non-null value for the ends of a range')
  const dots = `${skipFirst ? '<' : ''}..${skipLast ? '<' : ''}`
  const isReverse = compareValues(from, to) > 0
  const make = () => elements(from, to, isReverse, skipFirst, skipLast)
  const bounds: [Value, Value] = isReverse ? [to, from] : [from, to]
  return new ObjectRange(...bounds, isReverse, isNumber(from), dots, make)
}

function plain(value: Value): Value {
  return value instanceof GStringValue ? textOf(value) : value
}

function elements(from: Value, to: Value, isReverse: boolean, skipFirst: boolean, skipLast: boolean): Value[] {
  const items: Value[] = []
  const step = isReverse ? previous : next
  for (let value = from; ; value = settled(step(value), 'a range')) {
    tick()
    const order = compareValues(value, to)
    if (isReverse ? order < 0 : order > 0) break
    if (typeof value === 'string' && typeof to === 'string' && value.length > to.length) break
    checkSize(items.push(value))
    // The next character after the last one wraps around to the first.
    if (value instanceof CharValue && groovyEquals(value, to)) break
  }
  if (skipFirst) items.shift()
  if (skipLast && items.length > 0 && groovyEquals(items.at(-1) as Value, to)) items.pop()
  return items
}
