import {
  ClaimsSet,
  HandlerKind,
  type JwtValidation,
  JwtValidationContext,
  JwtValidationErrorContext,
  type JwtValidatorCustomizer,
  JwtValidatorCustomizerKind,
  providerOf,
  type SecretsProvider,
  SecretsProviderKind,
} from '#contracts'
import { type Exchange, type Filter, type Handler, respond } from '#http'
import { type OpenedJwt, type OpeningKeys, openJwt, type TimeClaim, timeViolations } from '#jose'
import type { JsonObject } from '#json'
import type { Logger } from '#logging'
import { atLeastOneOf, type Clock, config, duration, type Environment, type Runtime, ref, secretId } from '#schema'
import { EVENTS } from '../log-events.ts'

/** The fields that all filters have in common that validate a token. */
export const JWT_VALIDATION_FIELDS = {
  verificationSecretId: config(secretId()).optional().meta({
    description: 'Secret ID of the keys that tokens must be signed with.',
  }),
  decryptionSecretId: config(secretId()).optional().meta({
    description:
      'Secret ID of the keys that tokens must be encrypted to. With a private key the token inside must be signed, and verificationSecretId is needed too.',
  }),
  secretsProvider: ref(SecretsProviderKind).optional().meta({ description: 'Provider of the keys.' }),
  skewAllowance: config(duration({ unlimited: false }))
    .default('zero')
    .meta({
      description: 'By how much the clock of the issuer may be wrong; it lengthens the life of tokens at both ends.',
    }),
  customizer: ref(JwtValidatorCustomizerKind).optional().meta({
    description: 'An object that makes further demands on the claims; it can not take any back.',
  }),
  failureHandler: ref(HandlerKind).optional().meta({
    description:
      'Answers requests whose token is not good; `contexts.jwtValidationError` says why. 403 without content by default.',
  }),
}

/** An unverified token proves nothing, so there is no filter without keys. */
export const JWT_VALIDATION_RULES = [atLeastOneOf('verificationSecretId', 'decryptionSecretId')]

/** The values of the common fields. */
interface JwtValidationValues {
  readonly verificationSecretId?: string | undefined
  readonly decryptionSecretId?: string | undefined
  readonly secretsProvider?: SecretsProvider | undefined
  readonly skewAllowance: number
  readonly customizer?: JwtValidatorCustomizer | undefined
  readonly failureHandler?: Handler | undefined
}

/** What a filter demands of tokens beyond that. */
interface JwtDemands {
  /** Finds the token. */
  readonly token: Runtime<string>
  /** The times that must be among the claims. */
  readonly times: readonly TimeClaim[]
  /** What else is wrong with claims. */
  violations(claims: JsonObject): readonly string[]
}

const refuse: Handler = async () => respond(403)

/** Lets requests through whose token is good, with what it says in a context. */
export function validateJwt(demands: JwtDemands, values: JwtValidationValues, env: Environment): Filter {
  const validator = new JwtValidator(demands, values, env)
  return (exchange, next) => validator.filter(exchange, next)
}

/** What is known about the token of a request. */
type Judgement =
  /** The exchange has the token in a context. */
  | { readonly outcome: 'good'; readonly exchange: Exchange }
  | { readonly outcome: 'bad'; readonly violations: readonly string[] }
  | { readonly outcome: 'unknown' }

class JwtValidator {
  readonly #demands: JwtDemands
  readonly #keys: OpeningKeys
  readonly #skew: number
  readonly #customizer: JwtValidatorCustomizer | null
  readonly #failureHandler: Handler
  readonly #clock: Clock
  readonly #logger: Logger

  constructor(demands: JwtDemands, values: JwtValidationValues, env: Environment) {
    const { secretsProvider, verificationSecretId, decryptionSecretId } = values
    const provider = providerOf(secretsProvider === undefined ? [env.secrets] : [secretsProvider, env.secrets])
    const source = (secretId: string | undefined) => (secretId === undefined ? null : { provider, secretId })
    this.#demands = demands
    this.#keys = { verification: source(verificationSecretId), decryption: source(decryptionSecretId) }
    this.#skew = values.skewAllowance
    this.#customizer = values.customizer ?? null
    this.#failureHandler = values.failureHandler ?? refuse
    this.#clock = env.clock
    this.#logger = env.logger
  }

  filter: Filter = async (exchange, next) => {
    const value = await this.#demands.token(exchange)
    const judged = await this.#judge(value, exchange)
    if (judged.outcome === 'good') return next(judged.exchange)
    // The token is not at fault, so no user is sent to log in again.
    if (judged.outcome === 'unknown') return respond(503)
    this.#logger.debug({ violations: judged.violations }, 'a token is not good')
    const violations = judged.violations.map((description) => ({ description }))
    return this.#failureHandler(exchange.with(JwtValidationErrorContext, { jwt: value, violations }))
  }

  async #judge(value: string | null, exchange: Exchange): Promise<Judgement> {
    if (value === null || value === '') return { outcome: 'bad', violations: ['there is no token'] }
    const opened = await openJwt(value, this.#keys)
    if (opened.outcome === 'unavailable') {
      const { reason } = opened
      this.#logger.limited(reason).error({ reason }, EVENTS.TOKENS_NOT_VALIDATED)
      return { outcome: 'unknown' }
    }
    if (opened.outcome === 'invalid') return { outcome: 'bad', violations: [opened.reason] }
    const judged = exchange.with(JwtValidationContext, validated(value, opened))
    const violations = await this.#violations(opened.claims, judged)
    return violations.length === 0 ? { outcome: 'good', exchange: judged } : { outcome: 'bad', violations }
  }

  /** A customizer is asked last, and only about tokens that are good otherwise. */
  async #violations(claims: JsonObject, exchange: Exchange): Promise<readonly string[]> {
    const rules = { now: this.#clock.now(), skew: this.#skew, required: this.#demands.times }
    const found = [...timeViolations(claims, rules), ...this.#demands.violations(claims)]
    if (found.length > 0 || this.#customizer === null) return found
    return this.#customizer.violations(claims, exchange)
  }
}

function validated(value: string, { claims, header }: OpenedJwt): JwtValidation {
  const claimsSet = new ClaimsSet(claims)
  return { value, claims: claimsSet, info: claims, jwt: { header: header.members, claimsSet } }
}
