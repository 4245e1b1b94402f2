// Views of gateway objects with an exposure: the members that expressions see, as maps with getters.

import {
  type ArrayValue,
  type ClassInfo,
  classes,
  exceptions,
  MapEntry,
  MapValue,
  missingMethod,
  textOf,
  type Value,
} from '@identity-gateway/groovy'
import { type Exposure, exposed } from '#expression'
import { extendWithHost, gatewayClass } from './host-class.ts'
import { toGroovy, toHost, views } from './host-values.ts'

/** Data of contexts: a map whose entries can be read by getters too. */
export const DataMapClass = gatewayClass('json.DataMap', { parent: classes.LinkedHashMapClass })
const ViewClass = gatewayClass('json.View', { interfaces: [classes.MapInterface] })

/** An object of the gateway. */
export class ViewValue extends MapValue {
  readonly host: object
  readonly klass: ClassInfo

  constructor(host: object, klass: ClassInfo = ViewClass) {
    super()
    this.host = host
    this.klass = klass
  }

  get exposure(): Exposure<unknown> {
    return (this.host as { readonly [exposed]: Exposure<unknown> })[exposed]
  }

  get size(): number {
    return this.keys().length
  }

  keys(): string[] {
    const { get, keys } = this.exposure
    return [...new Set([...Object.keys(get ?? {}), ...(keys?.(this.host) ?? [])])]
  }

  get(key: Value): Value | undefined {
    const value = this.read(textOf(key))
    return value === undefined || value === null ? undefined : toGroovy(value, DataMapClass)
  }

  /** A member without conversion; undefined if missing. */
  read(name: string): unknown {
    const { get, index } = this.exposure
    if (get !== undefined && Object.hasOwn(get, name)) return get[name]?.(this.host)
    return index?.(this.host, name) ?? undefined
  }

  has(key: Value): boolean {
    return this.get(key) !== undefined
  }

  put(key: Value, value: Value): void {
    const { set, assignIndex } = this.exposure
    const name = textOf(key)
    if (set !== undefined && Object.hasOwn(set, name)) set[name]?.(this.host, toHost(value))
    else if (assignIndex !== undefined) assignIndex(this.host, name, toHost(value))
    else throw exceptions.unsupported(`"${name}" can not be changed by a script`)
    this.modifications += 1
  }

  delete(key: Value): void {
    this.put(key, null)
  }

  clear(): void {
    for (const key of this.keys()) this.delete(key)
  }

  entries(): readonly MapEntry[] {
    return this.keys().map((key) => new MapEntry(key, this.get(key) ?? null))
  }
}

views.convert = (host) => (exposed in host ? new ViewValue(host) : undefined)

const GETTER = /^(?:get|is)([A-Z].*)$/

/** `getInfo()` of an object that has `info`. */
function readByGetter(self: MapValue, name: string): Value | undefined {
  const [, capital] = GETTER.exec(name) ?? []
  if (capital === undefined) return undefined
  const property = capital.charAt(0).toLowerCase() + capital.slice(1)
  return self.get(property) ?? self.get(name) ?? null
}

/** Fallback for methods that the class does not declare: exposed methods and getters. */
export function callMissing(self: MapValue, name: string, args: ArrayValue): Value {
  const call = self instanceof ViewValue ? self.exposure.call : undefined
  if (call !== undefined && Object.hasOwn(call, name)) {
    return toGroovy(call[name]?.((self as ViewValue).host, ...args.items.map((each) => toHost(each))), DataMapClass)
  }
  const value = args.length === 0 ? readByGetter(self, name) : undefined
  if (value !== undefined) return value
  throw missingMethod(self, name, args.items)
}

for (const klass of [DataMapClass, ViewClass]) {
  extendWithHost(klass, { 'methodMissing(String name, Object args): Object': callMissing })
}
extendWithHost(ViewClass, {
  'toString(): String': (self: ViewValue) => {
    const { value, call } = self.exposure
    return textOf(toGroovy(value?.(self.host) ?? call?.['toString']?.(self.host) ?? self.keys()))
  },
})
