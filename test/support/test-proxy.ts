import { type Client, type ClientSettings, withFailureResponses } from '#client'
import { type Exchange, Uri } from '#http'
import type { Listener, ListenerSettings } from '#listener'
import { createLogger, type MemoryLog } from '#logging'
import { clientWith } from './client.ts'
import { listening } from './listening.ts'

/** Options of a proxy under test. */
export interface TestProxyOptions {
  readonly client?: Partial<ClientSettings>
  readonly listener?: Partial<ListenerSettings>
  /** Whether responses are buffered completely before they are sent. */
  readonly buffersResponses?: boolean
  /** URL of another server for a request; null for the default one. */
  readonly overrideUrl?: (exchange: Exchange) => string | null
}

/** A listener that proxies to one server as a ReverseProxyHandler does, and its client. */
export interface TestProxy extends AsyncDisposable {
  readonly port: number
  readonly url: string
  readonly listener: Listener
  readonly client: Client
  /** Of the listener. */
  readonly log: MemoryLog
}

/** Opens a proxy in this process, with its listener and client accessible to the test. */
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
