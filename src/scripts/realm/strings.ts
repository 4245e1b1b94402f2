import type { Method, ReplaceMethod } from './methods.ts'
import type { RealmSizes } from './sizes.ts'

/** Runs inside the realm. The other functions of strings, and those that read strings, throw a RangeError for longer ones. */
export function limitStrings(replaceMethod: ReplaceMethod, check: RealmSizes): void {
  const { apply, ownKeys } = Reflect
  const { isObject, textOf, shortText, formattable, sizes } = check
  const CONSTANT_TIME = [
    'constructor',
    'at',
    'charAt',
    'charCodeAt',
    'codePointAt',
    'concat',
    'slice',
    'substring',
    'substr',
  ]
  const others = new Set<PropertyKey>([
    ...CONSTANT_TIME,
    'toString',
    'valueOf',
    Symbol.iterator,
    'split',
    'replace',
    'replaceAll',
  ])
  const LONGER = [
    'anchor',
    'big',
    'blink',
    'bold',
    'fixed',
    'fontcolor',
    'fontsize',
    'italics',
    'link',
    'small',
    'strike',
  ]
  const slow = new Set<PropertyKey>([...LONGER, 'sub', 'sup', 'normalize', 'localeCompare'])
  const searches = new Set<PropertyKey>(['indexOf', 'lastIndexOf', 'includes', 'startsWith', 'endsWith'])
  const patterns = new Map<PropertyKey, symbol>([
    ['match', Symbol.match],
    ['matchAll', Symbol.matchAll],
    ['search', Symbol.search],
  ])
  /** The first argument with languages. */
  const languages = new Map<PropertyKey, number>([
    ['localeCompare', 1],
    ['toLocaleLowerCase', 0],
    ['toLocaleUpperCase', 0],
  ])
  // The time of a normalisation grows with the square of the marks of one letter.
  const manyMarks = /\p{M}{1024}/u
  const { test } = RegExp.prototype

  const ordered = (text: string, max: number): void => {
    if (text.length > 1024 && apply(test, manyMarks, [text])) shortText(text, Math.min(max, 1024))
  }

  const isPattern = (value: unknown, key: symbol): boolean => {
    const method = isObject(value) ? (value as Record<symbol, unknown>)[key] : undefined
    return method !== undefined && method !== null
  }

  const limited = (key: PropertyKey): ((original: Method) => Method) => {
    const max = slow.has(key) ? sizes.conversion : sizes.text
    const isSearch = searches.has(key)
    const pattern = patterns.get(key)
    const firstLanguage = languages.get(key)
    return (original) => {
      const { method } = {
        method(this: unknown, ...args: unknown[]): unknown {
          shortText(this, max)
          const first = args[0]
          if (this === null || this === undefined) return apply(original, this, args)
          if (pattern !== undefined && isPattern(first, pattern)) return apply(original, this, args)
          const text = textOf(this, max)
          if (isSearch && isPattern(first, Symbol.match)) return apply(original, text, args)
          if (isObject(first) && firstLanguage !== 0) args[0] = textOf(first, max)
          if (isSearch && typeof args[0] === 'string') check.search(text, args[0])
          if (pattern !== undefined) shortText(args[0], sizes.pattern)
          if (firstLanguage !== undefined) formattable(args, firstLanguage)
          for (let at = 0; at < args.length; at += 1) shortText(args[at], max)
          if (key === 'normalize' || key === 'localeCompare') {
            ordered(text, max)
            if (typeof args[0] === 'string') ordered(args[0], max)
          }
          return apply(original, text, args)
        },
      }
      return method
    }
  }

  for (const key of ownKeys(String.prototype)) {
    if (!others.has(key)) replaceMethod(String.prototype, key, limited(key))
  }

  /** The argument is converted to a string first. */
  const reads =
    (max: number) =>
    (original: Method): Method => {
      const { method } = {
        method(this: unknown, ...args: unknown[]): unknown {
          if (isObject(args[0])) args[0] = textOf(args[0], max)
          shortText(args[0], max)
          return apply(original, this, args)
        },
      }
      return method
    }
  const GLOBAL = ['parseInt', 'parseFloat', 'decodeURI', 'decodeURIComponent', 'encodeURI', 'encodeURIComponent']
  for (const key of [...GLOBAL, 'escape', 'unescape']) replaceMethod(globalThis, key, reads(sizes.text))
  for (const key of ['isFinite', 'isNaN']) {
    replaceMethod(globalThis, key, (original) => {
      const { method } = {
        method: (value: unknown): unknown => apply(original, undefined, [shortText(value, sizes.text)]),
      }
      return method
    })
  }
  for (const key of ['parseFloat', 'parseInt']) replaceMethod(Number, key, reads(sizes.text))
  replaceMethod(Date, 'parse', reads(sizes.conversion))
  replaceMethod(Symbol, 'for', reads(sizes.text))
  replaceMethod(JSON, 'rawJSON', reads(sizes.text))
  replaceMethod(RegExp, 'escape', (original) => {
    const { method } = {
      method: (text: unknown): unknown => apply(original, RegExp, [shortText(text, sizes.conversion)]),
    }
    return method
  })
  replaceMethod(RegExp.prototype, 'compile', (original) => {
    const { method } = {
      method(this: unknown, ...args: unknown[]): unknown {
        for (let at = 0; at < args.length; at += 1) shortText(args[at], sizes.pattern)
        return apply(original, this, args)
      },
    }
    return method
  })
  replaceMethod(String, 'raw', (original) => {
    const { method } = {
      method(this: unknown, ...args: unknown[]): unknown {
        const strings = args[0]
        if (isObject(strings)) check.shortList((strings as { raw?: unknown }).raw, sizes.list)
        return apply(original, this, args)
      },
    }
    return method
  })

  const formats = (original: Method): Method => {
    const { method } = {
      method(this: unknown, ...args: unknown[]): unknown {
        formattable([this], 0)
        formattable(args, 0)
        return apply(original, this, args)
      },
    }
    return method
  }
  replaceMethod(Number.prototype, 'toLocaleString', formats)
  replaceMethod(BigInt.prototype, 'toLocaleString', formats)
  for (const key of ['toLocaleString', 'toLocaleDateString', 'toLocaleTimeString']) {
    replaceMethod(Date.prototype, key, formats)
  }
}
