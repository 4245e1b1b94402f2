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
  /** Admitted requests that have not ended. */
  readonly running: number
  /** Running requests whose connection is being established. */
  readonly pending: number
  /** Requests that wait to be admitted. */
  readonly queued: number
}

const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 }

/** The connections to one origin, and its queue of requests. */
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
  readonly #waiting = new Set<UpstreamCall>()
  #running = 0
  #starting = false
  #stopWatching: (() => void) | null = null
  #whenIdle: (() => void) | null = null

  /** `outdated` is called when the connections must not be used for further requests. */
  constructor(
    origin: string,
    settings: ClientSettings,
    watchdog: Watchdog,
    contexts: OutboundContexts,
    outdated: (pool: OriginPool) => void,
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
    if (proxy?.secure !== undefined) this.#stopWatching = onProxyChange(proxy, () => outdated(this))
    const connect = {
      timeout: settings.connectionTimeout,
      contexts,
      proxy,
      ownListeners: settings.ownListeners ?? null,
    }
    this.#transport = new Transport(url, settings, connect, this.#http2Mode(), () => this.#startWaiting())
  }

  get isIdle(): boolean {
    return this.#running === 0 && this.#waiting.size === 0
  }

  get stats(): OriginStats {
    const { connected, pending } = this.#transport
    return { origin: this.origin, connected, pending, running: this.#running, queued: this.#waiting.size }
  }

  /** Starts the call, queues it, or rejects it. */
  admit(call: UpstreamCall): void {
    if (this.#running < this.#transport.capacity) {
      this.#watchdog.add(call)
      this.#start(call)
      return
    }
    if (this.#waiting.size >= this.settings.maxWaitQueueSize) {
      call.abort(new UpstreamError('GW_UPSTREAM_POOL_FULL'))
      return
    }
    this.#watchdog.add(call)
    this.#waiting.add(call)
    call.wait()
  }

  ended(call: UpstreamCall): void {
    this.#watchdog.delete(call)
    this.#waiting.delete(call)
    if (call.admitted) {
      this.#running--
      this.#startWaiting()
    }
    if (this.isIdle) this.#whenIdle?.()
  }

  /** Closes the connections once admitted and queued requests have ended. */
  async close(): Promise<void> {
    this.#stopWatching?.()
    if (!this.isIdle) {
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#whenIdle = resolve
      await promise
    }
    await this.#transport.close()
  }

  /** A loop instead of recursion: a call may end while it starts. */
  #startWaiting(): void {
    if (this.#starting) return
    this.#starting = true
    for (const next of this.#waiting) {
      if (this.#running >= this.#transport.capacity) break
      this.#waiting.delete(next)
      this.#start(next)
    }
    this.#starting = false
  }

  #start(call: UpstreamCall): void {
    this.#running++
    call.admitted = true
    call.dispatchOver(this.#transport)
  }

  /** HTTP/2 is off for connections of one request, and for plain requests to a proxy. */
  #http2Mode(): Http2Mode {
    const { http2 } = this.settings
    if (!http2 || this.isUsedOnce || this.proxy !== null) return 'off'
    if (this.origin.startsWith('https:')) return http2.overTls ? 'alpn' : 'off'
    return http2.inClear
  }
}
