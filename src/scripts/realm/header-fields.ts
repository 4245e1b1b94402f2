import type { Handle } from '../handle.ts'
import type { HostMessages } from '../host-messages.ts'
import type { RealmValues } from './values.ts'

/** Header fields as scripts see them. */
export interface RealmHeaders extends Iterable<[string, string]> {
  [name: string]: unknown
}

/** Creates the view of header fields for scripts. */
export type HeaderView = (headers: Handle) => RealmHeaders

/** Runs inside the realm, see `realmValues`. */
export function realmHeaders({ texts, toHost }: RealmValues, host: HostMessages): HeaderView {
  const textOf = (value: unknown): string => {
    if (typeof value === 'string') return value
    if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint') return String(value)
    throw new TypeError(`a header value has to be text, got ${value === null ? 'null' : typeof value}`)
  }

  /** The headers of the next instance. Not a parameter of the constructor, which scripts could use. */
  let adopted: Handle | null = null

  class HeaderFields {
    readonly #host: Handle

    constructor() {
      if (adopted === null) throw new TypeError('header fields are created only by the gateway')
      this.#host = adopted
    }

    /** The first value of a name, or null. */
    get(name: unknown): string | null {
      return host.header(this.#host, String(name))
    }

    /** Every value of a name. */
    getAll(name: unknown): string[] {
      return texts(host.headerValues(this.#host, String(name)))
    }

    has(name: unknown): boolean {
      return host.hasHeader(this.#host, String(name))
    }

    /** Replaces the values of a name; null removes it. */
    set(name: unknown, value: unknown): void {
      const key = String(name)
      if (value === null || value === undefined) {
        host.deleteHeader(this.#host, key)
        return
      }
      if (typeof value !== 'object') host.setHeader(this.#host, key, textOf(value))
      else host.setHeader(this.#host, key, toHost(Array.from(value as Iterable<unknown>, textOf)) as Handle)
    }

    add(name: unknown, value: unknown): void {
      host.addHeader(this.#host, String(name), textOf(value))
    }

    delete(name: unknown): boolean {
      return host.deleteHeader(this.#host, String(name))
    }

    names(): string[] {
      return texts(host.headerNames(this.#host))
    }

    entries(): [string, string][] {
      const raw = texts(host.headerLines(this.#host))
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

  /** Members of the class take precedence over headers of the same name. */
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

  Reflect.deleteProperty(HeaderFields.prototype, 'constructor')
  return (headers) => {
    adopted = headers
    try {
      return new Proxy(new HeaderFields(), handler) as unknown as RealmHeaders
    } finally {
      adopted = null
    }
  }
}
