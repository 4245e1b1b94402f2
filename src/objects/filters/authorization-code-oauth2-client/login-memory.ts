import type { ClientRegistration } from '#contracts'
import type { Session } from '#http'
import type { JsonObject } from '#json'
import { type IssuedTokens, idTokenClaims } from '#openid'
import { LOGIN_LIFETIME } from '../../lib/sso/login-cookies.ts'
import { type LoginIdentity, loginIdentity } from './login-identity.ts'

/** A browser may have many tabs at the login page; the oldest gives way. */
const MAX_ATTEMPTS = 20

/** A login that was begun, and where it is to end. */
export interface BegunLogin {
  /** What its state, nonce and PKCE verifier are derived from. */
  readonly secret: string
  readonly registration: string
  readonly goto: string
  /** The `max_age` that was asked for. */
  readonly maxAge?: number
  /** The `acr_values` of which one is demanded. */
  readonly acr?: string
}

/** Tokens of a user who has logged in, as far as `sessionContent` keeps them. */
export interface KeptTokens {
  readonly registration: string
  readonly accessToken: string | null
  readonly refreshToken: string | null
  readonly idToken: string | null
  /** Claims that are kept beside the ID token or instead of it; see `claimsOf`. */
  readonly claims: JsonObject | null
  /** Milliseconds since the epoch; null where the server did not say. */
  readonly expiresAt: number | null
  readonly scopes: readonly string[]
  /** Class of the login; refreshed ID tokens may leave it out. */
  readonly acr: string | null
  /** When the user logged in, in milliseconds since the epoch. */
  readonly loggedInAt: number
  /** By what the provider can end the login; null where no ID token came. Refreshes leave it as it is. */
  readonly login: LoginIdentity | null
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

  /** The login of a state; null if missing. */
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
  keep(registration: ClientRegistration, issued: IssuedTokens, askedAt: number, before: KeptTokens | null): KeptTokens {
    const scope = issued.answer['scope']
    const keeps = (content: ClientRegistration['sessionContent'][number]) =>
      registration.sessionContent.includes(content)
    const claims = issued.claims ?? (before === null ? null : claimsOf(before))
    const tokens: KeptTokens = {
      registration: registrationKey(registration),
      accessToken: keeps('accessToken') ? issued.accessToken : null,
      refreshToken: keeps('refreshToken') ? (issued.refreshToken ?? before?.refreshToken ?? null) : null,
      idToken: keeps('idToken') ? (issued.idToken ?? before?.idToken ?? null) : null,
      claims: keptClaims(claims, keeps('claims'), keeps('idToken')),
      // Without an access token there is nothing that could expire.
      expiresAt: issued.expiresIn === null || !keeps('accessToken') ? null : askedAt + issued.expiresIn * 1_000,
      scopes: typeof scope === 'string' ? scope.split(' ').filter(Boolean) : (before?.scopes ?? registration.scopes),
      acr: typeof claims?.['acr'] === 'string' ? claims['acr'] : (before?.acr ?? null),
      loggedInAt: before?.loggedInAt ?? this.#now,
      login: before === null ? loginIdentity(issued.claims, registration.clientId, askedAt) : before.login,
    }
    if (before === null) this.#session.delete(this.#checkedKey)
    this.#session.set(this.#key, tokens)
    return tokens
  }

  forget(): void {
    this.#session.delete(this.#key)
    this.#session.delete(this.#checkedKey)
  }

  /** When the login was last checked for revocations, as far as it was kept; in a field of its own, beside a refresh. */
  get checkedAt(): number | null {
    return this.#session.get(this.#checkedKey) as number | null
  }

  setCheckedAt(time: number): void {
    this.#session.set(this.#checkedKey, time)
  }

  get #checkedKey(): string {
    return `${this.#key} checked`
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

/** The name of a registration: its client and its server. */
export function registrationKey({ clientId, issuer }: ClientRegistration): string {
  return `${clientId}@${issuer.name}`
}

/** The claims of the ID token of a session. */
export function claimsOf({ claims, idToken }: KeptTokens): JsonObject | null {
  return claims ?? (idToken === null ? null : idTokenClaims(idToken))
}

/** Claims that the gateway itself needs: user and session of the login, when it began, and how strong it was. */
const OWN_CLAIMS = ['iss', 'sub', 'sid', 'iat', 'acr', 'auth_time']

/** What of the claims is kept: they are read from the ID token where that is kept. */
function keptClaims(claims: JsonObject | null, keepsAll: boolean, keepsIdToken: boolean): JsonObject | null {
  if (claims === null || keepsAll) return claims
  if (keepsIdToken) return null
  return Object.fromEntries(Object.entries(claims).filter(([name]) => OWN_CLAIMS.includes(name)))
}
