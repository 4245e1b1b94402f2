import type { Exchange, Response, Session } from '#http'
import { type SessionCookieSettings, takeCookies, writeCookie } from './session-cookie.ts'
import { joinValue, partNames, splitValue } from './split-cookie.ts'

/** Maximum of values that are tried: a client may send the cookie several times. */
export const MAX_CANDIDATES = 4

/** Separates the parts of a cookie shared by several session managers. */
const SEPARATOR = '!'

/** A cookie as received in the request and as written to the response. */
interface CookieState {
  readonly sent: ReadonlyMap<string, readonly string[]>
  /** The parts of each value: a client may send the name several times. */
  readonly values: readonly (readonly string[])[]
  settings: SessionCookieSettings
  /** Parts by level. */
  parts: string[]
  /** Set-Cookie fields on the response, to be replaced when another manager writes. */
  written: readonly string[]
}

/**
 * The part of a session cookie that belongs to one manager. Nested routes whose managers have the same cookie name share the cookie:
 * `outer!inner`, also those of different types. Each has its own session (spec, Route, session rule 2). With one manager the cookie
 * has one part.
 */
export class CookiePart {
  readonly name: string
  /** Number of outer managers of the same cookie. */
  readonly level: number
  /** The session of the enclosing route. */
  readonly around: Session | null
  readonly #state: CookieState

  private constructor(level: number, around: Session | null, state: CookieState) {
    this.name = state.settings.name
    this.level = level
    this.around = around
    this.#state = state
  }

  /** Removes the cookie from the request, with those over which a long value is split. */
  static open(exchange: Exchange, cookie: SessionCookieSettings): CookiePart {
    const { request, existingSession: around } = exchange
    const outer = sharedPart(around, cookie.name)
    if (outer !== null) return new CookiePart(outer.level + 1, around, outer.#stateFor(cookie))
    const names = partNames(cookie.name)
    exchange.reserveCookies(names)
    if (!request.headers.has('cookie'))
      return new CookiePart(0, around, {
        sent: NONE,
        values: NO_VALUES,
        settings: cookie,
        parts: [],
        written: NO_VALUES,
      })
    const sent = takeCookies(request, (name) => names.includes(name))
    const values = sentValues(sent, names).map((value) => value.split(SEPARATOR))
    const parts = [...(values[0] ?? [])]
    return new CookiePart(0, around, { sent, values, settings: cookie, parts, written: [] })
  }

  /** The part of this manager in each value that the client sent. */
  get candidates(): readonly string[] {
    const { values } = this.#state
    if (values.length === 0) return NO_VALUES
    return values.map((parts) => parts[this.level] ?? '').filter((part) => part !== '')
  }

  /** The candidate that is a session: a change of it leaves the parts of other managers in the same value as they are. */
  accept(candidate: string): void {
    const state = this.#state
    const value = state.values.find((parts) => parts[this.level] === candidate) ?? []
    state.parts = [...state.parts.slice(0, this.level), ...value.slice(this.level)]
  }

  /** Sets the part in the response. An empty part is removed; without parts the cookie is deleted. */
  write(exchange: Exchange, response: Response, part: string, maxAge?: number): void {
    const state = this.#state
    while (state.parts.length <= this.level) state.parts.push('')
    state.parts[this.level] = part
    const value = state.parts.join(SEPARATOR).replace(/!+$/, '')
    const texts = value === '' ? [] : splitValue(value)
    const others = response.headers.all('set-cookie').filter((field) => !state.written.includes(field))
    response.headers.delete('set-cookie')
    for (const field of others) response.headers.add('Set-Cookie', field)
    for (const [index, name] of partNames(this.name).entries()) {
      const text = texts[index]
      if (text !== undefined) writeCookie(response, exchange, state.settings, name, text, maxAge)
      else if (state.sent.has(name) || index === 0) writeCookie(response, exchange, state.settings, name, '')
    }
    state.written = response.headers.all('set-cookie').slice(others.length)
  }

  /** The innermost manager of the same cookie: this one or an outer one. */
  find(name: string): CookiePart | null {
    return this.name === name ? this : sharedPart(this.around, name)
  }

  /** Cookies with different domains or paths are different cookies to a browser: they are written separately. */
  #stateFor(cookie: SessionCookieSettings): CookieState {
    const state = this.#state
    const { domain, path } = state.settings
    if (cookie.domain !== domain || cookie.path !== path) {
      return { ...state, settings: cookie, parts: [], written: [] }
    }
    state.settings = stricter(state.settings, cookie)
    return state
  }
}

/**
 * The values that the client sent. Of several cookies of a name, those of longer paths come first (RFC 6265 section 5.4): the rest of a
 * split value is joined from the first ones, or from the last.
 */
function sentValues(sent: ReadonlyMap<string, readonly string[]>, names: readonly string[]): readonly string[] {
  const firsts = sent.get(names[0] as string) ?? []
  const joined = [0, -1].flatMap((at) =>
    firsts.map((first) => joinValue(first, (index) => sent.get(names[index] ?? '')?.at(at))),
  )
  return [...new Set(joined)].filter((value) => value !== null)
}

const NONE: ReadonlyMap<string, readonly string[]> = new Map()
const NO_VALUES: readonly never[] = []

function sharedPart(session: Session | null, name: string): CookiePart | null {
  if (session === null) return null
  const { cookie } = session as Session & { readonly cookie?: unknown }
  return cookie instanceof CookiePart ? cookie.find(name) : null
}

const STRICTNESS = { NONE: 0, LAX: 1, STRICT: 2 }

function stricter(one: SessionCookieSettings, other: SessionCookieSettings): SessionCookieSettings {
  return {
    ...one,
    httpOnly: one.httpOnly || other.httpOnly,
    // If undefined, the scheme of the request decides.
    secure: one.secure === true || other.secure === true ? true : one.secure && other.secure,
    sameSite: STRICTNESS[one.sameSite] > STRICTNESS[other.sameSite] ? one.sameSite : other.sameSite,
  }
}
