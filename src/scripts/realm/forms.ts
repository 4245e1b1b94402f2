import type { Handle } from '../handle.ts'
import type { HostMessages } from '../host-messages.ts'
import type { RealmValues } from './values.ts'

/** Further classes in the scope of scripts. */
export interface RealmForms {
  readonly classes: { readonly Form: unknown; readonly ThrottlingRate: unknown }
  /** Number of requests and milliseconds of a rate; null for anything else. */
  rateOf(value: unknown): { numberOfRequests: number; duration: number } | null
}

interface MessageWithForm {
  uri: { rawQuery: string | null }
  headers: { set(name: string, value: string): void }
  entity: unknown
}

/** Runs inside the realm, see `realmValues`. */
export function realmForms({ toRealm, toHost }: RealmValues, host: HostMessages): RealmForms {
  class Form {
    readonly #fields = new Map<string, string[]>()

    constructor(fields?: unknown) {
      if (typeof fields === 'string') this.#read(fields)
      else if (typeof fields === 'object' && fields !== null) {
        for (const [name, value] of Object.entries(fields)) {
          for (const each of Array.isArray(value) ? value : [value]) this.add(name, each)
        }
      }
    }

    /** The first value of a name, or null. */
    get(name: unknown): string | null {
      return this.#fields.get(String(name))?.[0] ?? null
    }

    getAll(name: unknown): string[] {
      return [...(this.#fields.get(String(name)) ?? [])]
    }

    has(name: unknown): boolean {
      return this.#fields.has(String(name))
    }

    add(name: unknown, value: unknown): this {
      const key = String(name)
      const values = this.#fields.get(key)
      if (values === undefined) this.#fields.set(key, [String(value)])
      else values.push(String(value))
      return this
    }

    set(name: unknown, value: unknown): this {
      this.#fields.set(String(name), (Array.isArray(value) ? value : [value]).map(String))
      return this
    }

    delete(name: unknown): boolean {
      return this.#fields.delete(String(name))
    }

    names(): string[] {
      return [...this.#fields.keys()]
    }

    toString(): string {
      return host.formatForm(toHost(this.toJSON()) as Handle)
    }

    toJSON(): Record<string, string[]> {
      return Object.fromEntries(this.#fields)
    }

    // Names that scripts in Groovy use.
    getFirst(name: unknown): string | null {
      return this.get(name)
    }

    putSingle(name: unknown, value: unknown): this {
      return this.set(name, value)
    }

    toQueryString(): string {
      return host.formatQuery(toHost(this.toJSON()) as Handle)
    }

    fromString(text: unknown): this {
      this.#read(String(text))
      return this
    }

    /** The form as content of a request. */
    toRequestEntity(request: MessageWithForm): void {
      request.entity = this.toString()
      request.headers.set('Content-Type', 'application/x-www-form-urlencoded')
    }

    toRequestQuery(request: MessageWithForm): void {
      request.uri.rawQuery = this.toQueryString()
    }

    #read(text: string): void {
      const fields = toRealm(host.parseForm(text)) as Record<string, string[]>
      for (const [name, values] of Object.entries(fields)) for (const value of values) this.add(name, value)
    }
  }

  class ThrottlingRate {
    readonly numberOfRequests: number
    /** Milliseconds. */
    readonly duration: number

    constructor(numberOfRequests: unknown, duration: unknown) {
      const milliseconds = typeof duration === 'number' ? duration : host.duration(String(duration))
      if (!Number.isSafeInteger(numberOfRequests) || (numberOfRequests as number) < 1) {
        throw new RangeError(`numberOfRequests: expected an integer of at least 1, got ${String(numberOfRequests)}`)
      }
      if (milliseconds === null || !Number.isFinite(milliseconds) || milliseconds < 1) {
        throw new RangeError(`duration: expected a limited duration such as "10 seconds", got ${String(duration)}`)
      }
      this.numberOfRequests = numberOfRequests as number
      this.duration = milliseconds
      Object.freeze(this)
    }
  }

  return {
    classes: { Form, ThrottlingRate },
    rateOf: (value) => (value instanceof ThrottlingRate ? { ...value } : null),
  }
}
