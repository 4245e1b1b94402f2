import { createHash } from 'node:crypto'
import type { Exchange, Response } from '#http'
import { isPlainObject, type JsonObject, parseJson } from '#json'
import { hostCookieName, withholdHostCookies, writeHostCookie } from '../browser/host-cookie.ts'

/** A pending login of a browser; `state` is returned with the authorization response. */
export interface LoginRecord extends JsonObject {
  readonly state: string
  /** URL to redirect to after the login. */
  readonly goto: string
}

/** Maximum duration of a login in seconds. */
const LIFETIME = 3_600

/** The same in milliseconds. */
export const LOGIN_LIFETIME = LIFETIME * 1_000

/** Maximum bytes of a URL before encoding: browsers drop cookies of more than 4,096 bytes. */
const LONGEST_GOTO = 2_000
const LONGEST_VALUE = 3_900
/** Maximum of pending logins of a browser, for example in several tabs. */
const MOST_LOGINS = 20
/** Maximum characters of all logins of a browser: they are in the head of every request. Beyond it, URLs are shortened. */
const ALL_VALUES = 8_000
/** Bytes reserved for each later login: a path without a query. */
const SHORT_VALUE = 250
/** Maximum characters of all logins after one has completed: the request head then has a session in cookies too. */
const VALUES_BESIDE_SESSION = 2_000

/**
 * Stores pending logins in the browser, each in its own cookie, since a browser may be at several login pages and has no session yet.
 * Over TLS no other host of the domain can set such a cookie.
 */
export class LoginCookies {
  readonly #name: string
  readonly #isPosted: boolean

  /** `isPosted`: the authorization response is a form posted by another site. Browsers send a cookie with it only over TLS. */
  constructor(name: string, { isPosted }: { readonly isPosted: boolean }) {
    this.#name = name
    this.#isPosted = isPosted
  }

  /**
   * Stores a login; a URL that is too long is cut to its path, or to its origin. Stores nothing for requests other than navigations,
   * which can not show a login page: the cookies of a page with a hundred images would fill the head of every request.
   */
  add(response: Response, exchange: Exchange, login: LoginRecord, now: number): void {
    const mode = exchange.request.headers.get('sec-fetch-mode')
    if (mode !== null && mode !== 'navigate') return
    const begun = this.#begun(exchange)
    // Browsers send the oldest cookie first (RFC 6265 section 5.4).
    const old = begun.slice(0, Math.max(0, begun.length - MOST_LOGINS + 1))
    const used = begun.slice(old.length).reduce((sum, { length }) => sum + length, 0)
    const room = ALL_VALUES - used - SHORT_VALUE * (MOST_LOGINS - 1 - (begun.length - old.length))
    const value = encoded(login, now, Math.max(SHORT_VALUE, Math.min(LONGEST_VALUE, room)))
    if (value.length > LONGEST_VALUE) return
    for (const { name } of old) this.#write(response, exchange, name, null)
    this.#write(response, exchange, this.#nameFor(exchange, login.state), value)
  }

  /** The login of a state; null where this browser did not start it, or it has expired. */
  find(exchange: Exchange, state: string, now: number): LoginRecord | null {
    const [cookie] = exchange.request.cookies[this.#nameFor(exchange, state)] ?? []
    if (cookie === undefined || cookie.value.length > LONGEST_VALUE) return null
    const login = loginIn(cookie.value)
    if (login === null || now - login.at > LOGIN_LIFETIME) return null
    return { ...login, state }
  }

  delete(response: Response, exchange: Exchange, state: string): void {
    this.#write(response, exchange, this.#nameFor(exchange, state), null)
  }

  /** Deletes the oldest cookies of other logins, so that the rest and a session fit into the head of requests. */
  trim(response: Response, exchange: Exchange, state: string): void {
    const others = this.#begun(exchange).filter(({ name }) => name !== this.#nameFor(exchange, state))
    let size = others.reduce((sum, { name, length }) => sum + name.length + length, 0)
    for (const { name, length } of others) {
      if (size <= VALUES_BESIDE_SESSION) return
      size -= name.length + length
      this.#write(response, exchange, name, null)
    }
  }

  /** Removes the cookies from a request before it is passed on, and from the response of an application. */
  strip(exchange: Exchange): void {
    withholdHostCookies(exchange, `${this.#name}-`)
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

  /** The name contains a hash of the state, of more than 128 bits, so that the value need not contain the state. */
  #nameFor(exchange: Exchange, state: string): string {
    const hash = createHash('sha256').update(state).digest('base64url').slice(0, 22)
    return hostCookieName(exchange, `${this.#name}-${hash}`)
  }
}

/** The cookie value of a login with as much of its URL as fits: all of it, its path, or its origin. */
function encoded({ state: _, ...login }: LoginRecord, now: number, room: number): string {
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
