import type { Session } from '#http'
import type { JsonObject } from '#json'
import type { IssuedTokens } from '#openid'
import { LOGIN_LIFETIME } from '../../lib/sso/login-cookies.ts'

/** A browser may have many tabs at the login page; the oldest gives way. */
const MAX_ATTEMPTS = 20

/** A login that was begun, and where it is to end. */
export interface BegunLogin {
  /** What its state, nonce and PKCE verifier are derived from. */
  readonly secret: string
  readonly registration: string
  readonly goto: string
}

/** Tokens of a user who has logged in. */
export interface KeptTokens {
  readonly registration: string
  readonly accessToken: string
  readonly refreshToken: string | null
  readonly idToken: string | null
  readonly claims: JsonObject | null
  /** Milliseconds since the epoch; null where the server did not say. */
  readonly expiresAt: number | null
  readonly scopes: readonly string[]
  /** When the user logged in, in milliseconds since the epoch. */
  readonly loggedInAt: number
}

/** What the filter keeps in the session: the tokens, and logins whose callback no cookie of this host reaches. */
export class LoginMemory {
  readonly #session: Session
  readonly #key: string
  readonly #now: number

  constructor(session: Session, key: string, now: number) {
    this.#session = session
    this.#key = key
    this.#now = now
  }

  begin(state: string, login: BegunLogin): void {
    const begun = this.#begun()
    const excess = begun.slice(0, Math.max(0, begun.length - MAX_ATTEMPTS + 1))
    for (const { key } of [...begun.filter(({ at }) => this.#isOver(at)), ...excess]) this.#session.delete(key)
    this.#session.set(this.#attemptKey(state), { ...login, at: this.#now })
  }

  /** The login of a state; null where there is none. */
  find(state: string): BegunLogin | null {
    const login = this.#session.get(this.#attemptKey(state)) as (BegunLogin & { readonly at: number }) | null
    return login === null || this.#isOver(login.at) ? null : login
  }

  end(state: string): void {
    this.#session.delete(this.#attemptKey(state))
  }

  get tokens(): KeptTokens | null {
    return this.#session.get(this.#key) as KeptTokens | null
  }

  /** Keeps tokens that the server was asked for at a time; what a refresh leaves out stays as it was. */
  keep(
    registration: string,
    issued: IssuedTokens,
    askedAt: number,
    before: KeptTokens | null,
    asked: readonly string[],
  ): KeptTokens {
    const scope = issued.answer['scope']
    const tokens: KeptTokens = {
      registration,
      accessToken: issued.accessToken,
      refreshToken: issued.refreshToken ?? before?.refreshToken ?? null,
      idToken: issued.idToken ?? before?.idToken ?? null,
      claims: issued.claims ?? before?.claims ?? null,
      expiresAt: issued.expiresIn === null ? null : askedAt + issued.expiresIn * 1_000,
      scopes: typeof scope === 'string' ? scope.split(' ').filter(Boolean) : (before?.scopes ?? asked),
      loggedInAt: before?.loggedInAt ?? this.#now,
    }
    this.#session.set(this.#key, tokens)
    return tokens
  }

  forget(): void {
    this.#session.delete(this.#key)
  }

  #begun(): { readonly key: string; readonly at: number }[] {
    const prefix = this.#attemptKey('')
    return [...this.#session.keys()]
      .filter((key) => key.startsWith(prefix))
      .map((key) => ({ key, at: (this.#session.get(key) as { readonly at: number }).at }))
      .sort((left, right) => left.at - right.at)
  }

  #isOver(at: number): boolean {
    return this.#now - at > LOGIN_LIFETIME
  }

  #attemptKey(state: string): string {
    return `${this.#key} login ${state}`
  }
}
