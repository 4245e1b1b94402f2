import type { ClientInfo } from './client-info.ts'
import { Exchange } from './exchange.ts'
import type { Request } from './request.ts'
import { TemporaryStorage } from './temporary-storage.ts'

const GATEWAY: ClientInfo = {
  remoteAddress: '',
  remotePort: 0,
  remoteUser: null,
  localAddress: '',
  localPort: 0,
  certificates: [],
  userAgent: null,
  secure: true,
  external: false,
}

/** Bytes of one message that a handler may buffer. */
const LIMIT = 1_048_576

const storage = new TemporaryStorage({ initialLength: 1_024, memoryLimit: LIMIT, fileLimit: LIMIT, directory: '' })

/**
 * The exchange of an internal request, to be sent by `internalCall`. It has the transaction id and the span of the exchange on
 * whose behalf it is made.
 */
export function internalExchange(request: Request, onBehalfOf: Exchange | null = null): Exchange {
  if (!request.headers.has('host')) request.headers.add('Host', request.uri.authority)
  if (onBehalfOf === null) return new Exchange({ request, client: GATEWAY, storage })
  const exchange = new Exchange({ request, client: GATEWAY, storage, transactionId: onBehalfOf.transactionId })
  exchange.span = onBehalfOf.span
  return exchange
}
