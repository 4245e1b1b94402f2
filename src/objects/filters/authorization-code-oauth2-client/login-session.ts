import type { ClientRegistration } from '#contracts'
import type { Session } from '#http'
import type { JsonObject } from '#json'
import { type IssuedTokens, idTokenClaims } from '#openid'
import { LOGIN_LIFETIME } from '../../lib/login/login-cookies.ts'
import { type LoginIdentity, loginIdentity } from './login-identity.ts'

/** Maximum of pending logins, for example in several tabs; the oldest is evicted. */
const MAX_ATTEMPTS = 20
/** Maximum characters of the URL of a page. */
const MAX_PAGE = 300

/** A login between the redirect to the server and its callback. */
export interface PendingLogin {
  /** Source of its state, nonce and PKCE verifier. */
  readonly secret: string
  readonly registration: string
  readonly goto: string
  /** `max_age` of the authorization request. */
  readonly maxAge?: number
  /** The `acr_values` of which one is demanded. */
  readonly acr?: string
}

/** Tokens of a user who has logged in, those that `sessionContent` selects. */
export interface SessionTokens {
  readonly registration: string
  readonly accessToken: string | null
  readonly refreshToken: string | null
  readonly idToken: string | null
  /** Claims stored besides the ID token or instead of it; see `claimsOf`. */
  readonly claims: JsonObject | null
  /** Milliseconds since the epoch; null if unknown. */
  readonly expiresAt: number | null
  readonly scopes: readonly string[]
  /** Authentication context class; refreshed ID tokens may lack it. */
  readonly acr: string | null
  /** When the user logged in, in milliseconds since the epoch. */
  readonly loggedInAt: number
  /** Identity by which the provider can end the login; null without an ID token. Refreshes do not change it. */
  readonly login: LoginIdentity | null
}

/** Session entries of the filter: the tokens, and pending logins whose callback is at another host. */
export class LoginSession {
  readonly #session: Session
  readonly #key: string
  readonly #now: number

  constructor(session: Session, key: string, now: number) {
    this.#session = session
    this.#key = key
    this.#now = now
  }

  begin(state: string, login: PendingLogin): void {
    const pending = this.#pending()
    const excess = pending.slice(0, Math.max(0, pending.length - MAX_ATTEMPTS + 1))
    for (const { key } of [...pending.filter(({ at }) => this.#isExpired(at)), ...excess]) this.#session.delete(key)
    this.#session.set(this.#attemptKey(state), { ...login, at: this.#now })
  }

  /** The login of a state; null if missing. */
  find(state: string): PendingLogin | null {
    const login = this.#session.get(this.#attemptKey(state)) as (PendingLogin & { readonly at: number }) | null
    return login === null || this.#isExpired(login.at) ? null : login
  }

  end(state: string): void {
    this.#session.delete(this.#attemptKey(state))
  }

  get tokens(): SessionTokens | null {
    return this.#session.get(this.#key) as SessionTokens | null
  }

  /** Stores tokens requested at `askedAt`; members missing from a refresh keep their value. */
  keep(
    registration: ClientRegistration,
    issued: IssuedTokens,
    askedAt: number,
    before: SessionTokens | null,
  ): SessionTokens {
    const scope = issued.answer['scope']
    const keeps = (content: ClientRegistration['sessionContent'][number]) =>
      registration.sessionContent.includes(content)
    const claims = issued.claims ?? (before === null ? null : claimsOf(before))
    const tokens: SessionTokens = {
      registration: registrationKey(registration),
      accessToken: keeps('accessToken') ? issued.accessToken : null,
      refreshToken: keeps('refreshToken') ? (issued.refreshToken ?? before?.refreshToken ?? null) : null,
      idToken: keeps('idToken') ? (issued.idToken ?? before?.idToken ?? null) : null,
      claims: keptClaims(claims, keeps('claims'), keeps('idToken')),
      // Without an access token nothing expires.
      expiresAt: issued.expiresIn === null || !keeps('accessToken') ? null : askedAt + issued.expiresIn * 1_000,
      scopes: typeof scope === 'string' ? scope.split(' ').filter(Boolean) : (before?.scopes ?? registration.scopes),
      acr: typeof claims?.['acr'] === 'string' ? claims['acr'] : (before?.acr ?? null),
      loggedInAt: before?.loggedInAt ?? this.#now,
      login: before === null ? loginIdentity(issued.claims, registration.clientId, askedAt) : before.login,
    }
    if (before === null) for (const key of [this.#checkedKey, this.#retriedKey]) this.#session.delete(key)
    this.#session.set(this.#key, tokens)
    return tokens
  }

  forget(): void {
    for (const key of [this.#key, this.#checkedKey, this.#retriedKey, this.#pageKey]) this.#session.delete(key)
  }

  /** URL of the page to which the last login led; null where it is too long. */
  get page(): string | null {
    return this.#session.get(this.#pageKey) as string | null
  }

  /** Without its query where it is long: sessions in cookies are limited. */
  setPage(url: string): void {
    const page = [url, url.split('?', 1)[0] as string].find(({ length }) => length <= MAX_PAGE) ?? null
    if (page === null) this.#session.delete(this.#pageKey)
    else this.#session.set(this.#pageKey, page)
  }

  /** Time of the last refresh for an application that rejected the token, in milliseconds since the epoch; null before the first. */
  get retriedAt(): number | null {
    return this.#session.get(this.#retriedKey) as number | null
  }

  setRetriedAt(time: number): void {
    this.#session.set(this.#retriedKey, time)
  }

  /** Time of the last check for revocations; a separate entry, so that it does not race a refresh. */
  get checkedAt(): number | null {
    return this.#session.get(this.#checkedKey) as number | null
  }

  setCheckedAt(time: number): void {
    this.#session.set(this.#checkedKey, time)
  }

  get #checkedKey(): string {
    return `${this.#key} checked`
  }

  get #retriedKey(): string {
    return `${this.#key} retried`
  }

  get #pageKey(): string {
    return `${this.#key} page`
  }

  #pending(): { readonly key: string; readonly at: number }[] {
    const prefix = this.#attemptKey('')
    return [...this.#session.keys()]
      .filter((key) => key.startsWith(prefix))
      .map((key) => ({ key, at: (this.#session.get(key) as { readonly at: number }).at }))
      .sort((left, right) => left.at - right.at)
  }

  #isExpired(at: number): boolean {
    return this.#now - at > LOGIN_LIFETIME
  }

  #attemptKey(state: string): string {
    return `${this.#key} login ${state}`
  }
}

/** The name of a registration: its client and its server. */
export function registrationKey({ clientId, issuer }: ClientRegistration): string {
  return `${clientId}@${issuer.name}`
}

/** The claims of the ID token of a session. */
export function claimsOf({ claims, idToken }: SessionTokens): JsonObject | null {
  return claims ?? (idToken === null ? null : idTokenClaims(idToken))
}

/** Claims that the gateway itself needs: user, session, time and authentication context class of the login. */
const OWN_CLAIMS = ['iss', 'sub', 'sid', 'iat', 'acr', 'auth_time']

/** Claims to store: none where they can be read from the stored ID token. */
function keptClaims(claims: JsonObject | null, keepsAll: boolean, keepsIdToken: boolean): JsonObject | null {
  if (claims === null || keepsAll) return claims
  if (keepsIdToken) return null
  return Object.fromEntries(Object.entries(claims).filter(([name]) => OWN_CLAIMS.includes(name)))
}
