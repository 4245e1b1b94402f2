import type { TokenRejection } from '#contracts'
import {
  type Exchange,
  type Handler,
  type Headers,
  internalCall,
  internalExchange,
  mediaType,
  type Request,
} from '#http'
import { isPlainObject, type JsonObject, parseJson } from '#json'
import type { Logger } from '#logging'
import type { Environment } from '#schema'
import { EVENTS } from '../log-events.ts'

interface ServerAnswer {
  readonly status: number
  /** Null where the body is no JSON object. */
  readonly content: JsonObject | null
}

interface AnswerContent {
  readonly status: number
  readonly bytes: Uint8Array
  /** Whether it is an HTML page. */
  readonly isPage: boolean
}

/** Answers about one token are small (threats B62). */
const MAX_ANSWER_BYTES = 1_048_576
const TIMEOUT = 5_000

/** Calls an authorization server about tokens; without a usable answer, requests are refused. */
export class AuthorizationServer {
  readonly #handler: Handler
  readonly #timeout: number
  readonly #logger: Logger

  constructor(handler: Handler, { logger }: Pick<Environment, 'logger'>, timeout = TIMEOUT) {
    this.#handler = handler
    this.#timeout = timeout
    this.#logger = logger
  }

  /** Calls the server on behalf of an exchange. Responses of 2xx and refusals come back with their content. */
  async ask(request: Request, exchange: Exchange): Promise<ServerAnswer | TokenRejection> {
    try {
      const { status, bytes, isPage } = await this.#send(request, exchange)
      // An HTML page comes from something in front of the server, whatever its status.
      if (isPage) return this.unavailable(`expected a JSON object in the body, got an HTML page with status ${status}`)
      return this.#judged(status, contentIn(bytes))
    } catch (error) {
      return this.unavailable((error as Error).message)
    }
  }

  /** The refusal where the token can not be checked; the reason is logged, not sent. */
  unavailable(reason: string): TokenRejection {
    this.#logger.limited().warn({ reason }, EVENTS.AUTHORIZATION_SERVER_UNUSABLE)
    return { outcome: 'unavailable', description: 'The authorization server can not be asked at the moment.' }
  }

  #judged(status: number, content: JsonObject | null): ServerAnswer | TokenRejection {
    if (status === 200) {
      return content === null
        ? this.unavailable('expected a JSON object in the body, got something else')
        : { status, content }
    }
    // 408 and 429 say nothing about the request.
    const refused = isClientError(status) && status !== 408 && status !== 429
    return refused ? { status, content } : this.unavailable(`expected the status 200, got ${status}`)
  }

  badRequest({ status, content }: ServerAnswer): TokenRejection {
    const error = typeof content?.['error'] === 'string' ? content['error'].slice(0, 100) : 'none given'
    const reason = `status ${status}, error: ${error}`
    this.#logger.limited().warn({ reason }, EVENTS.INTROSPECTION_REFUSED)
    return {
      outcome: 'bad_request',
      description: 'The authorization server did not accept the question about the token.',
    }
  }

  /** Whether the server refused the gateway as a client, rather than the question (RFC 7662 section 2.3, RFC 6749 5.2). */
  refusesClient({ status, content }: ServerAnswer): boolean {
    const error = content?.['error']
    return status === 401 || status === 403 || error === 'invalid_client' || error === 'unauthorized_client'
  }

  /** The refusal where the server does not accept the gateway as a client: no fault of the token or its bearer. */
  clientRefused({ status, content }: ServerAnswer): TokenRejection {
    const error = typeof content?.['error'] === 'string' ? content['error'].slice(0, 100) : 'none given'
    this.#logger.limited().warn({ reason: `status ${status}, error: ${error}` }, EVENTS.INTROSPECTION_UNAUTHORIZED)
    return { outcome: 'unavailable', description: 'Access tokens can not be checked at the moment.' }
  }

  async #send(request: Request, cause: Exchange): Promise<AnswerContent> {
    const { status, headers, body } = await internalCall(this.#handler, internalExchange(request, cause), {
      timeout: this.#timeout,
      maxBytes: MAX_ANSWER_BYTES,
      wantsBody: (response) => !isPage(response.headers) && (response.status === 200 || isClientError(response.status)),
    })
    return { status, bytes: body, isPage: isPage(headers) }
  }
}

function isPage(headers: Headers): boolean {
  return mediaType(headers) === 'text/html'
}

function isClientError(status: number): boolean {
  return status >= 400 && status < 500
}

function contentIn(bytes: Uint8Array): JsonObject | null {
  try {
    const content = parseJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes), { depth: 64 })
    return isPlainObject(content) ? (content as JsonObject) : null
  } catch {
    return null
  }
}
