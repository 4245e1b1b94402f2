import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

type ParsedMessage = IncomingMessage & { upgrade?: boolean }

/** The parser that node:http attaches to the socket of a connection; its types do not have it. */
interface Parser {
  onIncoming?: ((message: ParsedMessage, keepAlive: boolean) => number) | null
}

/**
 * Asks before each request that was parsed whether it is taken. The parser cannot be stopped within a read, and 64 KB hold
 * thousands of requests: one that is not taken is garbage at once, with a third of the work.
 */
export function gateRequests(socket: Socket, isTaken: () => boolean): void {
  const { parser } = socket as Socket & { readonly parser?: Parser | null }
  const take = parser?.onIncoming
  if (!parser || !take) return
  parser.onIncoming = (message, keepAlive) => {
    if (isTaken()) return take(message, keepAlive)
    message.upgrade = false
    return 0
  }
}
