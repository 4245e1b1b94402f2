import { type Exposure, exposed } from '#expression'
import { jsonCopy } from './json-copy.ts'
import type { SessionRevocations } from './session-revocations.ts'

/** Session content of one request; only JSON values. */
export interface Session {
  get(key: string): unknown
  set(key: string, value: unknown): void
  delete(key: string): boolean
  keys(): Iterable<string>
  clear(): void
  readonly isEmpty: boolean
  /** Changes the session id, as after a login (session fixation). */
  renew?(): void
  /** Identifies the session until it is renewed, also one that this exchange began. A secret; absent where sessions last for one exchange. */
  readonly id?: string
  /** The sessions of a cookie of this name, among this one and those of enclosing routes. */
  inCookie?(name: string): readonly Session[]
  /** Whether the content is in cookies, and so in the head of every request. */
  readonly isInCookies?: boolean
  /** Revocations of logins; absent where sessions last for one exchange. */
  readonly revocations?: SessionRevocations
}

/** A session for one exchange, for routes without a session filter. */
export function transientSession(): Session {
  return new TransientSession()
}

class TransientSession implements Session {
  /** Created by the first value: most exchanges have none. */
  #values: Map<string, unknown> | null = null

  get(key: string): unknown {
    return this.#values?.get(key) ?? null
  }

  set(key: string, value: unknown): void {
    this.#values ??= new Map()
    this.#values.set(key, jsonCopy(value))
  }

  delete(key: string): boolean {
    return this.#values?.delete(key) ?? false
  }

  keys(): Iterable<string> {
    return [...(this.#values?.keys() ?? [])]
  }

  clear(): void {
    this.#values = null
  }

  get isEmpty(): boolean {
    return this.#values === null || this.#values.size === 0
  }
}

/** A session in expressions: a map of JSON values; null removes. */
export class SessionMap {
  readonly session: Session

  constructor(session: Session) {
    this.session = session
  }

  get [exposed](): Exposure<SessionMap> {
    return EXPOSURE
  }
}

const EXPOSURE: Exposure<SessionMap> = {
  kind: 'session',
  index: (self, key) => self.session.get(String(key)),
  assignIndex: (self, key, value) => {
    if (value === null || value === undefined) self.session.delete(String(key))
    else self.session.set(String(key), jsonCopy(value))
  },
  keys: (self) => self.session.keys(),
  call: {
    get: (self, key) => self.session.get(String(key)),
    containsKey: (self, key) => [...self.session.keys()].includes(String(key)),
    isEmpty: (self) => self.session.isEmpty,
    size: (self) => [...self.session.keys()].length,
    remove: (self, key) => self.session.delete(String(key)),
    clear: (self) => {
      self.session.clear()
      return null
    },
  },
}
