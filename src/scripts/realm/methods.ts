/** A function of the language. */
export type Method = (this: unknown, ...args: readonly unknown[]) => unknown

/** Replaces a method, or the getter, of a holder; does nothing where V8 has none. */
export type ReplaceMethod = (holder: object, key: PropertyKey, wrapper: (original: Method) => Method) => void

/** Runs inside the realm. A replacement has the name, length and attributes of its original. */
export function realmMethods(): ReplaceMethod {
  const { defineProperty, getOwnPropertyDescriptor } = Object
  /** A function with several names, such as `trimLeft`, has one replacement. */
  const replacements = new WeakMap<Method, Method>()

  const replacement = (original: Method, wrapper: (original: Method) => Method): Method => {
    const known = replacements.get(original)
    if (known !== undefined) return known
    const value = wrapper(original)
    for (const property of ['name', 'length'] as const) {
      defineProperty(value, property, getOwnPropertyDescriptor(original, property) as PropertyDescriptor)
    }
    replacements.set(original, value)
    return value
  }

  return (holder, key, wrapper) => {
    const { value, get, ...attributes } = getOwnPropertyDescriptor(holder, key) ?? {}
    if (typeof value === 'function') defineProperty(holder, key, { ...attributes, value: replacement(value, wrapper) })
    else if (get !== undefined) defineProperty(holder, key, { ...attributes, get: replacement(get, wrapper) })
  }
}
