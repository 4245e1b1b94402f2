import { Entity, type Exchange, type Filter, type Message, type Response, respond, respondUnavailable } from '#http'
import type { JsonObject, JsonValue } from '#json'
import type { Logger } from '#logging'
import type { Runtime } from '#schema'
import { recordDenied, recordFailed, recordStatus } from '../../lib/audit/decisions.ts'
import { EVENTS } from '../log-events.ts'
import type { SidebandApi } from './sideband-api.ts'
import {
  applyRequest,
  applyResponse,
  headerList,
  refusal,
  type SidebandContent,
  SidebandError,
} from './sideband-message.ts'

interface AuthorizeSettings {
  readonly api: SidebandApi
  /** Media types in lower case whose content is sent. */
  readonly contentTypes: ReadonlySet<string>
  readonly accessToken: Runtime<unknown> | null
  readonly logger: Logger
}

/** Has the API allow, change or refuse each request, and change its response. Fails closed. */
export function authorizeWithSideband(settings: AuthorizeSettings): Filter {
  const { api, contentTypes, logger } = settings
  return async (exchange, next) => {
    const { request } = exchange
    let state: JsonValue | undefined
    let payload: JsonObject
    try {
      // The API does not decode content.
      if (contentTypes.size > 0) request.headers.set('Accept-Encoding', 'identity')
      const content = await contentOf(request, 'request', contentTypes, exchange)
      payload = await requestPayload(settings, exchange, content)
      const answer = await api.call('request', payload, exchange)
      const refused = refusal(answer)
      if (refused !== null) {
        recordDenied(exchange, logger, 'refused by the Sideband API')
        return refused
      }
      applyRequest(answer, request, payload['url'] as string, content)
      state = answer['state']
    } catch (error) {
      return failed(error, exchange, logger)
    }
    const response = await next(exchange)
    // The API has no place for an upgraded connection, such as a WebSocket.
    if (response.upgrade !== null) return response
    try {
      const content = await contentOf(response, 'response', contentTypes, exchange)
      const answer = await api.call('response', responsePayload(payload, response, content, state), exchange)
      const { status } = response
      applyResponse(answer, response, content)
      if (response.status !== status)
        recordStatus(exchange, logger, response.status, 'response changed by the Sideband API')
      return response
    } catch (error) {
      response.body.cancel()
      return failed(error, exchange, logger)
    }
  }
}

async function requestPayload(
  { accessToken }: AuthorizeSettings,
  exchange: Exchange,
  content: SidebandContent,
): Promise<JsonObject> {
  const { client, request, originalUri } = exchange
  const token = accessToken === null ? null : ((await accessToken(exchange)) as JsonValue)
  return {
    source_ip: client.remoteAddress,
    source_port: String(client.remotePort),
    method: request.method,
    url: originalUri.toString(),
    http_version: request.version.replace('HTTP/', ''),
    headers: headerList(request.headers),
    ...(content !== null && { body: content }),
    ...(token !== null && { access_token: token }),
  }
}

/** The API needs its state of the request again, or the request. */
function responsePayload(
  payload: JsonObject,
  response: Response,
  content: SidebandContent,
  state: JsonValue | undefined,
): JsonObject {
  return {
    method: payload['method'] ?? null,
    url: payload['url'] ?? null,
    response_code: String(response.status),
    response_status: response.reason,
    http_version: response.version.replace('HTTP/', ''),
    headers: headerList(response.headers),
    ...(content !== null && { body: content }),
    ...(state === undefined || state === null ? { request: payload } : { state }),
  }
}

/** The text of a message of a configured type; null for other types. Throws where it exceeds the limits. */
async function contentOf(
  message: Message,
  subject: 'request' | 'response',
  types: ReadonlySet<string>,
  exchange: Exchange,
): Promise<SidebandContent> {
  if (message.body.isEmpty || !mediaTypesOf(message).some((type) => types.has(type))) return null
  await message.body.bufferIfFits(exchange.storage)
  return new Entity(message, subject).string
}

/** All that the message has: of several, applications may use another than the gateway would. */
function mediaTypesOf({ headers }: Message): readonly string[] {
  const values = headers.all('content-type').flatMap((value) => value.split(','))
  return values.map((value) => (value.split(';', 1)[0] as string).trim().toLowerCase())
}

function failed(error: unknown, exchange: Exchange, logger: Logger): Response {
  const isInvalid = error instanceof SidebandError
  logger
    .limited()
    .error(
      { error, ...exchange.ids },
      EVENTS.SIDEBAND_FAILED.withMessage(`Sideband API failed: the request gets ${isInvalid ? 502 : 503}`),
    )
  recordFailed(exchange, logger, 'Sideband API failed')
  return isInvalid ? respond(502) : respondUnavailable()
}
