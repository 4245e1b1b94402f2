import { checkCopy } from '../meter.ts'
import type { ClassInfo } from './class-info.ts'
import { IntRangeClass, NumberRangeClass, ObjectRangeClass, UnmodifiableListClass } from './classes.ts'
import { ListValue } from './collection.ts'
import { unsupported } from './exceptions.ts'
import type { Value } from './value.ts'

/** A range: an immutable list whose elements are created on access. */
export abstract class RangeValue extends ListValue {
  abstract readonly from: Value
  abstract readonly to: Value
  abstract readonly isReverse: boolean
  #made = false

  constructor(klass: ClassInfo) {
    super([], klass)
  }

  /** Computes all elements. */
  protected abstract make(): Value[]

  /** `1..<3`, with its bounds as the caller prints them. */
  abstract textWith(print: (bound: Value) => string): string

  override get items(): readonly Value[] {
    if (!this.#made) {
      this.elements = this.make()
      this.#made = true
    }
    return this.elements
  }

  override get size(): number {
    return this.items.length
  }

  override writable(): Value[] {
    throw unsupported()
  }

  override set(): void {
    throw unsupported()
  }

  override replaceAll(): void {
    throw unsupported()
  }
}

/** A range of Integers. */
export class IntRange extends RangeValue {
  readonly from: number
  readonly to: number
  readonly isReverse: boolean
  readonly #text: readonly [number, string, number]

  /** `first..last` with its bounds as in the source; `skipFirst` and `skipLast` for `<..` and `..<`. */
  constructor(first: number, last: number, skipFirst = false, skipLast = false) {
    super(IntRangeClass)
    const step = first > last ? -1 : 1
    const [start, end] = [skipFirst ? first + step : first, skipLast ? last - step : last]
    this.isReverse = step < 0
    const empty = step > 0 ? start > end : start < end
    this.from = Math.min(start, end)
    this.to = empty ? this.from - 1 : Math.max(start, end)
    this.#text = [first, `${skipFirst ? '<' : ''}..${skipLast ? '<' : ''}`, last]
  }

  override get size(): number {
    return this.to - this.from + 1
  }

  /** The element at an index, without creating all of them. */
  at(index: number): number {
    return this.isReverse ? this.to - index : this.from + index
  }

  protected make(): Value[] {
    checkCopy(this.size)
    return Array.from({ length: this.size }, (_, index) => this.at(index))
  }

  override has(value: Value): boolean {
    return typeof value === 'number' && value >= this.from && value <= this.to
  }

  textWith(print: (bound: Value) => string): string {
    const [first, dots, last] = this.#text
    return print(first) + dots + print(last)
  }
}

/** A range of strings, characters, numbers of other types, or of values with `next` and `previous`. */
export class ObjectRange extends RangeValue {
  readonly from: Value
  readonly to: Value
  readonly isReverse: boolean
  readonly #make: () => Value[]
  readonly #dots: string

  constructor(from: Value, to: Value, isReverse: boolean, isNumber: boolean, dots: string, make: () => Value[]) {
    super(isNumber ? NumberRangeClass : ObjectRangeClass)
    this.from = from
    this.to = to
    this.isReverse = isReverse
    this.#dots = dots
    this.#make = make
  }

  protected make(): Value[] {
    return this.#make()
  }

  textWith(print: (bound: Value) => string): string {
    const [first, last] = this.isReverse ? [this.to, this.from] : [this.from, this.to]
    return print(first) + this.#dots + print(last)
  }
}

/** An unmodifiable list; views of lists have the same class. */
export function frozenList(items: Value[]): ListValue {
  return new ListValue(items, UnmodifiableListClass)
}
