import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { type ServerOptions, type WebSocket, WebSocketServer } from 'ws'

/** A WebSocket application of a test on a free loopback port, closed at the end of its scope. */
export interface WebSocketUpstream extends AsyncDisposable {
  /** With the scheme `http` or `https`, as a baseURI has it. */
  readonly url: string
  readonly server: WebSocketServer
}

/** Differences from a cleartext application that echoes messages. */
export interface UpstreamParts extends ServerOptions {
  readonly tls?: { readonly key: string; readonly cert: string }
  readonly onConnection?: (socket: WebSocket, request: IncomingMessage) => void
}

/** Starts a WebSocket application on an independent implementation. */
export async function webSocketUpstream(parts: UpstreamParts = {}): Promise<WebSocketUpstream> {
  const { tls, onConnection = echoMessages, ...options } = parts
  const http = tls === undefined ? createServer(insist) : createSecureServer(tls, insist)
  const server = new WebSocketServer({ maxPayload: 2 ** 28, ...options, server: http })
  server.on('connection', onConnection)
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  const { port } = http.address() as AddressInfo
  return {
    url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    server,
    async [Symbol.asyncDispose]() {
      for (const socket of server.clients) socket.terminate()
      server.close()
      http.closeAllConnections()
      http.close()
      await once(http, 'close')
    },
  }
}

/** A request without an upgrade gets 426. */
const insist: RequestListener = (_request, response) => {
  response.writeHead(426, { 'X-Application': 'websocket' }).end()
}

/** Sends every message back unchanged. */
export function echoMessages(socket: WebSocket): void {
  socket.on('error', () => {})
  socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary }))
}
