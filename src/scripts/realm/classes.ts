import type { Method, ReplaceMethod } from './methods.ts'
import type { RealmSizes } from './sizes.ts'

/** Runs inside the realm. Classes, and functions of languages and times, throw a RangeError for larger values. */
export function limitClasses(replaceMethod: ReplaceMethod, check: RealmSizes): void {
  const { apply, construct, getPrototypeOf, ownKeys } = Reflect
  const { defineProperty, getOwnPropertyDescriptor } = Object
  const { isObject, formattable, shortBytes, shortIndices, shortList, shortText, fewBytes, steppable, sizes } = check
  const { isView } = ArrayBuffer
  type Checked = (args: unknown[]) => void

  /**
   * Replaces a class. The `constructor` of its prototype is that of V8 where `isFast`: V8 would give up a fast path of the whole
   * thread.
   */
  const replaceClass = (holder: object, name: string, checked: Checked, isFast = false): void => {
    const { value, ...attributes } = getOwnPropertyDescriptor(holder, name) ?? {}
    if (typeof value !== 'function') return
    const limited: unknown = new Proxy(value, {
      apply: (target, self, args) => {
        checked(args)
        return apply(target, self, args)
      },
      construct: (target, args, newTarget): object => {
        checked(args)
        return construct(target, args, newTarget === limited ? target : newTarget)
      },
    })
    defineProperty(holder, name, { ...attributes, value: limited })
    if (!isFast) {
      const own = getOwnPropertyDescriptor(value.prototype, 'constructor')
      defineProperty(value.prototype, 'constructor', { ...own, value: limited })
    }
  }

  const fromIterable = (args: unknown[]): void => {
    if (args.length > 0) args[0] = steppable(args[0])
  }
  for (const name of ['Map', 'Set', 'WeakMap', 'WeakSet', 'AggregateError'])
    replaceClass(globalThis, name, fromIterable)
  replaceClass(globalThis, 'Date', (args) => void (args.length === 1 && shortText(args[0], sizes.conversion)))
  replaceClass(globalThis, 'RegExp', (args) => void shortText(args[0], sizes.pattern), true)

  replaceClass(globalThis, 'ArrayBuffer', (args) => {
    const options = args[1]
    fewBytes(Number(args[0]))
    if (isObject(options)) fewBytes(Number((options as { maxByteLength?: unknown }).maxByteLength ?? 0))
  })
  const resized = (original: Method): Method => {
    const { method } = {
      method(this: unknown, ...args: unknown[]): unknown {
        shortBytes(this)
        fewBytes(Number(args[0] ?? 0))
        return apply(original, this, args)
      },
    }
    return method
  }
  for (const key of ['resize', 'transfer', 'transferToFixedLength', 'slice']) {
    replaceMethod(ArrayBuffer.prototype, key, resized)
  }

  const TypedArray = getPrototypeOf(Uint8Array) as object
  for (const name of ownKeys(globalThis)) {
    const { value } = getOwnPropertyDescriptor(globalThis, name) ?? {}
    if (typeof name !== 'string' || typeof value !== 'function' || getPrototypeOf(value) !== TypedArray) continue
    const { BYTES_PER_ELEMENT } = value as typeof Uint8Array
    const checked = (args: unknown[]): void => {
      const source = args[0]
      if (!isObject(source)) fewBytes(Number(source ?? 0) * BYTES_PER_ELEMENT)
      else if (isView(source)) {
        shortBytes(source)
        shortIndices(source, sizes.bytes / BYTES_PER_ELEMENT)
      } else if (Symbol.iterator in source) args[0] = steppable(source)
      else shortList(source, sizes.list)
    }
    replaceClass(globalThis, name, checked, true)
  }

  const formats = (original: Method): Method => {
    const { method } = {
      method(this: unknown, ...args: unknown[]): unknown {
        formattable(args, 0)
        return apply(original, this, args)
      },
    }
    return method
  }
  const reads = (original: Method): Method => {
    const { method } = {
      method(this: unknown, text: unknown): unknown {
        return apply(original, this, [
          shortText(isObject(text) ? `${text as unknown as string}` : text, sizes.conversion),
        ])
      },
    }
    return method
  }
  /** Functions that a getter returns, such as `compare`, are bound: there is one for each object. */
  const returns =
    (max: number) =>
    (original: Method): Method => {
      const bound = new WeakMap<object, unknown>()
      const { method } = {
        method(this: unknown): unknown {
          const value = apply(original, this, []) as Method
          const known = bound.get(value)
          if (known !== undefined) return known
          const limited = (...args: unknown[]): unknown => {
            for (let at = 0; at < args.length; at += 1) shortText(args[at], max)
            if (max === sizes.formatted) formattable(args, 0)
            return apply(value, undefined, args)
          }
          for (const key of ['name', 'length'] as const) {
            defineProperty(limited, key, getOwnPropertyDescriptor(value, key) as PropertyDescriptor)
          }
          bound.set(value, limited)
          return limited
        },
      }
      return method
    }

  const limitNamespace = (namespace: Record<string, unknown>): void => {
    for (const name of ownKeys(namespace)) {
      if (typeof name !== 'string') continue
      const value = namespace[name]
      if (isObject(value) && typeof value !== 'function') limitNamespace(value as Record<string, unknown>)
      if (typeof value !== 'function') continue
      const { prototype } = value as { prototype?: object }
      if (prototype === undefined) {
        replaceMethod(namespace, name, formats)
        continue
      }
      for (const holder of [value, prototype]) {
        for (const key of ownKeys(holder)) {
          const descriptor = getOwnPropertyDescriptor(holder, key) as PropertyDescriptor
          if (key === 'constructor' || key === 'prototype') continue
          if (key === 'segment') replaceMethod(holder, key, reads)
          else if (key === 'compare' && descriptor.get) replaceMethod(holder, key, returns(sizes.conversion))
          else if (key === 'format' && descriptor.get) replaceMethod(holder, key, returns(sizes.formatted))
          else if (typeof descriptor.value === 'function') replaceMethod(holder, key, formats)
        }
      }
      replaceClass(namespace, name, (args) => formattable(args, 0))
    }
  }
  // Hundreds of functions, which few scripts use, are replaced with the first use.
  for (const name of ['Intl', 'Temporal']) {
    const { value: namespace, ...attributes } = getOwnPropertyDescriptor(globalThis, name) ?? {}
    if (!isObject(namespace)) continue
    const limited = (): unknown => {
      defineProperty(globalThis, name, { ...attributes, value: namespace })
      limitNamespace(namespace as Record<string, unknown>)
      return namespace
    }
    const set = (value: unknown): void => void defineProperty(globalThis, name, { ...attributes, value })
    defineProperty(globalThis, name, { configurable: true, enumerable: false, get: limited, set })
  }
}
