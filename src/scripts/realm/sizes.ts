/** The largest values that functions of V8 accept: it can not be interrupted in them. */
interface Sizes {
  /** Characters of a string. */
  readonly text: number
  /** Characters of JSON. */
  readonly json: number
  /** Characters of a string, times those searched in it. */
  readonly search: number
  /** Characters of a string in functions that take longer: normalisation, comparison by language, dates. */
  readonly conversion: number
  /** Characters of a regular expression. */
  readonly pattern: number
  /** Elements of a list. */
  readonly list: number
  /** Elements of a list whose indices are made into property names. */
  readonly keys: number
  /** Characters, digits and elements of values that are formatted by language. */
  readonly formatted: number
  /** Bytes of a buffer. */
  readonly bytes: number
}

/** Checks of values before a function of V8 gets them; each throws a RangeError. */
export interface RealmSizes {
  readonly sizes: Sizes
  isObject(value: unknown): value is object
  /** The string of a value, as functions of V8 convert it. */
  textOf(value: unknown, max: number): string
  /** A string of at most so many characters, or anything else. */
  shortText(value: unknown, max: number): unknown
  /** A search for a string in another one. */
  search(text: string, part: string): void
  /** A list, or a value with `length`, of at most so many elements, or anything else. */
  shortList(value: unknown, max: number): void
  /** A value with at most so many indices: an array, a view of a buffer or a string; others are not counted. */
  shortIndices(value: unknown, max: number): void
  /** The bytes of a buffer or a view of one. */
  shortBytes(value: unknown): void
  /** A number of bytes. */
  fewBytes(count: number): void
  /** Values from an index on that are formatted by language, with their languages and options. */
  formattable(values: readonly unknown[], from: number): void
  /** An iterable value whose iterator V8 leaves for each element, so that it can be interrupted; small ones as they are. */
  steppable(value: unknown): unknown
  /** The same of an iterator. */
  stepping(iterator: unknown): unknown
}

/** Runs inside the realm, before any script. */
export function realmSizes(sizes: Sizes): RealmSizes {
  const { RangeError: RealmRangeError, BigInt: RealmBigInt } = globalThis
  const { apply, getOwnPropertyDescriptor, getPrototypeOf } = Reflect
  const { isArray } = Array
  const { defineProperties } = Object
  const { isView } = ArrayBuffer
  const iteratorKey: typeof Symbol.iterator = Symbol.iterator
  const arrayIterator = Array.prototype[iteratorKey]
  const getter = (holder: object, key: PropertyKey) => getOwnPropertyDescriptor(holder, key)?.get as () => number
  const views = getPrototypeOf(Uint8Array.prototype) as object
  const viewName = getter(views, Symbol.toStringTag)
  const viewBytes = getter(views, 'byteLength')
  const viewLength = getter(views, 'length')
  const dataBytes = getter(DataView.prototype, 'byteLength')
  const bufferBytes = getter(ArrayBuffer.prototype, 'byteLength')
  const isInstance = Function.prototype[Symbol.hasInstance]
  const Buffer = ArrayBuffer
  /** Elements that V8 reads at once. */
  const AT_ONCE = 2 ** 16
  const manyDigits = RealmBigInt(10) ** RealmBigInt(sizes.formatted)

  const isObject = (value: unknown): value is object =>
    (typeof value === 'object' && value !== null) || typeof value === 'function'

  const tooLarge = (what: string, max: number): never => {
    throw new RealmRangeError(`${what} is too long for this function, at most ${max} are allowed`)
  }

  const shortText = (value: unknown, max: number): unknown => {
    if (typeof value === 'string' && value.length > max) tooLarge(`a string of ${value.length} characters`, max)
    return value
  }

  /** With any prototype. */
  const isTyped = (view: object): boolean => apply(viewName, view, []) !== undefined

  const bytesOf = (value: object): number => {
    if (isView(value)) return apply(isTyped(value) ? viewBytes : dataBytes, value, [])
    return apply(isInstance, Buffer, [value]) ? apply(bufferBytes, value, []) : 0
  }

  const fewBytes = (count: number): void => {
    if (count > sizes.bytes) tooLarge(`a buffer of ${count} bytes`, sizes.bytes)
  }

  const shortList = (value: unknown, max: number): void => {
    if (typeof value === 'string') shortText(value, max)
    if (!isObject(value) || (typeof value === 'function' && !isArray(value))) return
    const length: unknown = isTyped(value) ? apply(viewLength, value, []) : (value as { length?: unknown }).length
    // Compared as V8 converts it.
    if ((length as number) > max) tooLarge(`a list of ${length as number} elements`, max)
  }

  const shortIndices = (value: unknown, max: number): void => {
    if (typeof value === 'string' || isArray(value) || isView(value)) shortList(value, max)
  }

  const options = (value: object): void => {
    for (const key in value) shortText((value as Record<string, unknown>)[key], sizes.formatted)
  }

  const formattable = (values: readonly unknown[], from: number): void => {
    const { formatted } = sizes
    for (let at = from; at < values.length; at += 1) {
      const value = values[at]
      if (typeof value === 'bigint' && (value >= manyDigits || -value >= manyDigits)) {
        tooLarge(`a number of more than ${formatted} digits`, formatted)
      }
      shortText(value, formatted)
      if (!isObject(value)) continue
      shortList(value, formatted)
      options(value)
    }
  }

  const stepping = (iterator: unknown): unknown => {
    if (!isObject(iterator)) return iterator
    const { next } = iterator as { next: () => unknown }
    const steps = { next: (value: unknown): unknown => apply(next, iterator, [value]) }
    // A method that is absent stays absent.
    const close = (name: 'return' | 'throw') => ({
      configurable: true,
      get: () => {
        const method = (iterator as Record<string, unknown>)[name]
        return typeof method === 'function' ? (value: unknown) => apply(method, iterator, [value]) : method
      },
    })
    return defineProperties(steps, { return: close('return'), throw: close('throw') })
  }

  const steppable = (value: unknown): unknown => {
    if (typeof value === 'string' ? value.length <= AT_ONCE : !isObject(value)) return value
    const iterate = (value as Iterable<unknown>)[iteratorKey] as unknown
    const isSmall = isArray(value) && value.length <= AT_ONCE && iterate === arrayIterator
    if (isSmall || typeof iterate !== 'function') return value
    return { [iteratorKey]: () => stepping(apply(iterate, value, [])) }
  }

  return {
    sizes,
    isObject,
    textOf: (value, max) => shortText(typeof value === 'string' ? value : `${value as string}`, max) as string,
    shortText,
    search: (text, part) => {
      if (text.length * part.length <= sizes.search) return
      tooLarge(
        `a string of ${text.length} characters, searched for ${part.length},`,
        Math.floor(sizes.search / part.length),
      )
    },
    shortList,
    shortIndices,
    shortBytes: (value) => {
      if (isObject(value)) fewBytes(bytesOf(value))
    },
    fewBytes,
    formattable,
    steppable,
    stepping,
  }
}
