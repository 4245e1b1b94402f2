import { request } from 'node:http'
import type { OwnListeners } from '#schema'
import { flagSelfConnection, isSelfConnection } from '../self-connection.ts'

/** A server that may support h2c. */
interface ProbedServer {
  readonly hostname: string
  readonly port: number
  /** Milliseconds. */
  readonly timeout: number
  /** The connectors of this gateway, which are not probed. */
  readonly ownListeners: OwnListeners | null
}

/**
 * Whether a server supports the h2c upgrade (decisions, "http2PriorKnowledge false, cleartext"), probed by a request
 * without effects. Rejects where the server can not be reached.
 */
export function supportsH2cUpgrade({ hostname, port, timeout, ownListeners }: ProbedServer): Promise<boolean> {
  const { promise, resolve, reject } = Promise.withResolvers<boolean>()
  const asking = request({
    host: hostname,
    port,
    method: 'OPTIONS',
    path: '*',
    headers: { Connection: 'Upgrade, HTTP2-Settings', Upgrade: 'h2c', 'HTTP2-Settings': 'AAMAAABkAAQAAP__' },
    agent: false,
  })
  const timer = setTimeout(() => asking.destroy(new Error('no answer to the question for HTTP/2')), timeout)
  let isConnected = false
  asking.once('socket', (socket) => {
    if (ownListeners !== null) flagSelfConnection(socket, ownListeners)
    socket.once('connect', () => {
      isConnected = true
      if (isSelfConnection(socket)) socket.destroy(new Error('the server is this gateway'))
    })
  })
  asking.once('upgrade', (response, socket) => {
    socket.destroy()
    resolve(response.statusCode === 101 && response.headers.upgrade?.toLowerCase() === 'h2c')
  })
  asking.once('response', (response) => {
    response.destroy()
    resolve(false)
  })
  asking.once('error', (error) => {
    // A server without h2c may close the connection.
    if (isConnected) resolve(false)
    else reject(error)
  })
  asking.end()
  return promise.finally(() => {
    clearTimeout(timer)
    asking.destroy()
  })
}
