import { type Client, type ClientSettings, withFailureResponses } from '#client'
import { type Exchange, Uri } from '#http'
import type { Listener, ListenerSettings } from '#listener'
import { createLogger, type MemoryLog } from '#logging'
import { clientWith } from './client.ts'
import { listening } from './listening.ts'

/** What of a proxy of a test differs from a plain one. */
export interface TestProxyOptions {
  readonly client?: Partial<ClientSettings>
  readonly listener?: Partial<ListenerSettings>
  /** Whether responses are kept whole before they are passed on. */
  readonly buffersResponses?: boolean
  /** Another server for some requests. */
  readonly overrideUrl?: (exchange: Exchange) => string | null
}

/** A listener whose requests go to one server as those of a ReverseProxyHandler do, and the client under it. */
export interface TestProxy extends AsyncDisposable {
  readonly port: number
  readonly url: string
  readonly listener: Listener
  readonly client: Client
  /** Of the listener. */
  readonly log: MemoryLog
}

/** Opens a proxy in this process; what a test wants to count is within its reach. */
export async function startProxy(url: string, parts: TestProxyOptions = {}): Promise<TestProxy> {
  const client = clientWith(parts.client)
  const base = Uri.parse(url)
  const logger = createLogger({ level: 'silent' })
  const send = withFailureResponses(async (exchange) => {
    const response = await client.send(exchange, exchange.request)
    if (parts.buffersResponses) await response.body.buffer(exchange.storage)
    return response
  }, logger)
  const server = await listening((exchange) => {
    const other = parts.overrideUrl?.(exchange) ?? null
    exchange.request.uri.rebase(other === null ? base : Uri.parse(other))
    return send(exchange)
  }, parts.listener)
  return {
    port: server.port,
    url: server.url,
    listener: server.listener,
    client,
    log: server.log,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await client.release()
    },
  }
}
