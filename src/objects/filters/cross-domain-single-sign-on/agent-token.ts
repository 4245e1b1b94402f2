import { TtlCache } from '#cache'
import type { AmDialect, AmService } from '#contracts'
import { claim, parseSignedToken, readClaims, type SignedToken, TokenError, violations } from '#jose'
import type { JsonObject } from '#json'
import { Discovery } from '#openid'
import type { Clock, Environment } from '#schema'
import { tokenDigest } from '../../lib/am/session-tags.ts'
import { publishedKeys, signatureProblem } from '../../lib/tokens/id-token-keys.ts'

/** Names of the claim with the session token; the one that the access manager uses is undocumented. */
const SESSION_CLAIMS = ['ssoToken', 'sso_token', 'session_token', 'ssotoken']
const UID_CLAIMS = ['sessionUid', 'session_uid', 'sid']

/** A token of a user, issued by the access manager to this gateway. */
export interface AgentToken {
  readonly claims: JsonObject
  /** The session token in it, or the token itself, which the access manager accepts instead. */
  readonly sessionToken: string
  readonly sessionUid: string | null
}

export class TokenRejected {
  readonly reason: string

  constructor(reason: string) {
    this.reason = reason
  }
}

type Keys = Parameters<typeof signatureProblem>[1]

/** Of a token whose signature is valid. */
type SignedClaims = Pick<SignedToken, 'header'> & { readonly claims: JsonObject }

/** Verification rules for the tokens of a family of servers. */
interface TokenRules {
  /** Whether tokens are signed by an HMAC key derived from the password of the agent. */
  readonly hasAgentKey: boolean
  /** Whether the login ends at `exp`. If not, the token has to be used at once, and the login ends with the session. */
  readonly expiryEndsLogin: boolean
  /** Allowed clock skew in milliseconds. */
  readonly skew: number
}

const RULES: Readonly<Record<AmDialect['family'], TokenRules>> = {
  pingam: { hasAgentKey: false, expiryEndsLogin: true, skew: 0 },
  // `exp` is 3.6 s after `iat`; state and nonce bind the token to a login of this browser.
  openam: { hasAgentKey: true, expiryEndsLogin: false, skew: 60_000 },
}

const MOST_VERIFIED = 10_000
const VERIFIED_FOR = 60_000

/** Verifies tokens of the access manager: signature, audience and times. */
export class AgentTokens {
  readonly #amService: AmService
  readonly #configured: Keys | null
  readonly #published: Keys
  readonly #discovery: Discovery
  readonly #clock: Clock
  /** Cache of verified signatures: verification is the most expensive part, and its result does not change. */
  readonly #verified = new TtlCache<SignedClaims>(MOST_VERIFIED, VERIFIED_FOR)

  /** `configured` is null where the keys are published by the access manager, or derived from the password of the agent. */
  constructor(amService: AmService, configured: Keys | null, env: Environment) {
    const { clock } = env
    this.#amService = amService
    this.#configured = configured
    const jwksUri = async () => amService.oauth2Uri('connect/jwk_uri').toString()
    this.#published = publishedKeys(jwksUri, amService.handler, env)
    this.#clock = clock
    const metadata = amService.oauth2Uri('.well-known/openid-configuration').toString()
    this.#discovery = new Discovery(metadata, amService.handler, clock, { admitsAnyIssuer: true })
  }

  /** Verifies a token; with a nonce, only the token of that login is accepted. */
  async open(token: string, nonce: string | null): Promise<AgentToken | TokenRejected> {
    const { hasAgentKey, expiryEndsLogin, skew } = RULES[(await this.#amService.dialect()).family]
    const opened = await this.#opened(token, hasAgentKey)
    if (opened instanceof TokenRejected) return opened
    const { header, claims } = opened
    const times = { now: this.#clock.now(), skew, mayHaveExpired: nonce === null && !expiryEndsLogin }
    const { issuer } = await this.#discovery.metadata()
    const audience = [this.#amService.agent]
    const login = nonce === null ? {} : { nonce }
    const [violation] = violations(header, claims, { kind: 'agentToken', times, issuer, audience, ...login })
    if (violation !== undefined) return new TokenRejected(violation.message)
    return {
      claims,
      sessionToken: textIn(claims, SESSION_CLAIMS) ?? token,
      sessionUid: textIn(claims, UID_CLAIMS),
    }
  }

  async #opened(token: string, hasAgentKey: boolean): Promise<SignedClaims | TokenRejected> {
    const key = tokenDigest(token)
    const known = this.#verified.get(key, this.#clock.monotonic())
    if (known !== null) return known
    const agentKey = this.#configured === null && hasAgentKey ? await this.#amService.agentTokenKey() : null
    const problem = await signatureProblem(token, this.#configured ?? this.#published, agentKey)
    if (problem !== null) return new TokenRejected(problem)
    try {
      const { header, payload } = parseSignedToken(token)
      const opened = { header, claims: readClaims(payload) }
      this.#verified.set(key, opened, this.#clock.monotonic())
      return opened
    } catch (error) {
      if (error instanceof TokenError) return new TokenRejected(error.message)
      throw error
    }
  }
}

function textIn(claims: JsonObject, names: readonly string[]): string | null {
  for (const name of names) {
    const value = claim(claims, name)
    if (typeof value === 'string' && value !== '') return value
  }
  return null
}
