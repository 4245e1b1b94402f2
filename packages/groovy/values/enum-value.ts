import type { ClassInfo } from './class-info.ts'
import { Instance } from './value.ts'

/** A constant of an enum. */
export class EnumValue extends Instance {
  readonly constant: string
  readonly ordinal: number

  constructor(klass: ClassInfo, constant: string, ordinal: number) {
    super(klass)
    this.constant = constant
    this.ordinal = ordinal
  }
}
