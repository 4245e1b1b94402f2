import { createHash } from 'node:crypto'
import { type JWTPayload, SignJWT } from 'jose'
import type { Clock } from '#schema'
import { randomToken, trackingId } from '../../state/identifiers.ts'
import type { Session, Sessions } from '../../state/sessions.ts'
import type { SigningAlgorithm, SigningKeys } from '../../state/signing-keys.ts'

const LIFETIME = 3_600

/** Settings of an ID token: audience and login. */
export interface IdTokenSettings {
  readonly audience: string
  readonly session: Session
  readonly nonce: string | null
  readonly algorithm?: SigningAlgorithm
  /** A secret that signs it by HS256, instead of a key of the server. */
  readonly secret?: string
  /** Set for an agent: the token then contains the session. */
  readonly agentRealm?: string | null
}

/** Issues ID tokens for clients of OpenID Connect, and for agents of other domains. */
export class IdTokens {
  readonly #keys: SigningKeys
  readonly #sessions: Sessions
  readonly #clock: Clock
  /** `iss` of a realm. */
  readonly issuerOf: (realm: string) => string

  constructor(keys: SigningKeys, sessions: Sessions, clock: Clock, issuerOf: (realm: string) => string) {
    this.#keys = keys
    this.#sessions = sessions
    this.#clock = clock
    this.issuerOf = issuerOf
  }

  async issue({ audience, session, nonce, agentRealm = null, ...signing }: IdTokenSettings): Promise<string> {
    const now = Math.floor(this.#clock.now() / 1000)
    const { owner } = session
    const claims = {
      sub: `(usr!${owner.name})`,
      subname: owner.name,
      auditTrackingId: trackingId(),
      iss: this.issuerOf(owner.realm),
      tokenName: 'id_token',
      tokenType: 'JWTToken',
      aud: audience,
      azp: audience,
      sid: session.uid,
      realm: owner.realm,
      auth_time: Math.floor(session.startedAt / 1000),
      iat: now,
      exp: now + LIFETIME,
      jti: randomToken(),
      ...(nonce === null ? {} : { nonce }),
      // The names of PingAM for these two are undocumented.
      ...(agentRealm === null ? {} : { agent_realm: agentRealm, sessionUid: session.uid, ssoToken: session.tokenId }),
    }
    const token = await this.#signed(claims, signing)
    // PingAM accepts such a token instead of the session token.
    if (agentRealm !== null) this.#sessions.addAlias(token, session)
    return token
  }

  /** A token of OpenAM for an agent: signed by HMAC with the stored form of the password, and expired after seconds. */
  issueOpenAmAgentToken({ audience, session, nonce }: IdTokenSettings, agentPassword: string): Promise<string> {
    const now = this.#clock.now() / 1_000
    const { owner, tokenId } = session
    const claims = {
      tokenName: 'id_token',
      azp: audience,
      aud: audience,
      iss: this.issuerOf(owner.realm),
      ssoToken: tokenId,
      realm: owner.realm,
      auditTrackingId: trackingId(),
      auth_time: Math.floor(session.startedAt / 1000),
      iat: Math.floor(now),
      exp: Math.floor(now) + 3.6,
      ...(nonce === null ? {} : { nonce }),
    }
    const secret = `{SHA-1}${createHash('sha1').update(agentPassword).digest('base64')}`
    return this.#signed(claims, { secret })
  }

  async #signed(claims: JWTPayload, { algorithm = 'RS256', secret }: Pick<IdTokenSettings, 'algorithm' | 'secret'>) {
    const jwt = new SignJWT(claims)
    if (secret !== undefined) return jwt.setProtectedHeader({ typ: 'JWT', alg: 'HS256' }).sign(Buffer.from(secret))
    const { key, kid } = await this.#keys.signingKey(algorithm)
    return jwt.setProtectedHeader({ typ: 'JWT', kid, alg: algorithm }).sign(key)
  }
}
