import { WebSocket as WsClient } from 'ws'
import { type Exchange, type Handler, Uri } from '#http'
import type { JsonObject } from '#json'
import { ReverseProxyHandler } from '../../src/objects/handlers/reverse-proxy/reverse-proxy-handler.ts'
import { type BuildOptions, build } from './build.ts'
import { type Listening, listening } from './listening.ts'
import { once } from './waiting.ts'

/** A listener in front of an application, with a ReverseProxyHandler between them. */
export async function startProxy(
  url: string,
  config: { readonly websocket?: object; readonly [field: string]: unknown } = {},
  options: BuildOptions = {},
  around: (handler: Handler) => Handler = (handler) => handler,
): Promise<Listening & { readonly ws: string; readonly exchanges: Exchange[] }> {
  const websocket = { enabled: true, ...config.websocket }
  const built = await build<Handler>(ReverseProxyHandler, { ...config, websocket } as JsonObject, options)
  const exchanges: Exchange[] = []
  const handler = around((exchange) => {
    exchange.request.uri.rebase(Uri.parse(url))
    exchanges.push(exchange)
    return built.object(exchange)
  })
  const server = await listening(handler)
  return {
    ...server,
    ws: `ws://127.0.0.1:${server.port}`,
    exchanges,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await built[Symbol.asyncDispose]()
    },
  }
}

/** A browser's WebSocket, open. */
export async function opened(url: string, protocols: string | string[] = []): Promise<WebSocket> {
  const socket = new WebSocket(url, protocols)
  socket.binaryType = 'arraybuffer'
  await new Promise<void>((resolve, reject) => {
    socket.onopen = () => resolve()
    socket.onerror = () => reject(new Error('the connection was refused'))
  })
  return socket
}

/** The next message. */
export async function message(socket: WebSocket): Promise<unknown> {
  const [event] = (await once(socket, 'message')) as [MessageEvent]
  return event.data
}

/** Code and reason of the next close event. */
export async function closeOf(socket: WebSocket): Promise<[number, string]> {
  const [event] = (await once(socket, 'close')) as [CloseEvent]
  return [event.code, event.reason]
}

/** The status of a rejected upgrade. */
export async function refusal(url: string, protocols: string[] = [], extra: object = {}): Promise<number> {
  const client = new WsClient(url, protocols, extra)
  client.on('error', () => {})
  const [, response] = (await once(client, 'unexpected-response')) as [unknown, { statusCode: number }]
  client.terminate()
  return response.statusCode
}

/** Header fields of a WebSocket handshake. */
export const HANDSHAKE =
  'Host: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
  'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n'
/** Sec-WebSocket-Accept for the key in it. */
export const ACCEPT = 's3pPLMBiTxaQ9kYGzzhZRbK+xOo='
