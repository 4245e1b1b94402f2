import type { JsonObject, JsonValue } from '#json'
import { claim, isForAudience, numericDate, responseDate } from './claims.ts'
import type { TokenHeader } from './compact.ts'
import { type TimeClaim, TOKEN_KINDS, type TokenKind, type TokenKindName } from './token-kinds.ts'
import { declaredUses, hasLogoutEvent, normalType, useOfType } from './token-use.ts'

/** The times that a token is compared with, in milliseconds. */
interface TokenTimes {
  /** Since the epoch. */
  readonly now: number
  /** Accepted clock skew of the issuer; it extends the validity at both ends. */
  readonly skew?: number
  /** Limit of the age by `iat`, with any skew: such tokens are remembered for as long as they are accepted. */
  readonly maxAge?: number
  /** Whether `exp` may be in the past. */
  readonly mayHaveExpired?: boolean
  /** Limit of the time since the user logged in, by `auth_time`, which is required then. */
  readonly maxLoginAge?: number | null
}

/** Requirements of a caller; those of the kind are in TOKEN_KINDS. */
export interface TokenRules {
  readonly kind: TokenKindName
  readonly times: TokenTimes
  /** The exact `iss`; null where it is not checked. */
  readonly issuer?: string | null
  /** Of which `aud` has one; null where it is not checked. */
  readonly audience?: readonly string[] | null
  /** Whether a token with several audiences needs `azp`. */
  readonly needsAuthorizedParty?: boolean
  readonly subject?: string | null
  /** The exact `nonce`, or null where there must be none; not checked by default. */
  readonly nonce?: string | null
  /** Types instead of those of the kind. */
  readonly types?: ReadonlySet<string>
}

/** Which rule a token violates. */
type ViolationCode =
  | 'other-use'
  | 'other-type'
  | 'other-issuer'
  | 'other-audience'
  | 'other-client'
  | 'other-subject'
  | 'other-nonce'
  | 'missing'
  | 'malformed'
  | 'forbidden'
  | 'expired'
  | 'not-yet-valid'
  | 'issued-ahead'
  | 'too-old'
  | 'login-too-old'

/** The message contains no claim, so that it may be shown to the bearer. */
interface Violation {
  readonly code: ViolationCode
  readonly message: string
}

const NONE: readonly Violation[] = []

/**
 * Which rules an authentic token violates: the one place where the claims of tokens, and of responses about tokens, are judged.
 * The header is null for a response.
 */
export function violations(header: TokenHeader | null, claims: JsonObject, rules: TokenRules): readonly Violation[] {
  const judgement = new Judgement(header, claims, rules)
  judgement.use()
  judgement.type()
  judgement.parties()
  judgement.values()
  judgement.presence()
  judgement.times()
  return judgement.found ?? NONE
}

class Judgement {
  found: Violation[] | null = null
  readonly #header: TokenHeader | null
  readonly #claims: JsonObject
  readonly #rules: TokenRules
  readonly #kind: TokenKind

  constructor(header: TokenHeader | null, claims: JsonObject, rules: TokenRules) {
    this.#header = header
    this.#rules = rules
    this.#kind = TOKEN_KINDS[rules.kind]
    this.#claims = this.#kind.isResponse ? withoutNulls(claims) : claims
  }

  /** A token declares its use by claims and by its type, where the configuration does not admit that type. */
  use(): void {
    const { uses, otherUse, unlike } = this.#kind
    if (uses === null) return
    const declared = declaredUses(this.#claims)
    const typ = this.#header?.typ ?? null
    const ofType = typ === null ? null : useOfType(typ)
    const byType = typ === null || this.#rules.types?.has(normalType(typ)) ? null : ofType
    if (declared.some((use) => !uses.includes(use)) || (byType !== null && !uses.includes(byType))) {
      this.#found('other-use', otherUse)
    } else if (declared.length === 0 && ofType === null && unlike.some((each) => this.#value(each) !== undefined)) {
      this.#found('other-use', `${otherUse}: it has a claim of another kind of token`)
    }
  }

  type(): void {
    const { types: ofKind, untyped, typesField } = this.#kind
    const types = this.#rules.types ?? ofKind
    // Access managers declare the use in this claim, with any type.
    if (types === null || this.#header === null || this.#value('tokenName') !== undefined) return
    const { typ } = this.#header
    const type = typ === null ? untyped : normalType(typ)
    const isAdmitted =
      type !== null && (types instanceof Set ? types.has(type) : (types as readonly string[]).includes(type))
    if (isAdmitted) return
    const found = typ === null ? 'no type in its header' : `the type ${JSON.stringify(typ.slice(0, 40))}`
    const admitted = [...types].join(', ')
    this.#add(
      'other-type',
      `has ${found}, ${typesField === null ? 'expected' : `and "${typesField}" admits`} ${admitted}`,
    )
  }

  parties(): void {
    const { issuer = null, audience = null, needsAuthorizedParty = false } = this.#rules
    const { hasOptionalParties, hasAuthorizedParty } = this.#kind
    const isExempt = (name: string) => hasOptionalParties && this.#value(name) === undefined
    if (issuer !== null && this.#value('iss') !== issuer && !isExempt('iss'))
      this.#add('other-issuer', 'has another issuer')
    if (audience === null) return
    if (!isForAudience(this.#claims, audience)) {
      if (!isExempt('aud')) this.#add('other-audience', 'is for another audience')
      return
    }
    const aud = this.#value('aud')
    if (!hasAuthorizedParty || !Array.isArray(aud) || aud.length === 1) return
    const azp = this.#value('azp')
    const isMissing = azp === undefined
    if (isMissing ? needsAuthorizedParty : !audience.some((each) => each === azp))
      this.#add('other-client', isMissing ? 'has several audiences and no claim azp' : 'was issued to another client')
  }

  values(): void {
    const { subject = null, nonce } = this.#rules
    if (subject !== null && this.#value('sub') !== subject) this.#add('other-subject', 'is about another user')
    if (nonce !== undefined && (this.#value('nonce') ?? null) !== nonce) this.#add('other-nonce', 'is of another login')
  }

  presence(): void {
    const { required, identified, texts, forbidden, times, uses } = this.#kind
    for (const name of required) {
      const value = this.#value(name)
      if (value === undefined) this.#add('missing', `has no claim ${name}`)
      else if (!times.includes(name as TimeClaim)) this.#text(name, value)
    }
    const present = identified.filter((name) => this.#value(name) !== undefined)
    for (const name of present) this.#text(name, this.#value(name))
    if (identified.length > 0 && present.length === 0) this.#add('missing', `has no claim ${identified.join(' or ')}`)
    for (const name of texts) if (!['undefined', 'string'].includes(typeof this.#value(name))) this.#malformed(name)
    for (const name of forbidden) if (this.#value(name) !== undefined) this.#add('forbidden', `has a claim ${name}`)
    if (uses?.[0] === 'logout' && !hasLogoutEvent(this.#claims))
      this.#add('missing', 'has no claim events with the event of a logout')
  }

  times(): void {
    const { now, skew = 0, maxAge, mayHaveExpired = false, maxLoginAge = null } = this.#rules.times
    const { issuedAhead, usableAhead, times } = this.#kind
    for (const name of times) {
      const time = this.#time(name)
      if (time === null) continue
      if (name === 'exp' && !mayHaveExpired && now >= time + skew) this.#add('expired', 'has expired')
      if (name === 'nbf' && now < time - Math.max(skew, usableAhead)) this.#add('not-yet-valid', 'is not valid yet')
      if (name !== 'iat') continue
      const ahead = maxAge === undefined ? Math.max(skew, issuedAhead) : issuedAhead
      if (now < time - ahead) this.#add('issued-ahead', 'was issued in the future')
      if (maxAge !== undefined && now >= time + maxAge) this.#add('too-old', 'is too old')
    }
    if (maxLoginAge === null) return
    const authTime = this.#value('auth_time')
    const loggedIn = numericDate(authTime ?? null)
    if (authTime === undefined) this.#add('missing', 'has no claim auth_time')
    else if (loggedIn !== null && loggedIn + maxLoginAge < now - skew)
      this.#add('login-too-old', 'is about a login that is older than "max_age"')
  }

  /** A time in milliseconds; null where the claim is missing, or malformed, which is a violation. */
  #time(name: TimeClaim): number | null {
    const value = this.#value(name)
    if (value === undefined) return null
    const time = this.#kind.isResponse ? responseDate(value) : numericDate(value)
    if (time !== null) return time
    this.#found('malformed', `the claim ${name} is not a number of seconds since the epoch`)
    return null
  }

  #text(name: string, value: JsonValue | undefined): void {
    if (typeof value !== 'string' || value === '') this.#malformed(name)
  }

  #malformed(name: string): void {
    this.#found('malformed', `the claim ${name} is not a text`)
  }

  #value(name: string): JsonValue | undefined {
    return claim(this.#claims, name)
  }

  #add(code: ViolationCode, predicate: string): void {
    this.#found(code, `${this.#kind.subject} ${predicate}`)
  }

  #found(code: ViolationCode, message: string): void {
    this.found ??= []
    this.found.push({ code, message })
  }
}

/** In a response `null` is a missing member. */
function withoutNulls(claims: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== null))
}
