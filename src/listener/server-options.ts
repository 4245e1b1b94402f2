import type { Server } from 'node:http'
import type { ServerOptions } from 'node:https'
import { Http1Channel } from './http1/channel.ts'
import { isWebSocketUpgrade } from './http1/detached-socket.ts'
import { RequestMessage } from './http1/request-message.ts'
import type { ListenerSettings } from './settings.ts'

/** A time limit for node:http, in which 0 means no limit. */
export const nodeLimit = (milliseconds: number): number => (Number.isFinite(milliseconds) ? milliseconds : 0)

/** Options of node:http for the settings of a listener. */
export function serverOptions(settings: ListenerSettings): ServerOptions<typeof RequestMessage, typeof Http1Channel> {
  const { headersTimeout, requestTimeout, keepAliveTimeout, serverOptions = {} } = settings
  const { noDelay = true, keepAlive = false, highWaterMark } = serverOptions
  const shortest = Math.min(headersTimeout, requestTimeout)
  return {
    IncomingMessage: RequestMessage,
    ServerResponse: Http1Channel,
    maxHeaderSize: settings.maxTotalHeadersSize,
    headersTimeout: nodeLimit(shortest),
    // Node's would also end bodies that progress; BodyTimeouts does not.
    requestTimeout: 0,
    keepAliveTimeout: nodeLimit(keepAliveTimeout),
    connectionsCheckingInterval: Math.max(50, Math.min(5000, shortest / 4)),
    // `effectiveUri` checks Host.
    requireHostHeader: false,
    optimizeEmptyRequests: true,
    noDelay,
    keepAlive,
    ...(highWaterMark === undefined ? {} : { highWaterMark }),
    shouldUpgradeCallback: isWebSocketUpgrade,
  }
}

/** Sets what has no option. */
export function prepared<S extends Pick<Server, 'maxHeadersCount' | 'timeout'>>(
  server: S,
  settings: ListenerSettings,
): S {
  // Node would silently drop fields beyond the 2000th; the listener limits their number.
  server.maxHeadersCount = 0
  server.timeout = nodeLimit(settings.idleTimeout)
  return server
}
