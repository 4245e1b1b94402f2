import { randomUUID } from 'node:crypto'
import type { ResourceAccess } from '#contracts'
import { Body, type Exchange, type Filter, formatForm, type Handler, type Request, respond } from '#http'
import type { JsonObject } from '#json'
import type { Logger } from '#logging'
import type { Clock, Runtime } from '#schema'
import { recordDenied } from '../../lib/audit/decisions.ts'
import { scopesFor } from '../../lib/outbound-auth/requested-scopes.ts'
import { buildToken, type TokenKeys } from '../../lib/tokens/build-token.ts'
import { claimsFrom } from '../../lib/tokens/claims-from.ts'

interface SwapSettings {
  readonly clientId: Runtime<string> | null
  readonly scopes: readonly Runtime<string>[] | ResourceAccess
  readonly issuer: Runtime<string>
  readonly subject: Runtime<string>
  readonly audience: Runtime<string>
  /** Milliseconds. */
  readonly expiryTime: number
  readonly otherClaims: ((exchange: Exchange) => unknown) | null
  readonly keys: TokenKeys
  readonly failureHandler: Handler | null
  readonly clock: Clock
  readonly logger: Logger
}

/** RFC 7523 section 2.1. */
const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:jwt-bearer'

/** Replaces the grant of a token request by a JWT of the gateway. */
export function swapGrant(settings: SwapSettings): Filter {
  return async (exchange, next) => {
    const claims = await claimsOf(settings, exchange)
    if (claims === null) return refuse(settings, exchange)
    const clientId = settings.clientId === null ? null : await settings.clientId(exchange)
    const scopes = await scopesFor(settings.scopes, exchange)
    const form = {
      grant_type: [GRANT_TYPE],
      assertion: [await buildToken(claims, settings.keys)],
      ...(clientId !== null && { client_id: [clientId] }),
      ...(scopes.length > 0 && { scope: [scopes.join(' ')] }),
    }
    return next(exchange.withRequest(tokenRequest(exchange.request, formatForm(form))))
  }
}

/** Null where an expression gives no issuer, subject or audience. The claims of the gateway take precedence. */
async function claimsOf(settings: SwapSettings, exchange: Exchange): Promise<JsonObject | null> {
  const { issuer, subject, audience, otherClaims, expiryTime, clock } = settings
  const [iss, sub, aud] = [await issuer(exchange), await subject(exchange), await audience(exchange)]
  if (!iss || !sub || !aud) return null
  const now = clock.now()
  const others = otherClaims === null ? {} : claimsFrom(await otherClaims(exchange))
  const times = { iat: Math.floor(now / 1_000), exp: Math.floor((now + expiryTime) / 1_000) }
  return { ...others, iss, sub, aud, jti: randomUUID(), ...times }
}

/** A copy of the request with the form alone: nothing of the received grant, and no credentials of the client, are passed on. */
function tokenRequest(received: Request, form: string): Request {
  const request = received.clone()
  if (!received.body.isBuffered) received.body.cancel()
  request.method = 'POST'
  request.body = Body.of(form)
  for (const name of ['Authorization', 'Content-Encoding', 'Transfer-Encoding', 'Content-Length'])
    request.headers.delete(name)
  request.headers.set('Content-Type', 'application/x-www-form-urlencoded')
  request.uri.rawQuery = null
  return request
}

async function refuse({ failureHandler, logger }: SwapSettings, exchange: Exchange) {
  const reason = 'no issuer, subject or audience for the assertion'
  logger.limited().info({ reason, ...exchange.ids }, 'token request rejected')
  recordDenied(exchange, logger, reason)
  if (failureHandler !== null) return failureHandler(exchange)
  const body = JSON.stringify({ error: 'invalid_request', error_description: reason })
  return respond(400, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' }, body)
}
