import type { Exchange, Request, Response, Uri } from '#http'
import { OriginPool, type OriginStats } from './origin-pool.ts'
import { PIECE_BYTES } from './outbound-request.ts'
import { type ClientSettings, settingsKey } from './settings.ts'
import { DEFAULT_TLS, OutboundContexts } from './tls/outbound-context.ts'
import { UpstreamCall } from './upstream-call.ts'
import { UpstreamError } from './upstream-error.ts'
import { Watchdog } from './watchdog.ts'

/** Sends requests to the origins of their URIs. */
export interface Client extends AsyncDisposable {
  /**
   * Resolves with the response head; the body streams. Rejects with an UpstreamError only. Path and query are sent
   * unchanged, headers without hop-by-hop fields; of the request only its body is consumed.
   */
  send(exchange: Exchange, request: Request): Promise<Response>
  /** Current state of each origin in use. */
  readonly stats: readonly OriginStats[]
  /** Calls the listener, until the release, when a connection to the origin is replaced since its server is silent. */
  onUnresponsive(listener: (origin: string) => void): void
  /** Releases the client; the last release closes it, and resolves when its requests have ended. */
  release(): Promise<void>
}

/** Limit of origins with open connections; beyond it the least recently used idle one is closed. */
const MAX_ORIGINS = 1_000

const shared = new Map<string, SharedClient>()

/** A client that shares its connections with all clients of equal settings in this thread. */
export function acquireClient(settings: ClientSettings): Client {
  const key = settingsKey(settings)
  let client = shared.get(key)
  if (client === undefined) {
    client = new SharedClient({ ...settings }, () => shared.delete(key))
    shared.set(key, client)
  }
  return client.lease()
}

class SharedClient {
  readonly #settings: ClientSettings
  readonly #onLastRelease: () => void
  readonly #watchdog: Watchdog
  #last: { readonly scheme: string; readonly host: string; readonly port: number; readonly pool: OriginPool } | null =
    null
  readonly #pools = new Map<string, OriginPool>()
  /** Draining pools: they get no new requests, and close after the active ones. */
  readonly #retired = new Set<Promise<void>>()
  readonly #contexts: OutboundContexts
  readonly #leases = new Set<Lease>()
  #uses = 0

  constructor(settings: ClientSettings, onLastRelease: () => void) {
    this.#settings = settings
    this.#onLastRelease = onLastRelease
    this.#watchdog = new Watchdog(Math.min(settings.soTimeout, settings.connectionTimeout))
    this.#contexts = new OutboundContexts(settings.tls ?? DEFAULT_TLS, () => this.#retireSecure())
  }

  lease(): Client {
    const lease = new Lease(this)
    this.#leases.add(lease)
    return lease
  }

  send(exchange: Exchange, request: Request): Promise<Response> {
    const { body } = request
    return body.isEmpty || body.isBuffered ? this.#admit(exchange, request) : this.#sendArriving(exchange, request)
  }

  /** Yields once: the part of the body that arrived with the head is then buffered. */
  async #sendArriving(exchange: Exchange, request: Request): Promise<Response> {
    await null
    request.body.bufferIfComplete(PIECE_BYTES)
    return this.#admit(exchange, request)
  }

  #admit(exchange: Exchange, request: Request): Promise<Response> {
    if (exchange.aborted) return Promise.reject(new UpstreamError('GW_CLIENT_GONE'))
    return new Promise((resolve, reject) => {
      const pool = this.#poolOf(request.uri)
      pool.lastUse = ++this.#uses
      pool.admit(new UpstreamCall(exchange, request, pool, resolve, reject))
    })
  }

  get stats(): OriginStats[] {
    return Array.from(this.#pools.values(), (pool) => pool.stats)
  }

  async release(lease: Lease): Promise<void> {
    this.#leases.delete(lease)
    if (this.#leases.size > 0) return
    this.#onLastRelease()
    this.#contexts.stop()
    await Promise.all([...this.#retired, ...Array.from(this.#pools.values(), (pool) => pool.close())])
    this.#watchdog.stop()
  }

  #poolOf(uri: Uri): OriginPool {
    // Most handlers send to one origin: comparing its parts is cheaper than building its text.
    const last = this.#last
    if (last !== null && last.host === uri.host && last.port === uri.port && last.scheme === uri.scheme)
      return last.pool
    const pool = this.#knownOrNew(uri)
    this.#last = { scheme: uri.scheme, host: uri.host, port: uri.port, pool }
    return pool
  }

  #knownOrNew(uri: Uri): OriginPool {
    const origin = uri.origin
    const known = this.#pools.get(origin)
    if (known !== undefined) return known
    if (uri.scheme !== 'http' && uri.scheme !== 'https') throw invalidRequest('uri: expected http or https')
    if (!URL.canParse(origin)) throw invalidRequest('uri: expected a valid host')
    if (this.#pools.size >= MAX_ORIGINS) this.#dropLeastRecentlyUsed()
    const pool = new OriginPool(origin, this.#settings, this.#watchdog, this.#contexts, {
      outdated: (outdated) => this.#retire(outdated),
      unresponsive: (silent) => {
        for (const lease of this.#leases) lease.unresponsive(silent)
      },
    })
    this.#pools.set(origin, pool)
    return pool
  }

  /** After a change of keys or trust: new requests open new connections, active ones finish on theirs. */
  #retireSecure(): void {
    for (const [origin, pool] of this.#pools) if (origin.startsWith('https:')) this.#retire(pool)
  }

  #retire(pool: OriginPool): void {
    this.#pools.delete(pool.origin)
    this.#last = null
    const closed = pool.close().finally(() => this.#retired.delete(closed))
    this.#retired.add(closed)
  }

  #dropLeastRecentlyUsed(): void {
    let oldest: OriginPool | null = null
    for (const pool of this.#pools.values()) {
      if (pool.isIdle && (oldest === null || pool.lastUse < oldest.lastUse)) oldest = pool
    }
    if (oldest === null) throw new UpstreamError('GW_UPSTREAM_POOL_FULL')
    this.#retire(oldest)
  }
}

function invalidRequest(reason: string): UpstreamError {
  return new UpstreamError('GW_UPSTREAM_REQUEST', new Error(reason))
}

class Lease implements Client {
  readonly #client: SharedClient
  #released: Promise<void> | null = null
  #unresponsive: ((origin: string) => void) | null = null

  constructor(client: SharedClient) {
    this.#client = client
  }

  send(exchange: Exchange, request: Request): Promise<Response> {
    if (this.#released !== null) throw new Error('client: expected no request after release, got one')
    return this.#client.send(exchange, request)
  }

  get stats(): readonly OriginStats[] {
    return this.#client.stats
  }

  onUnresponsive(listener: (origin: string) => void): void {
    this.#unresponsive = listener
  }

  unresponsive(origin: string): void {
    this.#unresponsive?.(origin)
  }

  release(): Promise<void> {
    this.#released ??= this.#client.release(this)
    return this.#released
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.release()
  }
}
