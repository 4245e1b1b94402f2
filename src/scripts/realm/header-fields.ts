import type { Headers as HostHeaders } from '#http'
import type { RealmValues } from './values.ts'

/** Header fields as scripts see them. */
export interface RealmHeaders extends Iterable<[string, string]> {
  [name: string]: unknown
}

/** Makes the view that scripts have of header fields. */
export type HeaderView = (headers: HostHeaders) => RealmHeaders

/** Runs inside the realm, see `realmValues`. */
export function realmHeaders({ texts, attempt }: RealmValues): HeaderView {
  const textOf = (value: unknown): string => {
    if (typeof value === 'string') return value
    if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint') return String(value)
    throw new TypeError(`a header value has to be text, got ${value === null ? 'null' : typeof value}`)
  }

  class HeaderFields {
    readonly #host: HostHeaders

    constructor(host: HostHeaders) {
      this.#host = host
    }

    /** The first value of a name, or null. */
    get(name: unknown): string | null {
      return this.#host.get(String(name))
    }

    /** Every value of a name. */
    getAll(name: unknown): string[] {
      return texts(this.#host.all(String(name)))
    }

    has(name: unknown): boolean {
      return this.#host.has(String(name))
    }

    /** Replaces what a name has; null removes it. */
    set(name: unknown, value: unknown): void {
      const key = String(name)
      if (value === null || value === undefined) {
        this.#host.delete(key)
        return
      }
      const values = typeof value === 'object' ? Array.from(value as Iterable<unknown>, textOf) : [textOf(value)]
      attempt(() => this.#host.set(key, values))
    }

    add(name: unknown, value: unknown): void {
      const [key, text] = [String(name), textOf(value)]
      attempt(() => this.#host.add(key, text))
    }

    delete(name: unknown): boolean {
      return this.#host.delete(String(name))
    }

    names(): string[] {
      return texts(this.#host.names())
    }

    entries(): [string, string][] {
      const raw = this.#host.raw()
      const entries: [string, string][] = []
      for (let at = 0; at < raw.length; at += 2) entries.push([raw[at] as string, raw[at + 1] as string])
      return entries
    }

    forEach(callback: (value: string, name: string) => void): void {
      for (const [name, value] of this.entries()) callback(value, name)
    }

    [Symbol.iterator](): IterableIterator<[string, string]> {
      return this.entries().values()
    }

    toJSON(): Record<string, string[]> {
      const all: Record<string, string[]> = {}
      for (const name of this.names()) all[name] = this.getAll(name)
      return all
    }

    // Names that scripts in Groovy use.
    getFirst(name: unknown): string | null {
      return this.get(name)
    }

    put(name: unknown, value: unknown): void {
      this.set(name, value)
    }

    remove(name: unknown): boolean {
      return this.delete(name)
    }

    containsKey(name: unknown): boolean {
      return this.has(name)
    }
  }

  /** A member of the class comes before a header of that name. */
  const handler: ProxyHandler<HeaderFields> = {
    get: (target, key) => {
      if (typeof key === 'string' && !(key in target)) return target.has(key) ? target.getAll(key) : undefined
      const member: unknown = Reflect.get(target, key)
      return typeof member === 'function' ? (...args: unknown[]) => Reflect.apply(member, target, args) : member
    },
    set: (target, key, value) => {
      target.set(key, value)
      return true
    },
    deleteProperty: (target, key) => {
      target.delete(key)
      return true
    },
    has: (target, key) => key in target || (typeof key === 'string' && target.has(key)),
    ownKeys: (target) => target.names(),
    getOwnPropertyDescriptor: (target, key) =>
      typeof key === 'string' && target.has(key)
        ? { value: target.getAll(key), enumerable: true, configurable: true, writable: true }
        : undefined,
  }

  return (headers) => new Proxy(new HeaderFields(headers), handler) as unknown as RealmHeaders
}
