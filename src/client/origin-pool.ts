import type { ForwardProxy } from '#contracts'
import { withoutBrackets } from '#http'
import { onProxyChange } from './secure-proxy.ts'
import type { ClientSettings } from './settings.ts'
import type { OutboundContexts } from './tls/outbound-context.ts'
import { type Http2Mode, Transport } from './transport.ts'
import type { CallOwner, UpstreamCall } from './upstream-call.ts'
import { UpstreamError } from './upstream-error.ts'
import type { Watchdog } from './watchdog.ts'

/** Current state of a pool. */
export interface OriginStats {
  readonly origin: string
  /** Open connections. */
  readonly connected: number
  /** Requests that have a connection, or wait for it to be established. */
  readonly running: number
  /** Running requests whose connection is being established. */
  readonly pending: number
  /** Requests that wait for a connection to become free. */
  readonly queued: number
}

/** Events of a pool. */
interface PoolEvents {
  /** Its connections must not be used for further requests. */
  outdated(pool: OriginPool): void
  /** One of its connections gets no further requests, since its server is silent. */
  unresponsive(origin: string): void
}

const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 }

/** The connections to one origin, and the limit of its queue. */
export class OriginPool implements CallOwner {
  readonly origin: string
  readonly authority: string
  readonly settings: ClientSettings
  readonly isUsedOnce: boolean
  /** The forward proxy that requests are sent to in absolute form; null for tunnels and direct connections. */
  readonly proxy: ForwardProxy | null
  /** Sequence number of the last use: the smallest is the least recently used pool. */
  lastUse = 0
  readonly #watchdog: Watchdog
  readonly #transport: Transport
  #active = 0
  #stopWatching: (() => void) | null = null
  #whenIdle: (() => void) | null = null

  constructor(
    origin: string,
    settings: ClientSettings,
    watchdog: Watchdog,
    contexts: OutboundContexts,
    events: PoolEvents,
  ) {
    this.origin = origin
    const url = new URL(origin)
    const { protocol, hostname, port } = url
    this.authority = url.host
    this.settings = settings
    this.isUsedOnce =
      settings.disableReuseConnection ||
      (origin.startsWith('https:') && contexts.tls.keys !== null && settings.stateTracking === true)
    this.#watchdog = watchdog
    const proxy =
      settings.proxy?.proxyFor(
        protocol.slice(0, -1),
        withoutBrackets(hostname),
        port === '' ? DEFAULT_PORTS[protocol]! : Number(port),
      ) ?? null
    this.proxy = protocol === 'http:' ? proxy : null
    if (proxy?.secure !== undefined) this.#stopWatching = onProxyChange(proxy, () => events.outdated(this))
    const connect = {
      timeout: settings.connectionTimeout,
      contexts,
      proxy,
      ownListeners: settings.ownListeners ?? null,
    }
    this.#transport = new Transport(url, settings, connect, this.#http2Mode(), () => events.unresponsive(origin))
  }

  get isIdle(): boolean {
    return this.#active === 0
  }

  get stats(): OriginStats {
    const { connected, pending, queued } = this.#transport
    return { origin: this.origin, connected, pending, running: this.#active - queued, queued }
  }

  /** Dispatches the call, which may queue it, or rejects it. */
  admit(call: UpstreamCall): void {
    const transport = this.#transport
    if (transport.queued >= this.settings.maxWaitQueueSize && !transport.hasRoom(this.#active)) {
      call.abort(new UpstreamError('GW_UPSTREAM_POOL_FULL'))
      return
    }
    this.#watchdog.add(call)
    this.#active++
    call.admitted = true
    call.dispatchOver(transport)
  }

  ended(call: UpstreamCall): void {
    if (!call.admitted) return
    this.#watchdog.delete(call)
    this.#active--
    if (this.isIdle) this.#whenIdle?.()
  }

  /** Closes the connections once active and queued requests have ended. */
  async close(): Promise<void> {
    this.#stopWatching?.()
    if (!this.isIdle) {
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#whenIdle = resolve
      await promise
    }
    await this.#transport.close()
  }

  /** HTTP/2 is off for connections of one request, and for plain requests to a proxy. */
  #http2Mode(): Http2Mode {
    const { http2 } = this.settings
    if (!http2 || this.isUsedOnce || this.proxy !== null) return 'off'
    if (this.origin.startsWith('https:')) return http2.overTls ? 'alpn' : 'off'
    return http2.inClear
  }
}
