import type { ClientInfo } from './client-info.ts'
import { Exchange } from './exchange.ts'
import type { Request } from './request.ts'
import { TemporaryStorage } from './temporary-storage.ts'

/** No client has asked: the gateway itself has. */
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

/** What a handler may have to keep of one message; answers to the gateway's own questions are small. */
const LIMIT = 1_048_576

const storage = new TemporaryStorage({ initialLength: 1_024, memoryLimit: LIMIT, fileLimit: LIMIT, directory: '' })

/**
 * An exchange for a request that the gateway makes for its own purposes, to be sent through any Handler. Whoever makes
 * it calls `complete` when the response has been read, and may `abort` it before. Where it is made on behalf of another
 * exchange, it bears the transaction id of that one.
 */
export function ownExchange(request: Request, onBehalfOf: Exchange | null = null): Exchange {
  if (!request.headers.has('host')) request.headers.add('Host', request.uri.authority)
  const transactionId = onBehalfOf?.transactionId
  return new Exchange({ request, client: GATEWAY, storage, ...(transactionId !== undefined && { transactionId }) })
}
