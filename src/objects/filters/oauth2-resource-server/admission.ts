import {
  type AccessToken,
  type AccessTokenResolver,
  OAuth2Context,
  type TokenRejection,
  type TokenResolution,
  type ValidToken,
} from '#contracts'
import { type Exchange, type Filter, type Handler, type Response, respond } from '#http'
import type { Assign, Clock, Environment } from '#schema'
import { recordDenied, recordFailed, recordGranted } from '../../lib/audit/decisions.ts'
import { isBound } from '../../lib/tokens/bound-token.ts'
import { authorizationIn, credentialsOf, type RecentCredentials, type Scheme } from '../../lib/tokens/credentials.ts'
import { EXPIRED } from '../../lib/tokens/token-info.ts'
import { type Awaitable, then } from '../lib/awaitable.ts'
import { Challenges } from './challenge.ts'
import type { RequiredScopes } from './required-scopes.ts'

interface AdmissionSettings {
  readonly resolver: AccessTokenResolver
  readonly recentCredentials: RecentCredentials
  readonly requiredScopes: RequiredScopes
  readonly realm: string
  readonly requireHttps: boolean
  /** Whether bound tokens pass although the resolver verifies no binding. */
  readonly allowBoundTokens: boolean
  /** Target for a copy of the token, of older configurations. */
  readonly target: Assign | null
  readonly clock: Clock
  /** For its name in decisions. */
  readonly env: Pick<Environment, 'name'>
  /** Called for responses to upgrade requests; null where connections may outlive their token. */
  readonly onUpgrade: ((response: Response, token: AccessToken, exchange: Exchange) => void) | null
}

const BEARER: readonly Scheme[] = ['Bearer']

/**
 * Admits requests with a valid token that has every required scope (RFC 6750). Synchronous where all values are cached, so that it
 * adds neither promise nor closure. Expiry, scopes and `admit` of the resolver are checked for each request, also for cached tokens
 * (threats B54).
 */
export class Admission {
  readonly #settings: AdmissionSettings
  readonly #schemes: readonly Scheme[]
  readonly #challenges: Challenges

  constructor(settings: AdmissionSettings) {
    this.#settings = settings
    this.#schemes = settings.resolver.schemes ?? BEARER
    this.#challenges = new Challenges(settings.realm, this.#schemes)
  }

  readonly filter: Filter = (exchange, next) => {
    try {
      return Promise.resolve(this.#admit(exchange, next))
    } catch (error) {
      return Promise.reject(error)
    }
  }

  #admit(exchange: Exchange, next: Handler): Awaitable<Response> {
    const { requireHttps, resolver, recentCredentials, env } = this.#settings
    if (requireHttps && exchange.originalUri.scheme !== 'https') {
      recordDenied(exchange, env, 'the request is not over HTTPS')
      return respond(403, { 'Cache-Control': 'no-store' }, 'This resource is served over HTTPS only.')
    }
    const field = authorizationIn(exchange.request.headers)
    const recent = typeof field === 'string' ? recentCredentials.get(field) : undefined
    const credentials = recent ?? (typeof field === 'string' ? credentialsOf(field, this.#schemes) : field)
    if (credentials.found === 'nothing') {
      recordDenied(exchange, env, 'no access token')
      return this.#challenges.tokenRequired()
    }
    if (credentials.found === 'malformed') {
      recordDenied(exchange, env, credentials.description)
      return this.#challenges.malformed(credentials.description)
    }
    const { scheme } = credentials
    if (credentials.found === 'oversized') return this.#refuse(exchange, scheme, OVERSIZED)
    const resolution = resolver.resolve(credentials.token, exchange)
    if (resolution instanceof Promise)
      return resolution.then((loaded) => this.#resolved(loaded, scheme, exchange, next))
    // Only what was found valid in a cache: invented tokens take no memory.
    if (recent === undefined && resolution.outcome === 'valid') recentCredentials.set(field as string, credentials)
    return this.#resolved(resolution, scheme, exchange, next)
  }

  #resolved(resolution: TokenResolution, scheme: Scheme, exchange: Exchange, next: Handler): Awaitable<Response> {
    const { resolver, clock, allowBoundTokens } = this.#settings
    if (resolution.outcome !== 'valid') return this.#refuse(exchange, scheme, resolution)
    const { accessToken } = resolution
    if (accessToken.expiresAt !== null && accessToken.expiresAt <= clock.now()) {
      return this.#refuse(exchange, scheme, EXPIRED)
    }
    // A bound token accepted without proof is a bearer token: a stolen one would work.
    if (!allowBoundTokens && isBound(accessToken) && resolver.verifiesBinding?.(accessToken) !== true) {
      return this.#refuse(exchange, scheme, UNVERIFIED_BINDING)
    }
    if (resolver.admit === undefined) return this.#admitted(resolution, scheme, exchange, next)
    return then(resolver.admit(accessToken, exchange), (refusal) =>
      refusal === null ? this.#admitted(resolution, scheme, exchange, next) : this.#refuse(exchange, scheme, refusal),
    )
  }

  #admitted(valid: ValidToken, scheme: Scheme, exchange: Exchange, next: Handler): Awaitable<Response> {
    const required = this.#settings.requiredScopes(exchange)
    if (!(required instanceof Promise)) return this.#pass(valid, required, scheme, exchange, next)
    return required.then((scopes) => this.#pass(valid, scopes, scheme, exchange, next))
  }

  #refuse(exchange: Exchange, scheme: Scheme, refusal: TokenRejection): Response {
    const { env } = this.#settings
    if (refusal.outcome === 'unavailable') recordFailed(exchange, env, refusal.description)
    else recordDenied(exchange, env, refusal.description)
    return this.#challenges.refused(scheme, refusal)
  }

  #pass(
    { accessToken, fromCache = false }: ValidToken,
    required: Iterable<string>,
    scheme: Scheme,
    exchange: Exchange,
    next: Handler,
  ): Awaitable<Response> {
    const { onUpgrade, env, target } = this.#settings
    for (const scope of required) {
      if (accessToken.scopes.has(scope)) continue
      // The access event names the user of the newest context of the exchange.
      exchange.with(OAuth2Context, { accessToken })
      recordDenied(exchange, env, 'the access token lacks a required scope', scope)
      return this.#challenges.insufficientScope(scheme, required)
    }
    recordGranted(exchange, env, 'the access token is valid', { fromCache })
    const admitted = exchange.with(OAuth2Context, { accessToken })
    const assigned = target?.(exchange, null, accessToken)
    const response = assigned === undefined ? next(admitted) : assigned.then(() => next(admitted))
    if (onUpgrade === null || !exchange.request.headers.has('upgrade')) return response
    return response.then((upgraded) => {
      onUpgrade(upgraded, accessToken, exchange)
      return upgraded
    })
  }
}

const UNVERIFIED_BINDING: TokenRejection = {
  outcome: 'invalid',
  description: 'The access token is bound to a key or certificate, which is not verified here.',
}
const OVERSIZED: TokenRejection = { outcome: 'invalid', description: 'The access token is too long to be one.' }
