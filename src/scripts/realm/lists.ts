import type { Method, ReplaceMethod } from './methods.ts'
import type { RealmSizes } from './sizes.ts'

/** Runs inside the realm. Functions of lists, and those that make lists, throw a RangeError for larger values. */
export function limitLists(replaceMethod: ReplaceMethod, check: RealmSizes): void {
  const { apply, getPrototypeOf, ownKeys } = Reflect
  const { shortList, shortIndices, shortBytes, shortText, steppable, sizes } = check
  const { isArray } = Array
  const { isView } = ArrayBuffer
  const TypedArray = getPrototypeOf(Uint8Array) as typeof Uint8Array

  /** Adds checks before the original is called. */
  const after =
    (checked: (self: unknown, args: unknown[]) => void) =>
    (original: Method): Method => {
      const { method } = {
        method(this: unknown, ...args: unknown[]): unknown {
          checked(this, args)
          return apply(original, this, args)
        },
      }
      return method
    }

  const ordered = (a: unknown, b: unknown): number => {
    const x = `${a as string}`
    const y = `${b as string}`
    if (x < y) return -1
    return x === y ? 0 : 1
  }

  /** V8 can be interrupted in a function of the realm only. */
  const compared = (args: unknown[], usual: ((a: unknown, b: unknown) => unknown) | null): void => {
    const compare = args[0]
    if (compare === undefined && usual !== null) args[0] = usual
    if (typeof compare === 'function') args[0] = (a: unknown, b: unknown): unknown => apply(compare, undefined, [a, b])
  }

  const strings = (list: unknown, value: unknown): void => {
    if (typeof value !== 'string') return
    const { length } = list as { length: number }
    if (length * value.length > sizes.search) shortText(value, Math.floor(sizes.search / length))
  }

  const flattened = (list: unknown, depth: number): void => {
    let count = 0
    const add = (from: unknown, left: number): void => {
      const { length } = from as { length: number }
      count += length
      shortList({ length: count }, sizes.list)
      if (left < 1) return
      for (let at = 0; at < length; at += 1) {
        const element = (from as unknown[])[at]
        if (isArray(element)) add(element, left - 1)
      }
    }
    add(list, depth)
  }

  const lengthOf = (value: unknown): number => (isArray(value) ? value.length : 1)

  const ofArrays: Record<string, (self: unknown, args: unknown[]) => void> = {
    sort: (_self, args) => compared(args, ordered),
    toSorted: (_self, args) => compared(args, ordered),
    indexOf: (self, args) => strings(self, args[0]),
    lastIndexOf: (self, args) => strings(self, args[0]),
    includes: (self, args) => strings(self, args[0]),
    flat: (self, args) => flattened(self, args[0] === undefined ? 1 : Number(args[0])),
    concat: (self, args) => {
      let count = lengthOf(self)
      for (let at = 0; at < args.length; at += 1) count += lengthOf(args[at])
      shortList({ length: count }, sizes.list)
    },
  }
  const others = new Set<PropertyKey>(['constructor', 'at', 'push', 'pop', 'entries', 'keys', 'values', 'toString'])
  for (const key of ownKeys(Array.prototype)) {
    const own = typeof key === 'string' ? ofArrays[key] : undefined
    if (others.has(key) || typeof key === 'symbol') continue
    const checked = (self: unknown, args: unknown[]): void => {
      if (self === null || self === undefined) return
      shortList(self, sizes.list)
      own?.(self, args)
    }
    replaceMethod(Array.prototype, key, after(checked))
  }

  // A comparison, a string or a function for each element takes longer than its bytes.
  const elementwise = new Set<PropertyKey>(['sort', 'toSorted', 'join', 'toLocaleString', 'map', 'filter'])
  for (const key of ownKeys(TypedArray.prototype)) {
    if (others.has(key) || typeof key === 'symbol' || ['buffer', 'byteLength', 'byteOffset', 'length'].includes(key))
      continue
    const isElementwise = elementwise.has(key)
    const checked = (self: unknown, args: unknown[]): void => {
      shortBytes(self)
      if (isElementwise) shortIndices(self, sizes.list)
      if (key === 'sort' || key === 'toSorted') compared(args, null)
      if (key !== 'set') return
      if (isView(args[0])) shortBytes(args[0])
      else shortList(args[0], sizes.list)
    }
    replaceMethod(TypedArray.prototype, key, after(checked))
  }
  for (const key of ['toBase64', 'toHex', 'setFromBase64', 'setFromHex']) {
    const checked = (self: unknown, args: unknown[]): void => {
      shortBytes(self)
      shortText(args[0], sizes.json)
    }
    replaceMethod(Uint8Array.prototype, key, after(checked))
  }
  for (const key of ['fromBase64', 'fromHex']) {
    replaceMethod(
      Uint8Array,
      key,
      after((_self, args) => void shortText(args[0], sizes.json)),
    )
  }

  const made = (_self: unknown, args: unknown[]): void => {
    const items = args[0]
    if (isView(items)) shortIndices(items, sizes.list)
    else if (typeof items === 'object' && items !== null && !(Symbol.iterator in items)) shortList(items, sizes.list)
    args[0] = steppable(items)
  }
  for (const holder of [Array, TypedArray]) replaceMethod(holder, 'from', after(made))
  replaceMethod(
    Array,
    'fromAsync',
    after((_self, args) => shortList(args[0], sizes.keys)),
  )

  const keysOf = (_self: unknown, args: unknown[]): void => {
    for (let at = 0; at < args.length; at += 1) shortIndices(args[at], sizes.keys)
  }
  const SOME = ['assign', 'entries', 'values', 'keys', 'getOwnPropertyNames', 'getOwnPropertyDescriptors']
  for (const key of [...SOME, 'getOwnPropertySymbols', 'defineProperties', 'create'])
    replaceMethod(Object, key, after(keysOf))
  replaceMethod(Reflect, 'ownKeys', after(keysOf))
  const elementsOf = (self: unknown, args: unknown[]): void => {
    shortIndices(self, sizes.list)
    shortIndices(args[0], sizes.list)
  }
  const ATTRIBUTES = ['freeze', 'seal', 'isFrozen', 'isSealed', 'preventExtensions', 'defineProperty', 'setPrototypeOf']
  for (const key of ATTRIBUTES) replaceMethod(Object, key, after(elementsOf))
  for (const key of ['preventExtensions', 'defineProperty', 'setPrototypeOf', 'set']) {
    replaceMethod(Reflect, key, after(elementsOf))
  }
  for (const key of ['__defineGetter__', '__defineSetter__']) replaceMethod(Object.prototype, key, after(elementsOf))
  replaceMethod(Object, 'fromEntries', after(made))
  for (const holder of [Object, Map]) replaceMethod(holder, 'groupBy', after(made))
  for (const key of ['all', 'allSettled', 'any', 'race']) replaceMethod(Promise, key, after(made))

  replaceMethod(
    Function.prototype,
    'apply',
    after((_self, args) => shortList(args[1], sizes.keys)),
  )
  replaceMethod(
    Reflect,
    'apply',
    after((_self, args) => shortList(args[2], sizes.keys)),
  )
  replaceMethod(
    Reflect,
    'construct',
    after((_self, args) => shortList(args[1], sizes.keys)),
  )

  const sizeOf = (value: unknown): unknown =>
    typeof value === 'object' && value !== null ? (value as Set<unknown>).size : 0
  for (const key of [
    'union',
    'intersection',
    'difference',
    'symmetricDifference',
    'isSubsetOf',
    'isSupersetOf',
    'isDisjointFrom',
  ]) {
    const checked = (self: unknown, args: unknown[]): void => {
      shortList({ length: sizeOf(self) }, sizes.keys)
      shortList({ length: sizeOf(args[0]) }, sizes.keys)
    }
    replaceMethod(Set.prototype, key, after(checked))
  }

  // V8 takes these steps without a pause, as many as `drop` counts.
  for (const key of [
    'reduce',
    'toArray',
    'forEach',
    'some',
    'every',
    'find',
    'map',
    'filter',
    'take',
    'drop',
    'flatMap',
  ]) {
    replaceMethod(Iterator.prototype, key, (original) => {
      const { method } = {
        method(this: unknown, ...args: unknown[]): unknown {
          return apply(original, check.stepping(this), args)
        },
      }
      return method
    })
  }
}
