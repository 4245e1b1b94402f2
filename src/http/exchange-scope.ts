import { type Exposure, exposed, type Scope } from '#expression'
import { ContextsView, leafContext } from './contexts.ts'
import type { Message } from './entity.ts'
import type { Exchange } from './exchange.ts'
import type { Response } from './response.ts'
import { SessionMap } from './session.ts'

/** The bindings of expressions during an exchange; other names are resolved in `outer`. */
export function exchangeScope(exchange: Exchange, response: Response | null, outer: Scope): Scope {
  return new ExchangeScope(exchange, response, outer)
}

/** Names that every request binds. */
export const EXCHANGE_NAMES = [
  'request',
  'response',
  'contexts',
  'context',
  'attributes',
  'session',
  'exchange',
] as const

class ExchangeScope implements Scope {
  readonly exchange: Exchange
  readonly response: Response | null
  readonly #outer: Scope

  constructor(exchange: Exchange, response: Response | null, outer: Scope) {
    this.exchange = exchange
    this.response = response
    this.#outer = outer
  }

  lookup(name: string): unknown {
    const bound = name as (typeof EXCHANGE_NAMES)[number]
    switch (bound) {
      case 'request':
        return limited(this.exchange.request, this.exchange)
      case 'response':
        return this.response === null ? null : limited(this.response, this.exchange)
      case 'contexts':
        return new ContextsView(this.exchange)
      case 'context':
        return leafContext(this.exchange)
      case 'attributes':
        return this.exchange.attributes
      case 'session':
        return new SessionMap(this.exchange.session)
      case 'exchange':
        return new ExchangeView(this)
      default:
        bound satisfies never
        return this.#outer.lookup(name)
    }
  }

  names(): Iterable<string> {
    return new Set([...EXCHANGE_NAMES, ...(this.#outer.names?.() ?? [])])
  }

  warn(message: string): void {
    this.#outer.warn?.(message)
  }
}

/** Applies the entity limits of the exchange. */
function limited(message: Message, { storage }: Exchange): Message {
  message.entityLimits = storage.entityLimits
  return message
}

/** The `exchange` of old configuration files. */
class ExchangeView {
  readonly scope: ExchangeScope

  constructor(scope: ExchangeScope) {
    this.scope = scope
  }

  get [exposed](): Exposure<ExchangeView> {
    return EXPOSURE
  }
}

const EXPOSURE: Exposure<ExchangeView> = {
  kind: 'exchange',
  get: {
    request: ({ scope }) => scope.lookup('request'),
    response: ({ scope }) => scope.lookup('response'),
    session: ({ scope }) => new SessionMap(scope.exchange.session),
    attributes: ({ scope }) => scope.exchange.attributes,
    originalUri: ({ scope }) => scope.exchange.originalUri,
    clientInfo: ({ scope }) => new ContextsView(scope.exchange).get('client'),
  },
  // Old files store their values directly in the exchange.
  index: ({ scope }, key) => scope.exchange.attributes[key] ?? null,
  assignIndex: ({ scope }, key, value) => {
    scope.exchange.attributes[key] = value
  },
}
