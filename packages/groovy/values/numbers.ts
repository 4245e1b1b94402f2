// Number types without a JavaScript equivalent, and Character.
import { bitsOf } from '../meter.ts'
import type { ClassInfo } from './class-info.ts'
import { BigIntegerClass, ByteClass, CharacterClass, DoubleClass, FloatClass, ShortClass } from './classes.ts'
import { GroovyObject } from './value.ts'

export class DoubleValue extends GroovyObject {
  readonly value: number

  constructor(value: number) {
    super()
    this.value = value
  }

  get klass(): ClassInfo {
    return DoubleClass
  }
}

export class FloatValue extends GroovyObject {
  /** A 32-bit number. */
  readonly value: number

  constructor(value: number) {
    super()
    this.value = Math.fround(value)
  }

  get klass(): ClassInfo {
    return FloatClass
  }
}

export class ShortValue extends GroovyObject {
  readonly value: number

  constructor(value: number) {
    super()
    this.value = (value << 16) >> 16
  }

  get klass(): ClassInfo {
    return ShortClass
  }
}

export class ByteValue extends GroovyObject {
  static readonly #all: ByteValue[] = []
  readonly value: number

  private constructor(value: number) {
    super()
    this.value = value
  }

  /** The lowest eight bits of an integer. */
  static of(number: number): ByteValue {
    const value = (number << 24) >> 24
    ByteValue.#all[value + 128] ??= new ByteValue(value)
    return ByteValue.#all[value + 128] as ByteValue
  }

  get klass(): ClassInfo {
    return ByteClass
  }
}

export class BigIntegerValue extends GroovyObject {
  readonly value: bigint

  constructor(value: bigint) {
    super()
    this.value = value
  }

  get klass(): ClassInfo {
    return BigIntegerClass
  }

  override get weight(): number {
    return bitsOf(this.value)
  }
}

/** A Character: one UTF-16 code unit. */
export class CharValue extends GroovyObject {
  static readonly #ascii: CharValue[] = []
  readonly code: number

  private constructor(code: number) {
    super()
    this.code = code
  }

  static of(number: number): CharValue {
    const code = number & 0xffff
    if (code > 127) return new CharValue(code)
    CharValue.#ascii[code] ??= new CharValue(code)
    return CharValue.#ascii[code] as CharValue
  }

  get text(): string {
    return String.fromCharCode(this.code)
  }

  get klass(): ClassInfo {
    return CharacterClass
  }
}
