import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

type ParsedMessage = IncomingMessage & { upgrade?: boolean }

/** The parser of node:http on a socket; missing in its types. */
interface Parser {
  onIncoming?: ((message: ParsedMessage, keepAlive: boolean) => number) | null
  /** The bytes of the current read. */
  getCurrentBuffer(): Buffer
  [callback: number]: ((result: number | Error) => void) | undefined
}

/** The connection of a parser. */
interface ParserUser {
  /** Whether the next request is wanted. */
  accepts(): boolean
  /** Bytes that follow a request in the same read are lost: what is parsed next may begin anywhere. */
  onLostBytes(): void
}

/**
 * Drops parsed requests that are not accepted before node:http creates a response for them. The parser can not be stopped
 * within a read, and 64 KB hold thousands of requests.
 *
 * The parser stops after a request with `Connection: upgrade`. Where node:http serves it as an ordinary one, it drops the rest of
 * the read, and would parse the rest of a pipelined request as another one (threats B22).
 */
export function gateRequests(socket: Socket, user: ParserUser): void {
  const { parser } = socket as Socket & { readonly parser?: Parser | null }
  const take = parser?.onIncoming
  if (!parser || !take) return
  const key = readCallback(parser)
  const onRead = parser[key]
  let stopsAt: ParsedMessage | null = null
  parser.onIncoming = (message, keepAlive) => {
    const isUpgrade = message.upgrade === true
    if (!user.accepts()) {
      message.upgrade = false
      return 0
    }
    const result = take(message, keepAlive)
    if (isUpgrade && !message.upgrade) {
      stopsAt = message
      // A Node without the callback: there may be bytes.
      if (onRead === undefined) user.onLostBytes()
    }
    return result
  }
  if (onRead === undefined) return
  parser[key] = (parsed) => {
    if (stopsAt?.complete && typeof parsed === 'number') {
      stopsAt = null
      if (parsed < parser.getCurrentBuffer().length) user.onLostBytes()
    }
    onRead(parsed)
  }
}

let knownKey = -1

/** The key of the callback of node:http for each read: the constant `kOnExecute` of its parser is internal. */
function readCallback(parser: Parser): number {
  if (knownKey >= 0) return knownKey
  for (const [key, value] of Object.entries(parser)) {
    if (typeof value === 'function' && value.name === 'bound onParserExecute') knownKey = Number(key)
  }
  return knownKey
}
