import type { RealmSizes } from './sizes.ts'

/** Conversion of JSON numbers that do not fit a double between a realm and the gateway. */
export interface RealmNumbers {
  /** A number by its text: an integer beyond 2^53 as BigInt, any other as the nearest double. */
  numberOf(text: string): number | bigint
  /** Records the text of a number in a list or object, until it changes. */
  remember(holder: object, key: string, value: unknown, text: string): void
  /** Reads JSON with such numbers. */
  parse(text: string): unknown
  /** Serialises JSON: unchanged numbers have their original text. */
  stringify(value: unknown): string | undefined
}

/**
 * Runs inside the realm. JavaScript compares numbers with `===` and checks for 0, so that `1.0` must be 1: a client
 * chooses the spelling. Values that are passed through retain it.
 */
export function realmNumbers({ isObject, shortText, shortIndices, sizes }: RealmSizes): RealmNumbers {
  type Replacer = (this: object, key: string, value: unknown) => unknown
  const json = JSON as unknown as {
    parse(
      text: string,
      reviver: (this: object, key: string, value: unknown, context: { source: string }) => unknown,
    ): unknown
    stringify(value: unknown, replacer?: unknown, space?: unknown): string | undefined
    rawJSON(text: string): unknown
    isRawJSON(value: unknown): boolean
  }
  const { parse: nativeParse, stringify: nativeStringify, rawJSON, isRawJSON } = json
  const { apply } = Reflect
  const { isArray } = Array
  const BOXED = [String, Number, Boolean, BigInt]
  const bigIntText = BigInt.prototype.toString
  const spellings = new WeakMap<object, Map<string, { readonly value: unknown; readonly text: string }>>()
  /** Limit of digits: a BigInt of a million digits, which a client may send, takes half a second to create and to print. */
  const MAX_DIGITS = 1_000
  let anySpelling = false

  const isWhole = (text: string): boolean => {
    for (let at = text.charCodeAt(0) === 0x2d ? 1 : 0; at < text.length; at += 1) {
      const unit = text.charCodeAt(at)
      if (unit < 0x30 || unit > 0x39) return false
    }
    return true
  }

  const numberOf = (text: string): number | bigint => {
    const value = Number(text)
    return Number.isSafeInteger(value) || text.length > MAX_DIGITS || !isWhole(text) ? value : BigInt(text)
  }

  const remember = (holder: object, key: string, value: unknown, text: string): void => {
    if (typeof value !== 'number' || String(value) === text) return
    let own = spellings.get(holder)
    if (own === undefined) {
      own = new Map()
      spellings.set(holder, own)
    }
    own.set(key, { value, text })
    anySpelling = true
  }

  const parse = (text: string): unknown =>
    nativeParse(text, function (key, value, { source }) {
      if (typeof value !== 'number') return value
      const number = numberOf(source)
      remember(this, key, number, source)
      return number
    })

  /** Called for each member, so that V8 can be interrupted between them. */
  const asWritten: Replacer = function (key, value) {
    if (typeof value === 'string') return shortText(value, sizes.text)
    if (isObject(value)) shortIndices(value, isArray(value) ? sizes.list : sizes.keys)
    if (typeof value === 'bigint') return rawJSON(apply(bigIntText, value, []))
    if (typeof value !== 'number' || !anySpelling) return value
    const spelling = spellings.get(this)?.get(key)
    return spelling?.value === value ? rawJSON(spelling.text) : value
  }

  const after = (own: Replacer): Replacer =>
    function (key, value) {
      const replaced = apply(own, this, [key, value])
      return apply(asWritten, replaced === value ? this : {}, [key, replaced])
    }

  const isBoxed = (value: unknown): boolean => BOXED.some((primitive) => value instanceof primitive)

  /** Members of the listed names, in the order of the list. */
  const listed = (names: readonly unknown[]): Replacer => {
    const isName = (name: unknown): boolean => ['string', 'number'].includes(typeof name) || isBoxed(name)
    const keys = [...new Set(names.filter(isName).map((name) => `${name as string}`))]
    return (_key, value) => {
      if (isObject(value)) shortIndices(value, sizes.list)
      else shortText(value, sizes.text)
      if (typeof value !== 'object' || value === null || isArray(value) || isBoxed(value) || isRawJSON(value))
        return value
      const members = value as Record<string, unknown>
      return new Proxy(
        {},
        {
          ownKeys: () => keys,
          getOwnPropertyDescriptor: (_target, key) => ({
            value: members[key as string],
            enumerable: true,
            configurable: true,
          }),
          get: (_target, key) => members[key as string],
        },
      )
    }
  }

  const stringify = (value: unknown): string | undefined =>
    nativeStringify(
      value,
      after((_key, member) => (member instanceof Set ? [...member] : member)),
    )

  // JSON.stringify of scripts preserves numbers too, and serialises a BigInt as a number.
  const written = (value: unknown, replacer?: unknown, space?: unknown): string | undefined => {
    if (isArray(replacer)) return nativeStringify(value, listed(replacer), space)
    return nativeStringify(value, typeof replacer === 'function' ? after(replacer as Replacer) : asWritten, space)
  }
  const define = (holder: object, name: string, value: unknown): void => {
    Object.defineProperty(holder, name, { value, writable: true, configurable: true, enumerable: false })
  }
  Object.defineProperty(written, 'name', { value: 'stringify', configurable: true })
  define(JSON, 'stringify', written)
  define(BigInt.prototype, 'toJSON', function (this: bigint) {
    return rawJSON(apply(bigIntText, this, []))
  })

  return { numberOf, remember, parse, stringify }
}
