import { type OAuth2Failure, OAuth2FailureContext, OAuth2TokenExchangeContext, type ResourceAccess } from '#contracts'
import type { Exchange, Filter, Handler, Uri } from '#http'
import type { Logger } from '#logging'
import type { Runtime } from '#schema'
import { recordDenied, recordFailed } from '../../lib/audit/decisions.ts'
import { scopesFor } from '../../lib/outbound-auth/requested-scopes.ts'
import { requestToken, type TokenResult } from '../../lib/outbound-auth/token-request.ts'
import { EVENTS } from '../log-events.ts'
import type { ExchangeCache } from './exchange-cache.ts'
import { failureOf, NO_SUBJECT_TOKEN, reasonOf, statusOf } from './exchange-failure.ts'

interface ExchangeSettings {
  readonly subjectToken: Runtime<string>
  readonly endpoint: () => Uri
  readonly scopes: readonly Runtime<string>[] | ResourceAccess
  /** Form fields common to all requests. */
  readonly fields: Readonly<Record<string, string>>
  readonly handler: Handler
  readonly onFailure: Handler
  readonly logger: Logger
  readonly cache: ExchangeCache | null
}

/** Exchanges the token of each request; the issued token is added to the context (RFC 8693). */
export function exchangeToken(settings: ExchangeSettings): Filter {
  const { subjectToken, endpoint, fields, handler, logger, cache } = settings
  const fail = (exchange: Exchange, failure: OAuth2Failure, decisionReason = failure.description) => {
    const { error: reason, description } = failure
    logger.limited(reason).warn({ reason, description }, EVENTS.EXCHANGE_FAILED)
    const record = statusOf(failure) === 403 ? recordDenied : recordFailed
    record(exchange, logger, decisionReason)
    return settings.onFailure(exchange.with(OAuth2FailureContext, failure))
  }
  return async (exchange, next) => {
    const token = await subjectToken(exchange)
    if (token === null || token === '') return fail(exchange, NO_SUBJECT_TOKEN)
    const wanted = await scopesFor(settings.scopes, exchange)
    const request = (onBehalfOf: Exchange | null): Promise<TokenResult> =>
      requestToken({
        endpoint: endpoint(),
        handler,
        fields: { ...fields, subject_token: token, ...(wanted.length > 0 && { scope: wanted.join(' ') }) },
        onBehalfOf,
      })
    const key = cache?.key(token, wanted) ?? ''
    const result = await (cache === null ? request(exchange) : cache.get(key, token, () => request(null)))
    if (result.outcome !== 'issued') return fail(exchange, failureOf(result), reasonOf(result))
    const issuedTokenType = Object.hasOwn(result.info, 'issued_token_type') ? result.info['issued_token_type'] : null
    if (typeof issuedTokenType !== 'string') {
      // Required by RFC 8693 section 2.2.1.
      return fail(exchange, failureOf({ outcome: 'malformed', reason: 'it sent no issued_token_type' }))
    }
    const { token: issuedToken, scopes, info } = result
    const response = await next(
      exchange.with(OAuth2TokenExchangeContext, {
        issuedToken,
        issuedTokenType,
        scopes: scopes ?? wanted,
        rawInfo: info,
      }),
    )
    if (response.status === 401) cache?.drop(key, result)
    return response
  }
}
