import type { CompleteSettings } from '../settings.ts'
import type { Directory } from '../state/accounts.ts'
import type { Session, SessionOwner, Sessions } from '../state/sessions.ts'
import type { Transactions } from '../state/transactions.ts'
import { combined, type LoginMethod } from './login-method.ts'

/** Credentials of a login. */
export interface Credentials {
  readonly name: string
  readonly password: string
}

/** Logs in by credentials: creates a session, upgrades one, or approves a transaction. */
export class Logins {
  readonly #directory: Directory
  readonly #sessions: Sessions
  readonly #transactions: Transactions

  constructor(directory: Directory, sessions: Sessions, transactions: Transactions) {
    this.#directory = directory
    this.#sessions = sessions
    this.#transactions = transactions
  }

  /** The session after the login; `current` is the existing one. Null for a failed login. */
  enter(method: LoginMethod, realm: string, credentials: Credentials, current: Session | undefined): Session | null {
    const owner = this.#verified(method.kind, realm, credentials)
    if (owner === null) return null
    const own = current !== undefined && method.kind === 'user' && isSame(current.owner, owner) ? current : undefined
    if (method.transaction !== null)
      return own !== undefined && this.#transactions.approve(method.transaction, own.uid) ? own : null
    if (own === undefined) return this.#sessions.start(owner, method.strength)
    const stronger = this.#sessions.start(owner, combined(own.strength, method.strength))
    this.#sessions.end(own, 'DESTROY')
    return stronger
  }

  #verified(kind: LoginMethod['kind'], realm: string, { name, password }: Credentials): SessionOwner | null {
    if (kind === 'agent') {
      const agent = this.#directory.authenticateAgent(realm, name, password)
      return agent === undefined ? null : { kind, name, realm, admin: false }
    }
    const user = this.#directory.authenticateUser(realm, name, password)
    return user === undefined ? null : { kind, name, realm, admin: user.admin ?? false }
  }
}

type CookieSettings = Pick<CompleteSettings, 'cookieName' | 'secureCookie' | 'domains'>

/** Set-Cookie fields of a session, one for each domain. */
export function sessionCookies({ tokenId }: Session, settings: CookieSettings): string[] {
  return cookies(`${settings.cookieName}=${tokenId}`, settings)
}

/** Set-Cookie fields that delete the session cookie. */
export function expiredCookies(settings: CookieSettings): string[] {
  return cookies(`${settings.cookieName}=; Max-Age=0`, settings)
}

function cookies(begin: string, { secureCookie, domains }: CookieSettings): string[] {
  const end = `; Path=/; HttpOnly${secureCookie ? '; Secure' : ''}`
  return domains.length === 0 ? [begin + end] : domains.map((domain) => `${begin}; Domain=${domain}${end}`)
}

function isSame(one: SessionOwner, other: SessionOwner): boolean {
  return one.kind === other.kind && one.name === other.name && one.realm === other.realm
}
