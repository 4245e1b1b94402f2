import type { AmService } from '#contracts'
import { claim, isForAudience, parseSignedToken, readClaims, timeViolations } from '#jose'
import type { JsonObject } from '#json'
import { Discovery } from '#openid'
import type { Clock, Environment } from '#schema'
import { signatureProblem } from '../../lib/openid/id-token-keys.ts'
import { BriefMemory } from '../../lib/revocable-cache/brief-memory.ts'
import { tokenDigest } from '../../lib/session-marks.ts'

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

/** Why a token is not taken. */
export class NotTaken {
  readonly reason: string

  constructor(reason: string) {
    this.reason = reason
  }
}

type Keys = Parameters<typeof signatureProblem>[1]

const MOST_VERIFIED = 10_000
const VERIFIED_FOR = 60_000

/** Verifies tokens of the access manager: by its keys, for this agent, in their time. */
export class AgentTokens {
  readonly #amService: AmService
  readonly #keys: Keys
  readonly #discovery: Discovery
  readonly #clock: Clock
  /** Signatures that were good a moment ago: they do not turn bad, and cost more than all the rest. */
  readonly #verified = new BriefMemory<JsonObject>(MOST_VERIFIED, VERIFIED_FOR)

  constructor(amService: AmService, keys: Keys, { clock }: Environment) {
    this.#amService = amService
    this.#keys = keys
    this.#clock = clock
    const metadata = amService.oauth2Uri('.well-known/openid-configuration').toString()
    this.#discovery = new Discovery(metadata, amService.handler, clock)
  }

  /** What a token says; with a nonce only the token that was made for that login is taken. */
  async open(token: string, nonce: string | null): Promise<AgentToken | NotTaken> {
    const claims = await this.#signedClaims(token)
    if (claims instanceof NotTaken) return claims
    const [late] = timeViolations(claims, { now: this.#clock.now(), skew: 0, required: ['exp'] })
    if (late !== undefined) return new NotTaken(late)
    if (claim(claims, 'iss') !== (await this.#discovery.metadata()).issuer)
      return new NotTaken('the token is of another issuer')
    if (!isForAudience(claims, this.#amService.agent)) return new NotTaken('the token is for another agent')
    if (nonce !== null && claim(claims, 'nonce') !== nonce) return new NotTaken('the token is of another login')
    return {
      claims,
      sessionToken: textIn(claims, SESSION_CLAIMS) ?? token,
      sessionUid: textIn(claims, UID_CLAIMS),
    }
  }

  async #signedClaims(token: string): Promise<JsonObject | NotTaken> {
    const key = tokenDigest(token)
    const known = this.#verified.get(key, this.#clock.monotonic())
    if (known !== null) return known
    const problem = await signatureProblem(token, this.#keys, null)
    if (problem !== null) return new NotTaken(problem)
    const claims = readClaims(parseSignedToken(token).payload)
    this.#verified.remember(key, claims, this.#clock.monotonic())
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
