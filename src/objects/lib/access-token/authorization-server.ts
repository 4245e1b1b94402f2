import type { TokenRefusal } from '#contracts'
import { type Exchange, type Handler, ownExchange, type Request, type Response } from '#http'
import { isPlainObject, type JsonObject, parseJson } from '#json'
import type { Logger } from '#logging'
import type { Environment } from '#schema'

/** What a server said. */
export interface ServerAnswer {
  readonly status: number
  /** Null where the body is no JSON object. */
  readonly content: JsonObject | null
}

/** What is said of one token is small; a server that sends more is broken or hostile (threats B62). */
const LARGEST_ANSWER = 1_048_576
const DEADLINE = 5_000

/** A server that is asked about tokens, in bounded time; one that gives no usable answer costs a request, never grants one. */
export class AuthorizationServer {
  readonly #handler: Handler
  readonly #deadline: number
  readonly #logger: Logger

  constructor(handler: Handler, { logger }: Pick<Environment, 'logger'>, deadline = DEADLINE) {
    this.#handler = handler
    this.#deadline = deadline
    this.#logger = logger
  }

  /** Asks on behalf of an exchange. Statuses from 200 to 299 and of refusals come back with their content. */
  async ask(request: Request, exchange: Exchange): Promise<ServerAnswer | TokenRefusal> {
    try {
      const { status, bytes } = await this.#send(request, exchange)
      return this.#judged(status, contentIn(bytes))
    } catch (error) {
      return this.unavailable((error as Error).message)
    }
  }

  /** The refusal where nobody can say what a token is worth; the reason is logged, not told. */
  unavailable(reason: string): TokenRefusal {
    this.#logger.limited().warn({ reason }, 'the authorization server gives no usable answer')
    return { outcome: 'unavailable', description: 'The authorization server can not be asked at the moment.' }
  }

  #judged(status: number, content: JsonObject | null): ServerAnswer | TokenRefusal {
    if (status === 200) {
      return content === null
        ? this.unavailable('expected a JSON object in the body, got something else')
        : { status, content }
    }
    // These two say that it is too early, not that the question was wrong.
    const refused = status >= 400 && status < 500 && status !== 408 && status !== 429
    return refused ? { status, content } : this.unavailable(`expected the status 200, got ${status}`)
  }

  /** The refusal where the server did not accept the question. */
  misasked({ status, content }: ServerAnswer): TokenRefusal {
    const error = typeof content?.['error'] === 'string' ? content['error'].slice(0, 100) : 'none given'
    const reason = `status ${status}, error: ${error}`
    this.#logger.limited().warn({ reason }, 'the authorization server does not accept the question')
    return { outcome: 'misasked', description: 'The authorization server did not accept the question about the token.' }
  }

  async #send(request: Request, cause: Exchange): Promise<{ status: number; bytes: Uint8Array }> {
    const exchange = ownExchange(request, cause)
    const { promise: late, reject } = Promise.withResolvers<never>()
    const timer = setTimeout(() => {
      const error = new Error(`there was no answer within ${this.#deadline} ms`)
      exchange.abort(error)
      reject(error)
    }, this.#deadline)
    try {
      const answer = this.#handler(exchange).then(bodyOf)
      // Whoever lost the race has nobody left to tell.
      answer.catch(() => {})
      return await Promise.race([answer, late])
    } finally {
      clearTimeout(timer)
      exchange.complete()
    }
  }
}

/** The body where it can matter; redirects are not followed: the URL was chosen, where it would lead was not (threats B65). */
async function bodyOf(response: Response): Promise<{ status: number; bytes: Uint8Array }> {
  const { status } = response
  if (status === 200 || (status >= 400 && status < 500)) {
    return { status, bytes: await response.body.read(LARGEST_ANSWER) }
  }
  response.body.cancel()
  return { status, bytes: new Uint8Array(0) }
}

function contentIn(bytes: Uint8Array): JsonObject | null {
  try {
    const content = parseJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes), { depth: 64 })
    return isPlainObject(content) ? (content as JsonObject) : null
  } catch {
    return null
  }
}
