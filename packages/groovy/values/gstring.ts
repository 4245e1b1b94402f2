import type { ClassInfo } from './class-info.ts'
import { GStringImplClass } from './classes.ts'
import { GroovyObject, type Value } from './value.ts'

/** A GString: its values are converted to text on use. */
export class GStringValue extends GroovyObject {
  /** The literal parts around the values, one more than values. */
  readonly strings: readonly string[]
  readonly values: readonly Value[]

  constructor(strings: readonly string[], values: readonly Value[]) {
    super()
    this.strings = strings
    this.values = values
  }

  get klass(): ClassInfo {
    return GStringImplClass
  }

  override get weight(): number {
    let sum = this.values.length
    for (const each of this.strings) sum += each.length
    for (const each of this.values) if (typeof each === 'string') sum += each.length
    return sum
  }
}
