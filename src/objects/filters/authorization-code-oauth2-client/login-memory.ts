import type { Session } from '#http'
import type { JsonObject } from '#json'
import type { IssuedTokens, LoginAttempt } from '#openid'
import { LOGIN_LIFETIME } from '../../lib/sso/login-cookies.ts'

/** A browser may have several tabs at the login page; the oldest gives way. */
const MAX_ATTEMPTS = 5

/** A login that was begun, and where it is to end. */
export interface BegunLogin extends LoginAttempt {
  readonly registration: string
  readonly goto: string
  readonly at: number
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
}

/** What the filter keeps in the session: logins under way, each for itself, and the tokens. */
export class LoginMemory {
  readonly #session: Session
  readonly #key: string
  readonly #now: number

  constructor(session: Session, key: string, now: number) {
    this.#session = session
    this.#key = key
    this.#now = now
  }

  begin(login: BegunLogin): void {
    const begun = this.#begun()
    const crowd = begun.slice(0, Math.max(0, begun.length - MAX_ATTEMPTS + 1))
    for (const { key } of [...begun.filter(({ at }) => this.#isOver(at)), ...crowd]) this.#session.delete(key)
    this.#session.set(this.#attemptKey(login.state), login)
  }

  /** Gives a login by its state, once. */
  take(state: string): BegunLogin | null {
    const login = this.#session.get(this.#attemptKey(state)) as BegunLogin | null
    if (login !== null) this.#session.delete(this.#attemptKey(state))
    return login === null || this.#isOver(login.at) ? null : login
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
      .map((key) => ({ key, at: (this.#session.get(key) as BegunLogin).at }))
      .sort((left, right) => left.at - right.at)
  }

  #isOver(at: number): boolean {
    return this.#now - at > LOGIN_LIFETIME
  }

  #attemptKey(state: string): string {
    return `${this.#key} login ${state}`
  }
}
