import type { Maybe } from '../runtime/pending.ts'
import type { ClassInfo } from './class-info.ts'
import { ClosureValue } from './closure.ts'
import type { MapValue } from './collection.ts'
import { unsupported } from './exceptions.ts'
import { GroovyObject, type Value } from './value.ts'

/** An object that implements an interface by a closure, or by a map of closures: `{ ... } as Runnable`. */
export class InterfaceProxy extends GroovyObject {
  readonly klass: ClassInfo
  readonly target: ClosureValue | MapValue

  constructor(klass: ClassInfo, target: ClosureValue | MapValue) {
    super()
    this.klass = klass
    this.target = target
  }

  /** Calls an abstract method of the interface. */
  call(name: string, args: readonly Value[]): Maybe {
    if (this.target instanceof ClosureValue) return this.target.call(args)
    const method = this.target.get(name)
    if (method instanceof ClosureValue) return method.call(args)
    throw unsupported(`${name} is missing in the map coerced to ${this.klass.simpleName}`)
  }
}
