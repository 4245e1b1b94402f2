/** A function of the language. */
type Method = (this: unknown, ...args: readonly unknown[]) => unknown

/**
 * Runs inside the realm, before any script. V8 ends the process, not only its thread, where a built-in function would make a list of
 * more than 2^27 elements from a text: these functions throw a RangeError for longer texts.
 */
export function limitTexts(maxText: number, maxJson: number): void {
  const { RangeError: RealmRangeError } = globalThis
  const { apply } = Reflect
  const { defineProperty, getOwnPropertyDescriptor } = Object
  const { split, match, replace } = Symbol

  const isObject = (value: unknown): value is object =>
    (typeof value === 'object' && value !== null) || typeof value === 'function'

  /** The text of a value, as built-in functions convert it. */
  const textOf = (value: unknown, max: number): string => {
    const text = typeof value === 'string' ? value : `${value as string}`
    if (text.length <= max) return text
    const length = `a string of ${text.length} characters`
    throw new RealmRangeError(`${length} is too long for this function, at most ${max} are allowed`)
  }

  /** Replaces a method of the language by another one with the same name, length and attributes. */
  const define = (holder: object, key: PropertyKey, wrapper: (original: Method) => Method): void => {
    const descriptor = getOwnPropertyDescriptor(holder, key) as PropertyDescriptor & { value: Method }
    const value = wrapper(descriptor.value)
    for (const property of ['name', 'length'] as const) {
      defineProperty(value, property, getOwnPropertyDescriptor(descriptor.value, property) as PropertyDescriptor)
    }
    defineProperty(holder, key, { ...descriptor, value })
  }

  // Methods of strings call those of regular expressions. A receiver that is no object is rejected before any conversion.
  for (const key of [split, match]) {
    define(RegExp.prototype, key, (original) => {
      const { method } = {
        method(this: unknown, text: unknown, limit: unknown): unknown {
          return apply(original, this, [isObject(this) ? textOf(text, maxText) : text, limit])
        },
      }
      return method
    })
  }
  define(RegExp.prototype, replace, (original) => {
    const { method } = {
      method(this: unknown, text: unknown, by: unknown): unknown {
        if (!isObject(this)) return apply(original, this, [text, by])
        const subject = textOf(text, maxText)
        return apply(original, this, [subject, typeof by === 'function' ? by : textOf(by, maxText)])
      },
    }
    return method
  })
  define(String.prototype, 'split', (original) => {
    const { method } = {
      method(this: unknown, separator: unknown, limit: unknown): unknown {
        if (typeof this === 'string') return apply(original, textOf(this, maxText), [separator, limit])
        if (this === null || this === undefined) return apply(original, this, [separator, limit])
        // The steps of the language up to the conversion of the receiver, which may have another result the second time.
        const own = isObject(separator) ? (separator as { [split]?: Method | null })[split] : undefined
        if (own !== undefined && own !== null) return apply(own, separator, [this, limit])
        const text = textOf(this, maxText)
        const count = limit === undefined ? undefined : (limit as number) >>> 0
        return apply(original, text, [isObject(separator) ? `${separator as unknown as string}` : separator, count])
      },
    }
    return method
  })
  define(String.prototype, 'replaceAll', (original) => {
    const { method } = {
      method(this: unknown, search: unknown, by: unknown): unknown {
        return apply(original, typeof this === 'string' ? textOf(this, maxText) : this, [search, by])
      },
    }
    return method
  })
  define(JSON, 'parse', (original) => {
    const { method } = {
      method: (text: unknown, reviver: unknown): unknown =>
        apply(original, undefined, [textOf(text, maxJson), reviver]),
    }
    return method
  })
}
