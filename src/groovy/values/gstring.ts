import type { ClassInfo } from './class-info.ts'
import { GStringImplClass } from './classes.ts'
import { GroovyObject, type Value } from './value.ts'

/** A text with values in it, which are turned into text when it is used. */
export class GStringValue extends GroovyObject {
  /** One more than there are values. */
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
}
