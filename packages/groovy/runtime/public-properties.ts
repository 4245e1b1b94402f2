import type { ClassInfo } from '../values/class-info.ts'
import { ObjectClass } from '../values/classes.ts'
import type { Instance, Value } from '../values/value.ts'
import { settled } from './pending.ts'

/** The public fields and getters of an object of a script's class, with their values; those of superclasses first. */
export function publicProperties(object: Instance): readonly (readonly [string, Value])[] {
  const found = new Map<string, Value>()
  for (const klass of [...object.klass.lineage].filter((each) => each !== ObjectClass).reverse()) {
    for (const { name, get, field, isHidden } of klass.ownProperties.values()) {
      if (field === undefined || get === null || isHidden === true) continue
      found.set(name, settled(get(object), 'a property'))
    }
    for (const [method, name] of gettersOf(klass)) {
      if (found.has(name)) continue
      const getter = object.klass.method(method)
      if (getter?.accepts(0) === true) found.set(name, settled(getter.invoke(object, []), 'a getter'))
    }
  }
  return [...found]
}

/** Names of getters, and of their properties. */
function gettersOf({ ownMethods, ownStatics }: ClassInfo): (readonly [string, string])[] {
  return [...ownMethods.entries()].flatMap(([method, overloads]) => {
    const [, prefix, capital, rest] = /^(get|is)(\p{Lu})(.*)$/u.exec(method) ?? []
    const isGetter = overloads.some(
      ({ parameters, returns }) =>
        parameters.length === 0 && (prefix === 'get' || returns?.toLowerCase().endsWith('boolean')),
    )
    if (capital === undefined || !isGetter || ownStatics.has(method)) return []
    return [[method, capital.toLowerCase() + rest] as const]
  })
}
