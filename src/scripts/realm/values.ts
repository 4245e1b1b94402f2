import type { Handle } from '../handle.ts'
import type { HostValues } from '../host-values.ts'
import type { RealmNumbers } from './numbers.ts'

/** Conversion of values between a realm and the gateway. */
export interface RealmValues {
  /** Converts a value of the gateway: primitives unchanged, data copied, objects as views. */
  toRealm(value: unknown): unknown
  /** A value of a script as data of the gateway. */
  toHost(value: unknown): unknown
  /** A proxy of a host object whose members are read on access. */
  view(value: Handle): object
  /** Converts a list of strings of the gateway to an array of the realm. */
  texts(list: Handle): string[]
  /** Sets a value in a copy of the list or map of the gateway that contains `original`. */
  put(copy: object, key: string, value: unknown, original: unknown): void
}

/**
 * Runs inside the realm. Prototypes of the gateway's realm are not accessible: a script that extends
 * `Array.prototype` extends that of its own realm.
 */
export function realmValues(host: HostValues, numbers: RealmNumbers): RealmValues {
  const MAX_DEPTH = 64

  const texts = (list: Handle): string[] => {
    const copy: string[] = []
    const length = host.length(list)
    for (let at = 0; at < length; at += 1) copy[at] = host.at(list, at) as string
    return copy
  }

  const bytes = (value: unknown): Uint8Array => {
    const copy = new Uint8Array(host.length(value))
    host.copyBytes(value, copy)
    return copy
  }

  const put = (copy: object, key: string, value: unknown, original: unknown): void => {
    Object.defineProperty(copy, key, { value, writable: true, enumerable: true, configurable: true })
    // Only a number that is an object of the gateway has a source text that differs from its JavaScript value.
    if (typeof value === 'number' && typeof original === 'object') {
      numbers.remember(copy, key, value, host.numberText(original))
    }
  }

  const elements = (value: unknown, depth: number): unknown[] => {
    const copy: unknown[] = []
    const length = host.length(value)
    for (let at = 0; at < length; at += 1) {
      const element = host.at(value, at)
      put(copy, String(at), copied(element, depth + 1), element)
    }
    return copy
  }

  const members = (value: unknown, depth: number): object => {
    const copy = {}
    for (const key of texts(host.keys(value))) {
      const own = host.read(value, key)
      put(copy, key, copied(own, depth + 1), own)
    }
    return copy
  }

  const copied = (value: unknown, depth: number): unknown => {
    if (depth > MAX_DEPTH) throw new RangeError(`a value is nested more than ${MAX_DEPTH} levels deep`)
    switch (host.shape(value)) {
      case 'plain':
        return value
      case 'number':
        return numbers.numberOf(host.numberText(value))
      case 'list':
        return elements(value, depth)
      case 'set':
        return new Set(elements(value, depth))
      case 'map':
        return members(value, depth)
      case 'bytes':
        return bytes(value)
      case 'view':
        return view(value as Handle)
      default:
        return undefined
    }
  }

  const toRealm = (value: unknown): unknown => copied(value, 0)

  const toHost = (value: unknown): unknown => {
    if (value === null || value === undefined) return null
    if (typeof value === 'string' || typeof value === 'boolean') return value
    if (typeof value === 'number') return value
    if (value instanceof Uint8Array) return host.fromBytes(value)
    const text = numbers.stringify(value)
    if (text === undefined) throw new TypeError(`a ${typeof value} can not be passed to the gateway`)
    return host.fromJson(text)
  }

  const readMember = (value: Handle, key: string): unknown => {
    const member = host.read(value, key)
    if (member !== undefined) return toRealm(member)
    if (!host.hasMethod(value, key)) return undefined
    return (...args: unknown[]) => {
      const [first, second, third] = args.map(toHost)
      return toRealm(host.invoke(value, key, first, second, third))
    }
  }

  const view = (value: Handle): object =>
    new Proxy(
      {},
      {
        get: (target, key) => {
          if (key === Symbol.toPrimitive) return () => toRealm(host.primitive(value))
          if (typeof key !== 'string') return Reflect.get(target, key)
          return readMember(value, key)
        },
        set: (_target, key, member) => {
          const text = String(key)
          if (host.write(value, text, toHost(member))) return true
          throw new TypeError(`"${text}" can not be changed by a script`)
        },
        deleteProperty: (_target, key) => host.write(value, String(key), null),
        has: (_target, key) => typeof key === 'string' && texts(host.keys(value)).includes(key),
        ownKeys: () => texts(host.keys(value)),
        getOwnPropertyDescriptor: (_target, key) => {
          if (typeof key !== 'string' || !texts(host.keys(value)).includes(key)) return undefined
          return { value: readMember(value, key), enumerable: true, configurable: true, writable: true }
        },
      },
    )

  return { toRealm, toHost, view, texts, put }
}
