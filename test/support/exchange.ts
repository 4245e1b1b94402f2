import { tmpdir } from 'node:os'
import {
  Body,
  type ClientInfo,
  type EntityLimits,
  Exchange,
  Headers,
  Request,
  TemporaryStorage,
  UnauditedRequest,
  Uri,
} from '#http'

/** Differences from a plain request. */
export interface ExchangeParts {
  readonly headers?: Record<string, string | readonly string[]>
  readonly body?: Body | string | Uint8Array
  readonly client?: Partial<ClientInfo>
  readonly entityLimits?: EntityLimits
}

const LOOPBACK: ClientInfo = {
  remoteAddress: '127.0.0.1',
  remotePort: 50_000,
  remoteUser: null,
  localAddress: '127.0.0.1',
  localPort: 8080,
  certificates: [],
  userAgent: null,
  secure: false,
  external: true,
}

/** An exchange as a listener creates it: the Host field is that of the URL unless the headers have one. */
export function exchangeFor(method: string, url: string, parts: ExchangeParts = {}): Exchange {
  const uri = Uri.parse(url)
  const headers = new Headers()
  for (const [name, values] of Object.entries(parts.headers ?? {})) {
    for (const value of typeof values === 'string' ? [values] : values) headers.add(name, value)
  }
  if (!headers.has('host')) headers.add('Host', uri.authority)
  const body = parts.body instanceof Body ? parts.body : Body.of(parts.body ?? '')
  return new Exchange({
    request: new Request({ method, uri, headers, body: parts.body === undefined ? Body.empty : body }),
    client: { ...LOOPBACK, ...parts.client },
    storage: temporaryStorage(parts.entityLimits),
  })
}

/** The same, with a record of decisions: `exchange.audit?.decision`. */
export function auditedExchange(method: string, url: string, parts: ExchangeParts = {}): Exchange {
  const exchange = exchangeFor(method, url, parts)
  exchange.audit = new UnauditedRequest(exchange)
  return exchange
}

/** Storage of small bodies in memory and larger ones in the system's temporary directory. */
export function temporaryStorage(entityLimits?: EntityLimits): TemporaryStorage {
  const limits = { initialLength: 8_192, memoryLimit: 65_536, fileLimit: 1_048_576, directory: tmpdir() }
  return new TemporaryStorage(limits, entityLimits)
}
