import type { Exchange, Response, Session } from '#http'
import { type SessionCookieSettings, takeCookies, writeCookie } from './session-cookie.ts'
import { joinValue, partNames, splitValue } from './split-cookie.ts'

/** Maximum of values that are tried: a client may send the cookie several times. */
export const MAX_CANDIDATES = 4

/** What follows the configured name: the level of an inner manager, and the number of a part of a long value. */
const SUFFIX = /^(?:~\d{1,3})?(?:-[12])?$/

/**
 * The cookie of one session manager in one request. Nested managers with the same cookie name, also those of different types, have
 * cookies of their own, `name` and `name~1`, since each has its own session (spec, Route, session rule 2).
 */
export class NestedCookie {
  /** As configured. */
  readonly name: string
  /** Number of outer managers with the same cookie name. */
  readonly level: number
  /** The name with the suffix of the level. */
  readonly ownName: string
  /** The session of the enclosing route. */
  readonly around: Session | null
  readonly #settings: SessionCookieSettings
  /** All cookies of the name, of any level: the outermost manager has removed them from the request. */
  readonly #sent: ReadonlyMap<string, readonly string[]>

  private constructor(
    settings: SessionCookieSettings,
    level: number,
    around: Session | null,
    sent: ReadonlyMap<string, readonly string[]>,
  ) {
    this.name = settings.name
    this.level = level
    this.ownName = level === 0 ? settings.name : `${settings.name}~${level}`
    this.around = around
    this.#settings = settings
    this.#sent = sent
  }

  /** Removes the cookies of the name from the request. */
  static open(exchange: Exchange, settings: SessionCookieSettings): NestedCookie {
    const { request, existingSession: around } = exchange
    const outer = cookieOf(around)?.find(settings.name) ?? null
    if (outer !== null) return new NestedCookie(settings, outer.level + 1, around, outer.#sent)
    const { name: own } = settings
    const isOurs = (name: string): boolean => name.startsWith(own) && SUFFIX.test(name.slice(own.length))
    exchange.reserveCookies({ includes: isOurs })
    return new NestedCookie(settings, 0, around, request.headers.has('cookie') ? takeCookies(request, isOurs) : NONE)
  }

  /**
   * The values that the client sent, each once. Of several cookies of a name, those of longer paths come first (RFC 6265 section 5.4):
   * the rest of a split value is joined from the first ones, or from the last. What follows an exclamation mark is the session of an
   * inner manager, as older gateways wrote it, and ignored.
   */
  get candidates(): readonly string[] {
    const firsts = this.#sent.get(this.ownName)
    if (firsts === undefined) return []
    const names = partNames(this.ownName)
    const joined = [0, -1].flatMap((at) =>
      firsts.map((first) => joinValue(first, (index) => this.#sent.get(names[index] ?? '')?.at(at))),
    )
    const values = joined.map((value) => value?.split('!', 1)[0] ?? '')
    return [...new Set(values)].filter((value) => value !== '')
  }

  /** Sets the cookie in the response; an empty value deletes it. */
  write(exchange: Exchange, response: Response, value: string, maxAge?: number): void {
    const texts = value === '' ? [] : splitValue(value)
    for (const [index, name] of partNames(this.ownName).entries()) {
      const text = texts[index]
      if (text !== undefined) writeCookie(response, exchange, this.#settings, name, text, maxAge)
      else if (this.#sent.has(name) || index === 0) writeCookie(response, exchange, this.#settings, name, '')
    }
  }

  /** The innermost manager of a cookie name: this one or an outer one. */
  find(name: string): NestedCookie | null {
    return this.name === name ? this : (cookieOf(this.around)?.find(name) ?? null)
  }
}

const NONE: ReadonlyMap<string, readonly string[]> = new Map()

function cookieOf(session: Session | null): NestedCookie | null {
  const cookie = (session as { readonly cookie?: unknown } | null)?.cookie
  return cookie instanceof NestedCookie ? cookie : null
}
