import type { Clock } from '#schema'
import { BoundedMap } from './bounded-map.ts'
import { randomToken } from './identifiers.ts'

/** A grant of a user to a client; or of the client itself. */
export interface Grant {
  /** `authGrantId` of all its tokens. */
  readonly id: string
  readonly clientId: string
  readonly realm: string
  readonly subject: { readonly kind: 'user' | 'client'; readonly name: string }
  readonly grantType: string
  readonly authTime: number
  revoked: boolean
}

/** An issued token. */
export interface IssuedToken {
  readonly kind: 'access' | 'refresh'
  readonly value: string
  readonly grant: Grant
  /** `auditTrackingId`. */
  readonly trackingId: string
  readonly scopes: readonly string[]
  readonly tokenType: 'Bearer' | 'DPoP'
  readonly issuedAt: number
  readonly expiresAt: number
  readonly confirmation: Readonly<Record<string, string>> | null
  /** Claims of a token exchange: actor and audience. */
  readonly extra: Readonly<Record<string, unknown>>
}

/** Issued tokens, including client-side tokens, so that they can be revoked. */
export class Tokens {
  readonly #tokens: BoundedMap<string, IssuedToken>
  readonly #clock: Clock
  readonly #revoked: (token: IssuedToken) => void

  constructor(most: number, clock: Clock, revoked: (token: IssuedToken) => void) {
    this.#tokens = new BoundedMap(most)
    this.#clock = clock
    this.#revoked = revoked
  }

  grant(grant: Omit<Grant, 'id' | 'revoked' | 'authTime'>): Grant {
    return { ...grant, id: randomToken(), authTime: this.#clock.now(), revoked: false }
  }

  keep(token: IssuedToken): void {
    this.#tokens.set(token.value, token)
  }

  /** The token of this value while it is valid. */
  find(value: string): IssuedToken | undefined {
    const token = this.#tokens.get(value)
    if (token === undefined || token.grant.revoked) return undefined
    if (this.#clock.now() < token.expiresAt) return token
    this.#tokens.delete(value)
    return undefined
  }

  /** Revokes an access token alone, or a refresh token with its whole grant (RFC 7009 section 2.1). */
  revoke(token: IssuedToken): void {
    this.#tokens.delete(token.value)
    if (token.kind === 'refresh') token.grant.revoked = true
    this.#revoked(token)
  }

  /** Invalidates a refresh token without its grant. */
  retire(token: IssuedToken): void {
    this.#tokens.delete(token.value)
  }
}

/** Whether a grant belongs to this client. */
export function isOf(grant: Grant, { id, realm }: { readonly id: string; readonly realm?: string }): boolean {
  return grant.clientId === id && grant.realm === (realm ?? '/')
}
