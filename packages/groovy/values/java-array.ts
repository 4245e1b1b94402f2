import { allocateCollection } from '../meter.ts'
import type { ClassInfo } from './class-info.ts'
import { primitives } from './classes.ts'
import { ByteValue } from './numbers.ts'
import { GroovyObject, type Value } from './value.ts'

/** A Java array. */
export abstract class ArrayValue extends GroovyObject {
  abstract readonly component: ClassInfo
  abstract readonly length: number
  /** All elements, for reading. */
  abstract readonly items: readonly Value[]

  abstract get(index: number): Value
  abstract set(index: number, value: Value): void

  get klass(): ClassInfo {
    return this.component.arrayClass
  }

  override get weight(): number {
    return this.length
  }
}

/** An array of any component type except byte. */
export class ObjectArray extends ArrayValue {
  readonly component: ClassInfo
  readonly items: Value[]

  constructor(component: ClassInfo, items: Value[]) {
    super()
    this.component = component
    this.items = items
    allocateCollection(items.length)
  }

  get length(): number {
    return this.items.length
  }

  get(index: number): Value {
    return this.items[index] as Value
  }

  set(index: number, value: Value): void {
    this.items[index] = value
  }
}

/** A `byte[]`. */
export class ByteArray extends ArrayValue {
  readonly bytes: Uint8Array

  constructor(bytes: Uint8Array) {
    super()
    this.bytes = bytes
    allocateCollection(bytes.length)
  }

  get component(): ClassInfo {
    return primitives.byte
  }

  get length(): number {
    return this.bytes.length
  }

  get items(): readonly Value[] {
    return Array.from(this.bytes, (byte) => ByteValue.of(byte))
  }

  get(index: number): Value {
    return ByteValue.of(this.bytes[index] as number)
  }

  set(index: number, value: Value): void {
    this.bytes[index] = (value as ByteValue).value
  }
}
