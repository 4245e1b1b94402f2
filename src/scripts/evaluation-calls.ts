import type { AccessTokenResolver, ResourceAccess } from '#contracts'
import { BodyTooLargeError, type Exchange, type Filter, type Handler, Request, Response } from '#http'
import { publishCustomEvent } from './custom-event.ts'
import type { ScriptSettings } from './engine.ts'
import type { EvaluationInput } from './evaluation-input.ts'
import { HeapObject } from './evaluation-port.ts'
import { signScriptJwt, verifyScriptJwt } from './script-jwt.ts'
import { findSecret, matchesSecret } from './script-secrets.ts'

/** Asynchronous calls of a script. */
export type CallName =
  | 'buffer'
  | 'send'
  | 'next'
  | 'handle'
  | 'filter'
  | 'resolve'
  | 'scopes'
  | 'audit'
  | 'secret'
  | 'signJwt'
  | 'verifyJwt'
  | 'matches'

/** The objects of the gateway that calls use. */
export type CallSettings = Pick<ScriptSettings, 'clientHandler' | 'secrets' | 'clock'>

/** The calls of one evaluation, and the bodies that it owns until it ends. */
export class EvaluationCalls {
  readonly #input: EvaluationInput
  readonly #settings: CallSettings
  readonly #received: Response[] = []
  readonly #forwarded: Request[] = []
  #ended = false

  constructor(input: EvaluationInput, settings: CallSettings) {
    this.#input = input
    this.#settings = settings
  }

  /** Calls the gateway or another object. */
  async perform(what: CallName, subject: unknown, argument: unknown): Promise<unknown> {
    const value = await this.#perform(what, subject, argument)
    if (value instanceof Response) this.#receive(value)
    return value
  }

  /** Cancels unused bodies. */
  end(result: unknown): void {
    this.#ended = true
    // A request may have the body of a response; it belongs to the exchange then.
    const retained = new Set(this.#forwarded.map(({ body }) => body))
    if (result instanceof Response) retained.add(result.body)
    for (const { body } of this.#received) if (!retained.has(body)) body.cancel()
  }

  #receive(response: Response): void {
    response.entityLimits = this.#input.exchange.storage.entityLimits
    if (this.#ended) response.body.cancel()
    else this.#received.push(response)
  }

  #perform(what: CallName, subject: unknown, argument: unknown): unknown {
    const { exchange, next } = this.#input
    switch (what) {
      case 'buffer':
        return buffered(subject as Request | Response, exchange)
      case 'send':
        return this.#settings.clientHandler(this.#outgoing(subject as Request))
      case 'next':
        if (next === undefined) throw new TypeError('this script has no next handler')
        return next(this.#exchangeWith(subject as Request))
      case 'handle':
        return (objectOf(subject) as Handler)(this.#outgoing(argument as Request))
      case 'filter':
        return (objectOf(subject) as Filter)(this.#exchangeWith(argument as Request), next ?? noNextHandler)
      case 'resolve':
        return tokenInfo(objectOf(subject) as AccessTokenResolver, String(argument), exchange)
      case 'scopes':
        return (objectOf(subject) as ResourceAccess).requiredScopes(exchange)
      case 'audit':
        return publishCustomEvent(exchange, String(subject), argument)
      case 'secret':
        return findSecret(this.#settings.secrets, String(subject))
      case 'signJwt':
        return signScriptJwt(subject, argument)
      case 'verifyJwt':
        return verifyScriptJwt(subject, String(argument), this.#settings.clock.now())
      case 'matches':
        return matchesSecret(subject, argument)
    }
  }

  /** The exchange with this request. */
  #exchangeWith(request: Request): Exchange {
    const { exchange } = this.#input
    this.#forwarded.push(request)
    return request === exchange.request ? exchange : exchange.withRequest(request)
  }

  /** A request that a script created; without a Host field it gets that of the URI. */
  #outgoing(request: Request): Exchange {
    if (!request.headers.has('host') && request.uri.host !== '') request.headers.add('Host', request.uri.authority)
    return this.#exchangeWith(request)
  }
}

async function buffered(message: Request | Response, { storage }: Exchange): Promise<void> {
  if (await message.body.bufferIfFits(storage)) return
  throw new BodyTooLargeError(storage.limit, message instanceof Request ? 'request' : 'response')
}

const noNextHandler: Handler = () => Promise.reject(new TypeError('this filter has no next handler'))

function objectOf(subject: unknown): unknown {
  if (!(subject instanceof HeapObject)) throw new TypeError('expected an object of the heap')
  return subject.object
}

async function tokenInfo(resolver: AccessTokenResolver, token: string, exchange: Exchange): Promise<unknown> {
  const resolution = await resolver.resolve(token, exchange)
  if (resolution.outcome === 'valid') return resolution.accessToken.info
  if (resolution.outcome === 'invalid') return null
  throw new Error(resolution.description)
}
