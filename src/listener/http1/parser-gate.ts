import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

type ParsedMessage = IncomingMessage & { upgrade?: boolean }

/** The parser of node:http on a socket; missing in its types. */
interface Parser {
  onIncoming?: ((message: ParsedMessage, keepAlive: boolean) => number) | null
}

/**
 * Drops parsed requests that are not accepted before node:http creates a response for them. The parser can not be stopped
 * within a read, and 64 KB hold thousands of requests.
 */
export function gateRequests(socket: Socket, accepts: () => boolean): void {
  const { parser } = socket as Socket & { readonly parser?: Parser | null }
  const take = parser?.onIncoming
  if (!parser || !take) return
  parser.onIncoming = (message, keepAlive) => {
    if (accepts()) return take(message, keepAlive)
    message.upgrade = false
    return 0
  }
}
