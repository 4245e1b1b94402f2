import type { Method, ReplaceMethod } from './methods.ts'
import type { RealmSizes } from './sizes.ts'

/**
 * Runs inside the realm, before any script. V8 ends the process, not only its thread, where a built-in function would make a list of
 * more than 2^27 elements from a text: these functions throw a RangeError for longer texts.
 */
export function limitTexts(replaceMethod: ReplaceMethod, check: RealmSizes): void {
  const { apply } = Reflect
  const { split, match, matchAll, search, replace } = Symbol
  const { isObject, textOf, sizes } = check

  const hasMethod = (value: unknown, key: symbol): boolean => {
    if (!isObject(value)) return false
    const method = (value as Record<symbol, unknown>)[key]
    return method !== undefined && method !== null
  }

  /** The string that is searched for. No separator is not the text "undefined". */
  const searched = (text: string, part: unknown): unknown => {
    if (part === undefined) return part
    const own = textOf(part, sizes.text)
    check.search(text, own)
    return own
  }

  // Methods of strings call those of regular expressions. A receiver that is no object is rejected before any conversion.
  for (const key of [split, match, matchAll, search, 'test']) {
    replaceMethod(RegExp.prototype, key, (original) => {
      const { method } = {
        method(this: unknown, text: unknown, limit: unknown): unknown {
          return apply(original, this, [isObject(this) ? textOf(text, sizes.text) : text, limit])
        },
      }
      return method
    })
  }
  replaceMethod(RegExp.prototype, replace, (original) => {
    const { method } = {
      method(this: unknown, text: unknown, by: unknown): unknown {
        if (!isObject(this)) return apply(original, this, [text, by])
        const subject = textOf(text, sizes.text)
        return apply(original, this, [subject, typeof by === 'function' ? by : textOf(by, sizes.text)])
      },
    }
    return method
  })
  replaceMethod(String.prototype, 'split', (original) => {
    const { method } = {
      method(this: unknown, separator: unknown, limit: unknown): unknown {
        if (typeof this === 'string' && !isObject(separator)) {
          return apply(original, textOf(this, sizes.text), [searched(this, separator), limit])
        }
        if (typeof this === 'string') textOf(this, sizes.text)
        if (this === null || this === undefined) return apply(original, this, [separator, limit])
        // The steps of the language up to the conversion of the receiver, which may have another result the second time.
        const own = isObject(separator) ? (separator as { [split]?: Method | null })[split] : undefined
        if (own !== undefined && own !== null) return apply(own, separator, [this, limit])
        const text = textOf(this, sizes.text)
        const count = limit === undefined ? undefined : (limit as number) >>> 0
        return apply(original, text, [searched(text, separator), count])
      },
    }
    return method
  })
  for (const key of ['replace', 'replaceAll']) {
    replaceMethod(String.prototype, key, (original) => {
      const { method } = {
        method(this: unknown, part: unknown, by: unknown): unknown {
          if (typeof this === 'string') textOf(this, sizes.text)
          if (this === null || this === undefined || hasMethod(part, replace)) return apply(original, this, [part, by])
          const text = textOf(this, sizes.text)
          return apply(original, text, [searched(text, part), typeof by === 'function' ? by : textOf(by, sizes.text)])
        },
      }
      return method
    })
  }
  replaceMethod(JSON, 'parse', (original) => {
    const { method } = {
      method: (text: unknown, reviver: unknown): unknown =>
        apply(original, undefined, [textOf(text, sizes.json), reviver]),
    }
    return method
  })
}
