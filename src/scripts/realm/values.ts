import type { HostValues } from '../host-values.ts'

/** How values pass between a realm and the gateway. */
export interface RealmValues {
  /** A value of the gateway as scripts see it: primitives as they are, data copied, objects as views. */
  toRealm(value: unknown): unknown
  /** A value of a script as data of the gateway. */
  toHost(value: unknown): unknown
  /** A host object behind a proxy whose members are read when asked for. */
  view(value: object): object
  /** A list of the gateway's texts as an array of the realm. */
  texts(list: readonly string[]): string[]
  /** Runs code of the gateway; what it throws becomes an error of the realm. */
  attempt<T>(action: () => T): T
  /** An error of the realm for one of the gateway. */
  errorFor(message: string, cause: unknown): Error
  /** The gateway's error behind an error of the realm. */
  causeOf(error: unknown): unknown
}

/**
 * Made inside the realm from the text of this function, so it uses nothing but its parameters and what the language
 * has. Prototypes of the gateway's own realm stay on the other side: a script that adds to `Array.prototype` adds to its own.
 */
export function realmValues(host: HostValues): RealmValues {
  const { stringify } = JSON
  const MAX_DEPTH = 64
  const causes = new WeakMap<object, unknown>()

  const errorFor = (message: string, cause: unknown): Error => {
    const error = new Error(message)
    causes.set(error, cause)
    return error
  }

  const attempt = <T>(action: () => T): T => {
    try {
      return action()
    } catch (error) {
      // An error that is of the realm already has been through here, or is a script's own.
      if (error instanceof Error) throw error
      throw errorFor(String((error as { message?: unknown }).message), error)
    }
  }

  const texts = (list: readonly string[]): string[] => {
    const copy: string[] = []
    for (let at = 0; at < list.length; at += 1) copy[at] = list[at] as string
    return copy
  }

  const bytes = (value: unknown): Uint8Array => {
    const copy = new Uint8Array(host.length(value))
    host.copyBytes(value, copy)
    return copy
  }

  const elements = (value: unknown, depth: number): unknown[] => {
    const copy: unknown[] = []
    const length = host.length(value)
    for (let at = 0; at < length; at += 1) copy[at] = copied(host.at(value, at), depth + 1)
    return copy
  }

  const members = (value: unknown, depth: number): object => {
    const copy = {}
    for (const key of texts(host.keys(value))) {
      const member = copied(host.read(value, key), depth + 1)
      Object.defineProperty(copy, key, { value: member, writable: true, enumerable: true, configurable: true })
    }
    return copy
  }

  const copied = (value: unknown, depth: number): unknown => {
    if (depth > MAX_DEPTH) throw new RangeError(`a value is nested more than ${MAX_DEPTH} levels deep`)
    switch (host.shape(value)) {
      case 'plain':
        return value
      case 'list':
        return elements(value, depth)
      case 'set':
        return new Set(elements(value, depth))
      case 'map':
        return members(value, depth)
      case 'bytes':
        return bytes(value)
      case 'view':
        return view(value as object)
      default:
        return undefined
    }
  }

  const toRealm = (value: unknown): unknown => attempt(() => copied(value, 0))

  const toHost = (value: unknown): unknown => {
    if (value === null || value === undefined) return null
    if (typeof value === 'string' || typeof value === 'boolean') return value
    if (typeof value === 'number') return value
    if (value instanceof Uint8Array) return host.fromBytes(value)
    const text = stringify(value, (_key, member: unknown) => (member instanceof Set ? [...member] : member))
    if (text === undefined) throw new TypeError(`a ${typeof value} can not be passed to the gateway`)
    return attempt(() => host.fromJson(text))
  }

  const readMember = (value: object, key: string): unknown => {
    const member = attempt(() => host.read(value, key))
    if (member !== undefined) return toRealm(member)
    if (!host.hasMethod(value, key)) return undefined
    return (...args: unknown[]) => {
      const [first, second, third] = args.map(toHost)
      return attempt(() => toRealm(host.invoke(value, key, first, second, third)))
    }
  }

  const view = (value: object): object =>
    new Proxy(
      {},
      {
        get: (target, key) => {
          if (key === Symbol.toPrimitive) return () => attempt(() => toRealm(host.primitive(value)))
          if (typeof key !== 'string') return Reflect.get(target, key)
          return readMember(value, key)
        },
        set: (_target, key, member) => {
          const text = String(key)
          if (attempt(() => host.write(value, text, toHost(member)))) return true
          throw new TypeError(`"${text}" can not be changed by a script`)
        },
        deleteProperty: (_target, key) => attempt(() => host.write(value, String(key), null)),
        has: (_target, key) => typeof key === 'string' && texts(host.keys(value)).includes(key),
        ownKeys: () => texts(host.keys(value)),
        getOwnPropertyDescriptor: (_target, key) => {
          if (typeof key !== 'string' || !texts(host.keys(value)).includes(key)) return undefined
          return { value: readMember(value, key), enumerable: true, configurable: true, writable: true }
        },
      },
    )

  return {
    toRealm,
    toHost,
    view,
    texts,
    attempt,
    errorFor,
    causeOf: (error) => (typeof error === 'object' && error !== null ? causes.get(error) : undefined),
  }
}
