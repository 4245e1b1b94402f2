import { TtlCache } from '#cache'
import type { AmDialect, AmService } from '#contracts'
import { claim, isForAudience, parseSignedToken, readClaims, timeViolations } from '#jose'
import type { JsonObject } from '#json'
import { Discovery } from '#openid'
import type { Clock, Environment } from '#schema'
import { publishedKeys, signatureProblem } from '../../lib/openid/id-token-keys.ts'
import { tokenDigest } from '../../lib/session-tags.ts'

/** Names of the claim with the session token; which one the access manager uses is in no public text. */
const SESSION_CLAIMS = ['ssoToken', 'sso_token', 'session_token', 'ssotoken']
const UID_CLAIMS = ['sessionUid', 'session_uid', 'sid']

/** A token that the access manager made for this gateway about a user. */
export interface AgentToken {
  readonly claims: JsonObject
  /** The session token in it, or the token itself, which the access manager takes in its place. */
  readonly sessionToken: string
  readonly sessionUid: string | null
}

/** A token that is not accepted, with the reason. */
export class TokenRejected {
  readonly reason: string

  constructor(reason: string) {
    this.reason = reason
  }
}

type Keys = Parameters<typeof signatureProblem>[1]

/** Verification rules for the tokens of a family of servers. */
interface TokenRules {
  /** Whether tokens are signed by an HMAC key made of the agent's password. */
  readonly hasAgentKey: boolean
  /** Whether `exp` ends a login; where it does not, the token is to be used at once, and the session ends the login. */
  readonly expiryEndsLogin: boolean
  /** Milliseconds by which clocks may differ when a token arrives. */
  readonly skew: number
}

const RULES: Readonly<Record<AmDialect['family'], TokenRules>> = {
  pingam: { hasAgentKey: false, expiryEndsLogin: true, skew: 0 },
  // `exp` is 3.6 s after `iat`; state and nonce bind the token to a login of this browser.
  openam: { hasAgentKey: true, expiryEndsLogin: false, skew: 60_000 },
}

const MOST_VERIFIED = 10_000
const VERIFIED_FOR = 60_000

/** Verifies tokens of the access manager: by its keys, for this agent, in their time. */
export class AgentTokens {
  readonly #amService: AmService
  readonly #configured: Keys | null
  readonly #published: Keys
  readonly #discovery: Discovery
  readonly #clock: Clock
  /** Signatures that were good a moment ago: they do not turn bad, and cost more than all the rest. */
  readonly #verified = new TtlCache<JsonObject>(MOST_VERIFIED, VERIFIED_FOR)

  /** `configured` is null where the keys are those that the access manager publishes, or makes of the agent's password. */
  constructor(amService: AmService, configured: Keys | null, env: Environment) {
    const { clock } = env
    this.#amService = amService
    this.#configured = configured
    const jwksUri = async () => amService.oauth2Uri('connect/jwk_uri').toString()
    this.#published = publishedKeys(jwksUri, amService.handler, env)
    this.#clock = clock
    const metadata = amService.oauth2Uri('.well-known/openid-configuration').toString()
    this.#discovery = new Discovery(metadata, amService.handler, clock)
  }

  /** Verifies a token; with a nonce, only the token of that login is accepted. */
  async open(token: string, nonce: string | null): Promise<AgentToken | TokenRejected> {
    const rules = RULES[(await this.#amService.dialect()).family]
    const claims = await this.#signedClaims(token, rules)
    if (claims instanceof TokenRejected) return claims
    if (nonce !== null || rules.expiryEndsLogin) {
      const [late] = timeViolations(claims, { now: this.#clock.now(), skew: rules.skew, required: ['exp'] })
      if (late !== undefined) return new TokenRejected(late)
    }
    if (claim(claims, 'iss') !== (await this.#discovery.metadata()).issuer)
      return new TokenRejected('the token is of another issuer')
    if (!isForAudience(claims, this.#amService.agent)) return new TokenRejected('the token is for another agent')
    if (nonce !== null && claim(claims, 'nonce') !== nonce) return new TokenRejected('the token is of another login')
    return {
      claims,
      sessionToken: textIn(claims, SESSION_CLAIMS) ?? token,
      sessionUid: textIn(claims, UID_CLAIMS),
    }
  }

  async #signedClaims(token: string, { hasAgentKey }: TokenRules): Promise<JsonObject | TokenRejected> {
    const key = tokenDigest(token)
    const known = this.#verified.get(key, this.#clock.monotonic())
    if (known !== null) return known
    const agentKey = this.#configured === null && hasAgentKey ? await this.#amService.agentTokenKey() : null
    const problem = await signatureProblem(token, this.#configured ?? this.#published, agentKey)
    if (problem !== null) return new TokenRejected(problem)
    const claims = readClaims(parseSignedToken(token).payload)
    this.#verified.set(key, claims, this.#clock.monotonic())
    return claims
  }
}

function textIn(claims: JsonObject, names: readonly string[]): string | null {
  for (const name of names) {
    const value = claim(claims, name)
    if (typeof value === 'string' && value !== '') return value
  }
  return null
}
