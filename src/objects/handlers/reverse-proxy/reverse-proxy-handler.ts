import { UpstreamError } from '#client'
import { HandlerKind } from '#contracts'
import {
  BodyConsumedError,
  BodyTooLargeError,
  type Exchange,
  type Handler,
  type Response,
  reasonPhrase,
  respond,
} from '#http'
import type { Logger } from '#logging'
import { defineType } from '#schema'
import { checkProxySettings, PROXY_FIELDS, upstreamOf } from './proxy-settings.ts'
import { isReported } from './retries.ts'

/** Relays requests to the protected application. */
export const ReverseProxyHandler = defineType({
  name: 'ReverseProxyHandler',
  kind: HandlerKind,
  summary: 'Relays requests to the protected application and its responses to the client.',
  config: PROXY_FIELDS,
  check: checkProxySettings,
  create: async (settings, env) => answeringFailures(await upstreamOf(settings, env), env.logger),
})

/** Turns failures of the upstream into responses; anything else stays a fault. */
export function answeringFailures(send: Handler, logger: Logger): Handler {
  return async (exchange) => {
    try {
      return await send(exchange)
    } catch (error) {
      // A body that was read before is the route's mistake, not the client's: see BodyConsumedError.
      if (!(error instanceof UpstreamError) || error.cause instanceof BodyConsumedError) throw error
      if (!isReported(error)) log(error, exchange, logger)
      return answerTo(error)
    }
  }
}

/** The answer says what, never where: host, port and cause are for the log (threats B86). */
function answerTo(error: UpstreamError): Response {
  const status = error.cause instanceof BodyTooLargeError && error.code === 'GW_REQUEST_BODY' ? 413 : error.status
  const response = respond(status, {}, reasonPhrase(status))
  response.cause = error
  return response
}

function log(error: UpstreamError, exchange: Exchange, logger: Logger): void {
  const fields = { error, upstream: exchange.request.uri.origin, transactionId: exchange.transactionId.value }
  // What a client does wrong is no news of the application, and could be repeated at will.
  if (error.code === 'GW_CLIENT_GONE' || error.code === 'GW_REQUEST_BODY') logger.debug(fields, 'no whole request')
  else logger.warn(fields, 'the upstream gave no answer')
}
