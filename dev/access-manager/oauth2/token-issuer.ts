import { SignJWT } from 'jose'
import type { Clock } from '#schema'
import type { Family } from '../settings.ts'
import type { Client } from '../state/accounts.ts'
import { randomToken, trackingId } from '../state/identifiers.ts'
import type { SigningKeys } from '../state/signing-keys.ts'
import type { Grant, IssuedToken, Tokens } from '../state/tokens.ts'
import { subjectOf } from './subject-name.ts'

const HOUR = 3_600_000
const WEEK = 7 * 24 * HOUR

export interface TokenSettings {
  readonly client: Client
  readonly grant: Grant
  readonly scopes: readonly string[]
  readonly confirmation?: Readonly<Record<string, string>> | null
  readonly tokenType?: 'Bearer' | 'DPoP'
  readonly extra?: Readonly<Record<string, unknown>>
  /** Milliseconds; by default that of the client. */
  readonly lifetime?: number
}

/** Binds a token to the key of the DPoP proof, if any (RFC 9449 section 6). */
export function binding(thumbprint: string | null): Pick<TokenSettings, 'confirmation' | 'tokenType'> {
  return thumbprint === null ? {} : { confirmation: { jkt: thumbprint }, tokenType: 'DPoP' }
}

/** Issues and stores tokens, opaque ones and JWTs. */
export class TokenIssuer {
  readonly #tokens: Tokens
  readonly #keys: SigningKeys
  readonly #clock: Clock
  readonly #family: Family
  readonly #issuerOf: (realm: string) => string

  constructor(
    tokens: Tokens,
    keys: SigningKeys,
    clock: Clock,
    { family, issuerOf }: { family: Family; issuerOf: (realm: string) => string },
  ) {
    this.#tokens = tokens
    this.#keys = keys
    this.#clock = clock
    this.#family = family
    this.#issuerOf = issuerOf
  }

  async accessToken(order: TokenSettings): Promise<IssuedToken> {
    const { client } = order
    const token = this.#draft('access', order, order.lifetime ?? client.accessTokenLifetime ?? HOUR)
    const value = client.tokenFormat === 'jwt' ? await this.#signed(token, client) : token.value
    const issued = { ...token, value }
    this.#tokens.keep(issued)
    return issued
  }

  /** Null for clients that get none. */
  refreshToken(order: TokenSettings): IssuedToken | null {
    const lifetime = order.client.refreshTokenLifetime ?? WEEK
    if (lifetime === 0) return null
    const token = this.#draft('refresh', order, lifetime)
    this.#tokens.keep(token)
    return token
  }

  /** Remaining lifetime in milliseconds. */
  remaining({ expiresAt }: IssuedToken): number {
    return expiresAt - this.#clock.now()
  }

  #draft(kind: 'access' | 'refresh', order: TokenSettings, lifetime: number): IssuedToken {
    const now = this.#clock.now()
    return {
      kind,
      value: randomToken(),
      grant: order.grant,
      trackingId: trackingId(),
      scopes: order.scopes,
      tokenType: order.tokenType ?? 'Bearer',
      issuedAt: now,
      expiresAt: now + lifetime,
      confirmation: order.confirmation ?? order.client.confirmation ?? null,
      extra: order.extra ?? {},
    }
  }

  /** A client-side token. OpenAM writes scopes as one text and `expires_in` in milliseconds, and names the client in `aud` alone. */
  async #signed(token: IssuedToken, { signingAlgorithm = 'RS256' }: Client): Promise<string> {
    const { grant, scopes } = token
    const ping = this.#family === 'pingam'
    const lifetime = token.expiresAt - token.issuedAt
    const claims = {
      sub: subjectOf(grant, this.#family),
      auditTrackingId: token.trackingId,
      ...(ping
        ? {
            cts: 'OAUTH2_STATELESS_GRANT',
            auth_level: 0,
            subname: grant.subject.name,
            client_id: grant.clientId,
            grant_type: grant.grantType,
          }
        : { typ: 'Bearer', realm_access: {} }),
      iss: this.#issuerOf(grant.realm),
      tokenName: 'access_token',
      token_type: token.tokenType,
      authGrantId: grant.id,
      aud: grant.clientId,
      nbf: seconds(token.issuedAt),
      scope: ping ? scopes : scopes.join(' '),
      auth_time: seconds(grant.authTime),
      realm: grant.realm,
      exp: seconds(token.expiresAt),
      iat: seconds(token.issuedAt),
      expires_in: ping ? Math.round(lifetime / 1000) : lifetime,
      jti: token.value,
      ...(token.confirmation === null ? {} : { cnf: token.confirmation }),
      ...token.extra,
    }
    const { key, kid, algorithm } = await this.#keys.signingKey(signingAlgorithm)
    return new SignJWT(claims).setProtectedHeader({ typ: 'JWT', zip: 'NONE', kid, alg: algorithm }).sign(key)
  }
}

function seconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000)
}
