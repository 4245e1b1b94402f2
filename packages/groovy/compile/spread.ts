import type { ClassInfo } from '../values/class-info.ts'
import { GroovyObject, type Value } from '../values/value.ts'

/** The values of `*list`, before they are inserted into the arguments. */
export class SpreadValues extends GroovyObject {
  readonly items: readonly Value[]

  constructor(items: readonly Value[]) {
    super()
    this.items = items
  }

  get klass(): ClassInfo {
    throw new TypeError('spread values were used as a value')
  }
}
