import {
  ClaimsSet,
  HandlerKind,
  type JwtValidation,
  JwtValidationContext,
  JwtValidationErrorContext,
  type JwtValidatorCustomizer,
  JwtValidatorCustomizerKind,
} from '#contracts'
import { type Exchange, type Filter, type Handler, respond, respondUnavailable } from '#http'
import { type OpenedJwt, type OpeningKeys, openJwt, type TokenRules, violations } from '#jose'
import type { Logger } from '#logging'
import { atLeastOneOf, type Clock, config, type Environment, type Runtime, ref, secretId } from '#schema'
import { recordDenied, recordFailed, recordGranted } from '../../lib/audit/decisions.ts'
import { VALIDATION_KEY_FIELDS, type ValidationKeyValues, validationKeys } from '../../lib/tokens/validation-keys.ts'
import { EVENTS } from '../log-events.ts'

/** The common fields of filters that validate a JWT. */
export const JWT_VALIDATION_FIELDS = {
  ...VALIDATION_KEY_FIELDS,
  decryptionSecretId: config(secretId()).optional().meta({
    description:
      'Secret ID of the keys that decrypt tokens, which then must be encrypted. With a private key the inner token must be signed, and verificationSecretId is required too.',
  }),
  customizer: ref(JwtValidatorCustomizerKind).optional().meta({
    description: 'An object with further requirements for the claims; it can not relax others.',
  }),
  failureHandler: ref(HandlerKind).optional().meta({
    description:
      'Handles requests with an invalid token, with the reason in `contexts.jwtValidationError`. 403 without content by default.',
  }),
}

/** Keys are required: an unverified token proves nothing. */
export const JWT_VALIDATION_RULES = [atLeastOneOf('verificationSecretId', 'decryptionSecretId')]

/** The values of the common fields. */
interface JwtValidationValues extends ValidationKeyValues {
  readonly skewAllowance: number
  readonly customizer?: JwtValidatorCustomizer | undefined
  readonly failureHandler?: Handler | undefined
}

/** Requirements of a filter for its tokens, besides the common fields. */
interface JwtRequirements {
  /** The token of a request. */
  readonly token: Runtime<string>
  /** What it must satisfy, besides its times. */
  readonly rules: Omit<TokenRules, 'times'>
}

const refuse: Handler = async () => respond(403)

/** Passes on requests with a valid token, with its claims in a context. */
export function validateJwt(requirements: JwtRequirements, values: JwtValidationValues, env: Environment): Filter {
  const validator = new JwtValidator(requirements, values, env)
  return (exchange, next) => validator.filter(exchange, next)
}

type Validation =
  /** The exchange has the token in a context. */
  | { readonly outcome: 'valid'; readonly exchange: Exchange }
  /** The reason is that of the decision: without data of the token. */
  | { readonly outcome: 'invalid'; readonly violations: readonly string[]; readonly reason: string }
  | { readonly outcome: 'unavailable' }

class JwtValidator {
  readonly #requirements: JwtRequirements
  readonly #keys: OpeningKeys
  readonly #skew: number
  readonly #customizer: JwtValidatorCustomizer | null
  readonly #failureHandler: Handler
  readonly #clock: Clock
  readonly #logger: Logger

  constructor(requirements: JwtRequirements, values: JwtValidationValues, env: Environment) {
    this.#requirements = requirements
    this.#keys = validationKeys(values)
    this.#skew = values.skewAllowance
    this.#customizer = values.customizer ?? null
    this.#failureHandler = values.failureHandler ?? refuse
    this.#clock = env.clock
    this.#logger = env.logger
  }

  filter: Filter = async (exchange, next) => {
    const value = await this.#requirements.token(exchange)
    const validation = await this.#validate(value, exchange)
    if (validation.outcome === 'valid') {
      recordGranted(exchange, this.#logger, 'the token is valid')
      return next(validation.exchange)
    }
    // The token may be valid: the failure handler, which may redirect to a login, is not called.
    if (validation.outcome === 'unavailable') {
      recordFailed(exchange, this.#logger, 'the keys are unavailable')
      return respondUnavailable()
    }
    this.#logger.debug({ violations: validation.violations }, 'invalid token')
    recordDenied(exchange, this.#logger, validation.reason)
    const violations = validation.violations.map((description) => ({ description }))
    return this.#failureHandler(exchange.with(JwtValidationErrorContext, { jwt: value, violations }))
  }

  async #validate(value: string | null, exchange: Exchange): Promise<Validation> {
    if (value === null || value === '') return invalid(['there is no token'])
    const opened = await openJwt(value, this.#keys)
    if (opened.outcome === 'unavailable') {
      const { reason } = opened
      this.#logger.limited(reason).error({ reason }, EVENTS.TOKENS_NOT_VALIDATED)
      return { outcome: 'unavailable' }
    }
    if (opened.outcome === 'invalid') return invalid([opened.reason])
    const validatedExchange = exchange.with(JwtValidationContext, validated(value, opened))
    const { claims, header } = opened
    const times = { now: this.#clock.now(), skew: this.#skew }
    const found = violations(header, claims, { ...this.#requirements.rules, times })
    if (found.length > 0) return invalid(found.map(({ message }) => message))
    // The customizer runs last, and only for tokens without other violations. Its texts may quote claims.
    const others = (await this.#customizer?.violations(claims, validatedExchange)) ?? []
    if (others.length > 0) return invalid(others, 'the customizer does not accept the claims')
    return { outcome: 'valid', exchange: validatedExchange }
  }
}

function invalid(violations: readonly string[], reason = violations[0] ?? 'the token is not valid'): Validation {
  return { outcome: 'invalid', violations, reason }
}

function validated(value: string, { claims, header }: OpenedJwt): JwtValidation {
  const claimsSet = new ClaimsSet(claims)
  return { value, claims: claimsSet, info: claims, jwt: { header: header.members, claimsSet } }
}
