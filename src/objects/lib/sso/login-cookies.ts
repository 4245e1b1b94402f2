import { createHash } from 'node:crypto'
import type { Exchange, Response } from '#http'
import { isPlainObject, type JsonObject, parseJson } from '#json'
import { takeCookies } from '../session/session-cookie.ts'
import { hostCookieName, writeHostCookie } from './host-cookie.ts'

/** A login that a browser has begun, under the state that comes back with its answer. */
export interface BegunLogin extends JsonObject {
  readonly state: string
  /** Where it is to end. */
  readonly goto: string
}

/** How long a user may take to log in, in seconds. */
const LIFETIME = 3_600

/** The same in milliseconds. */
export const LOGIN_LIFETIME = LIFETIME * 1_000

/** Bytes of a URL before encoding: browsers drop cookies of more than 4,096 bytes. */
const LONGEST_GOTO = 2_000
const LONGEST_VALUE = 3_900
/** Logins that a browser may have under way: tabs that were opened again, pages that a user left. */
const MOST_LOGINS = 20
/** Characters of all logins of a browser: they are in the head of every request. Beyond them, URLs are shortened. */
const ALL_VALUES = 8_000
/** Bytes reserved for each later login: a path without a query. */
const SHORT_VALUE = 250
/** Characters of all logins that stay after one has ended: a session in cookies takes the room in the head of requests. */
const VALUES_BESIDE_SESSION = 2_000

/**
 * Keeps logins with the browsers that began them, each in a cookie of its own, since a browser may be at several login pages
 * and have no session yet. Over TLS no other host of the domain can have set such a cookie.
 */
export class LoginCookies {
  readonly #name: string
  readonly #isPosted: boolean

  /** `isPosted`: the answer is a form that another site posts. Only over TLS do browsers let a cookie go with it. */
  constructor(name: string, { isPosted }: { readonly isPosted: boolean }) {
    this.#name = name
    this.#isPosted = isPosted
  }

  /**
   * Keeps a login; a URL that is too long loses its query, or all but its site. What a page loads in the background can not
   * end at a login page, and leaves no cookie: a page of a hundred pictures would fill the head of every request.
   */
  remember(response: Response, exchange: Exchange, login: BegunLogin, now: number): void {
    const mode = exchange.request.headers.get('sec-fetch-mode')
    if (mode !== null && mode !== 'navigate') return
    const begun = this.#begun(exchange)
    // Browsers name the oldest first (RFC 6265 section 5.4).
    const old = begun.slice(0, Math.max(0, begun.length - MOST_LOGINS + 1))
    const used = begun.slice(old.length).reduce((sum, { length }) => sum + length, 0)
    const room = ALL_VALUES - used - SHORT_VALUE * (MOST_LOGINS - 1 - (begun.length - old.length))
    const value = encoded(login, now, Math.max(SHORT_VALUE, Math.min(LONGEST_VALUE, room)))
    if (value.length > LONGEST_VALUE) return
    for (const { name } of old) this.#write(response, exchange, name, null)
    this.#write(response, exchange, this.#nameFor(exchange, login.state), value)
  }

  /** The login that a state belongs to; null where this browser has not begun it, or too long ago. */
  recall(exchange: Exchange, state: string, now: number): BegunLogin | null {
    const [cookie] = exchange.request.cookies[this.#nameFor(exchange, state)] ?? []
    if (cookie === undefined || cookie.value.length > LONGEST_VALUE) return null
    const login = loginIn(cookie.value)
    if (login === null || now - login.at > LOGIN_LIFETIME) return null
    return { ...login, state }
  }

  /** Takes the cookie of a login away. */
  forget(response: Response, exchange: Exchange, state: string): void {
    this.#write(response, exchange, this.#nameFor(exchange, state), null)
  }

  /** Takes the oldest cookies of other logins away, so that they and a session fit into the head of requests. */
  trim(response: Response, exchange: Exchange, state: string): void {
    const others = this.#begun(exchange).filter(({ name }) => name !== this.#nameFor(exchange, state))
    let size = others.reduce((sum, { name, length }) => sum + name.length + length, 0)
    for (const { name, length } of others) {
      if (size <= VALUES_BESIDE_SESSION) return
      size -= name.length + length
      this.#write(response, exchange, name, null)
    }
  }

  /** Takes the cookies off a request that goes on: applications have no use for them. */
  strip({ request }: Exchange): void {
    if (!request.headers.all('cookie').some((field) => field.includes(`${this.#name}-`))) return
    takeCookies(request, (name) => name.startsWith(`${this.#name}-`) || name.startsWith(`__Host-${this.#name}-`))
  }

  #begun(exchange: Exchange): readonly { readonly name: string; readonly length: number }[] {
    const prefix = hostCookieName(exchange, `${this.#name}-`)
    return Object.entries(exchange.request.cookies)
      .filter(([name]) => name.startsWith(prefix))
      .map(([name, [cookie]]) => ({ name, length: cookie?.value.length ?? 0 }))
  }

  #write(response: Response, exchange: Exchange, name: string, value: string | null): void {
    writeHostCookie(response, exchange, name, value, { maxAge: LIFETIME, isPosted: this.#isPosted })
  }

  /** The name stands for the state, which the value leaves out: no other state with the same 128 bits of hash can be found. */
  #nameFor(exchange: Exchange, state: string): string {
    const hash = createHash('sha256').update(state).digest('base64url').slice(0, 22)
    return hostCookieName(exchange, `${this.#name}-${hash}`)
  }
}

/** The value of a login with as much of its URL as there is room for: all of it, its path, or its site. */
function encoded({ state: _, ...login }: BegunLogin, now: number, room: number): string {
  const { goto } = login
  const [path = '', site = ''] = [goto.split('?', 1)[0], /^https?:\/\/[^/]*/.exec(goto)?.[0]]
  const values = [goto, path]
    .filter(({ length }) => length <= LONGEST_GOTO)
    .map((url) => Buffer.from(JSON.stringify({ ...login, goto: url, at: now })).toString('base64url'))
  const root = () => Buffer.from(JSON.stringify({ ...login, goto: `${site}/`, at: now })).toString('base64url')
  return values.find(({ length }) => length <= room) ?? root()
}

function loginIn(value: string): (JsonObject & { readonly goto: string; readonly at: number }) | null {
  try {
    const login = parseJson(Buffer.from(value, 'base64url').toString())
    if (!isPlainObject(login)) return null
    const { goto, at } = login as Record<string, unknown>
    return typeof goto === 'string' && typeof at === 'number'
      ? (login as JsonObject & { goto: string; at: number })
      : null
  } catch {
    return null
  }
}
