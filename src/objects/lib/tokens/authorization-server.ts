import type { TokenRejection, TokenResolution } from '#contracts'
import {
  type Exchange,
  type Handler,
  type Headers,
  internalCall,
  internalExchange,
  mediaType,
  type Request,
} from '#http'
import { type JsonObject, jsonObjectIn } from '#json'
import type { LogEvent, Logger } from '#logging'
import type { Environment } from '#schema'
import { EVENTS } from './log-events.ts'
import { type InfoRules, resolutionOf } from './token-info.ts'

interface EndpointResponse {
  readonly status: number
  /** Null where the body is no JSON object. */
  readonly content: JsonObject | null
}

interface ResponseContent {
  readonly status: number
  readonly bytes: Uint8Array
  /** Whether it is an HTML page. */
  readonly isPage: boolean
}

/** Responses about one token are small (threats B62). */
const MAX_RESPONSE_BYTES = 1_048_576
const TIMEOUT = 5_000
/** Milliseconds after a failure in which a response is no recovery: a server that fails for some requests stays degraded. */
const RECOVERY_PAUSE = 1_000

type ServerEnvironment = Pick<Environment, 'logger' | 'clock' | 'reportState'>

/** Its log events. */
export const AUTHORIZATION_SERVER_EVENTS: readonly LogEvent[] = [
  EVENTS.AUTHORIZATION_SERVER_UNUSABLE,
  EVENTS.INTROSPECTION_REFUSED,
  EVENTS.INTROSPECTION_UNAUTHORIZED,
]

/** Client of an authorization server that validates tokens. Without a usable response, tokens are rejected. */
export class AuthorizationServer {
  readonly #handler: Handler
  readonly #timeout: number
  readonly #logger: Logger
  readonly #env: ServerEnvironment
  /** Time of the last failure on the monotonic clock; null while the server responds. */
  #failedAt: number | null = null

  constructor(handler: Handler, env: ServerEnvironment, timeout = TIMEOUT) {
    this.#handler = handler
    this.#timeout = timeout
    this.#logger = env.logger
    this.#env = env
  }

  /** Sends a request on behalf of an exchange. Returns 200 and 4xx responses with their content; other responses reject the token. */
  async call(request: Request, exchange: Exchange): Promise<EndpointResponse | TokenRejection> {
    // Without the query, which has the token at some servers.
    const endpoint = `${request.uri.origin}${request.uri.path}`
    try {
      const { status, bytes, isPage } = await this.#send(request, exchange)
      const response = { status, content: isPage ? null : jsonObjectIn(bytes) }
      const problem = problemOf(response, isPage)
      if (problem !== null) return this.#failed(problem, { endpoint })
      this.#responded()
      return response
    } catch (error) {
      return this.#failed((error as Error).message, { endpoint, error })
    }
  }

  /** The refusal of a token that can not be validated. The reason is logged, not sent. */
  unavailable(reason: string, fields: { readonly endpoint?: string; readonly error?: unknown } = {}): TokenRejection {
    this.#logger.limited().warn({ reason, ...fields }, EVENTS.AUTHORIZATION_SERVER_UNUSABLE)
    return { outcome: 'unavailable', description: 'The authorization server is unavailable.' }
  }

  #failed(reason: string, fields: { readonly endpoint: string; readonly error?: unknown }): TokenRejection {
    if (this.#failedAt === null) this.#env.reportState('degraded', 'the authorization server is unavailable')
    this.#failedAt = this.#env.clock.monotonic()
    return this.unavailable(reason, fields)
  }

  #responded(): void {
    if (this.#failedAt === null || this.#env.clock.monotonic() - this.#failedAt < RECOVERY_PAUSE) return
    this.#failedAt = null
    this.#env.reportState('up', 'the authorization server responds')
    this.#logger.info('authorization server available again')
  }

  /** The resolution of a token by a response. A response with a malformed member is logged. */
  resolution(token: string, info: JsonObject, rules: InfoRules): TokenResolution {
    return resolutionOf(token, info, this.#env.clock.now(), rules, (reason) => this.unavailable(reason))
  }

  badRequest({ status, content }: EndpointResponse): TokenRejection {
    const error = typeof content?.['error'] === 'string' ? content['error'].slice(0, 100) : 'none given'
    const reason = `status ${status}, error: ${error}`
    this.#logger.limited().warn({ reason }, EVENTS.INTROSPECTION_REFUSED)
    return {
      outcome: 'bad_request',
      description: 'The authorization server rejected the request to validate the token.',
    }
  }

  /** Whether the server rejected the gateway as a client, rather than the request (RFC 7662 section 2.3, RFC 6749 5.2). */
  rejectsClient({ status, content }: EndpointResponse): boolean {
    const error = content?.['error']
    return status === 401 || status === 403 || error === 'invalid_client' || error === 'unauthorized_client'
  }

  /** The refusal where the server rejects the credentials of the gateway; the token itself may be valid. */
  clientRejected({ status, content }: EndpointResponse): TokenRejection {
    const error = typeof content?.['error'] === 'string' ? content['error'].slice(0, 100) : 'none given'
    this.#logger.limited().warn({ reason: `status ${status}, error: ${error}` }, EVENTS.INTROSPECTION_UNAUTHORIZED)
    return { outcome: 'unavailable', description: 'Access tokens can not be checked at the moment.' }
  }

  async #send(request: Request, cause: Exchange): Promise<ResponseContent> {
    const { status, headers, body } = await internalCall(this.#handler, internalExchange(request, cause), {
      timeout: this.#timeout,
      maxBytes: MAX_RESPONSE_BYTES,
      wantsBody: (response) => !isPage(response.headers) && (response.status === 200 || isClientError(response.status)),
    })
    return { status, bytes: body, isPage: isPage(headers) }
  }
}

/** Why a response can not be used; null for 200 with a JSON object, and for 4xx. */
function problemOf({ status, content }: EndpointResponse, isPage: boolean): string | null {
  // An HTML page is from a proxy or load balancer in front of the server, even with status 200.
  if (isPage) return `expected a JSON object in the body, got an HTML page with status ${status}`
  if (status === 200)
    return content === null ? 'expected a JSON object in the body, with each member once, got something else' : null
  // 408 and 429 are temporary: they do not reject the request itself.
  const refused = isClientError(status) && status !== 408 && status !== 429
  return refused ? null : `expected the status 200, got ${status}`
}

function isPage(headers: Headers): boolean {
  return mediaType(headers) === 'text/html'
}

function isClientError(status: number): boolean {
  return status >= 400 && status < 500
}
