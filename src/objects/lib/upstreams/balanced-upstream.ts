import { UpstreamError, type UpstreamErrorCode } from '#client'
import type { ClientTls, Send, ServerCircuits, TriedServers, Upstream, UpstreamUse } from '#contracts'
import { tlsPlanOf } from '#contracts'
import type { Exchange, Handler } from '#http'
import type {
  Counter,
  DiscoveryPlan,
  Environment,
  HealthCheckPlan,
  OpenedUpstream,
  Runtime,
  UpstreamServerPlan,
} from '#schema'
import {
  ANY,
  Balancer,
  OutlierDetection,
  type PolicyName,
  ServerStates,
  textOfSet,
  type UpstreamServer,
} from '#upstreams'
import { EVENTS } from '../../services/log-events.ts'
import { listenToAll } from '../tls/joined-managers.ts'
import { Sticky, type StickyValues, stickyKey } from './sticky.ts'

/** Settings of a service, as the object type and lists of `baseURI` have them. */
export interface UpstreamSettings {
  readonly servers: readonly UpstreamServerPlan[]
  readonly discovery: DiscoveryPlan | null
  readonly healthCheck: HealthCheckPlan | null
  readonly policy: PolicyName
  readonly hashOn: Runtime<string> | null
  readonly panicThreshold: number
  readonly slowStart: number
  readonly sticky: StickyValues | null
  readonly outliers: (ConstructorParameters<typeof OutlierDetection>[1] & { readonly statuses: StatusRanges }) | null
}

/** Statuses that count as failures, first and last of each range included. */
type StatusRanges = readonly (readonly [from: number, to: number])[]

/** Failures of this gateway, not of the server. */
const NOT_OF_THE_SERVER: ReadonlySet<UpstreamErrorCode> = new Set([
  'GW_UPSTREAM_POOL_FULL',
  'GW_UPSTREAM_PROXY',
  'GW_UPSTREAM_TOO_LARGE',
])

/** Opens the servers of a service, whose states all units share. */
export async function openUpstream(settings: UpstreamSettings, env: Environment): Promise<BalancedUpstream> {
  const { servers, discovery, healthCheck } = settings
  for (const [position, { url }] of servers.entries()) warnOfLoop(url, `/servers/${position}/url`, env)
  const key = settings.sticky === null ? null : await stickyKey(settings.sticky, env)
  const opened = await env.openUpstream({ servers, discovery, healthCheck })
  const { memory, unit } = opened ?? { memory: memoryOf(servers), unit: 0 }
  return new BalancedUpstream(new ServerStates(memory, unit), settings, key, opened, env)
}

/** Memory of this thread alone, for documents that are checked. */
function memoryOf(servers: readonly UpstreamServerPlan[]): SharedArrayBuffer {
  const text = textOfSet(servers.map((server, slot) => ({ ...server, slot })))
  const memory = ServerStates.memory({ capacity: servers.length, units: 1, textBytes: Buffer.byteLength(text) })
  new ServerStates(memory, null).writeSet(text)
  return memory
}

function warnOfLoop(url: string, pointer: string, { ownListeners, warn }: Environment): void {
  const { hostname, port, protocol } = new URL(url)
  if (!ownListeners.named(hostname, Number(port) || (protocol === 'https:' ? 443 : 80))) return
  warn(
    `${url} is a connector of this gateway, so that requests are answered 508; name the server of the application`,
    pointer,
  )
}

/** Chooses a server for each attempt, and counts its outcome. */
class BalancedUpstream implements Upstream {
  readonly capacity: number
  readonly #balancer: Balancer
  readonly #states: ServerStates
  readonly #settings: UpstreamSettings
  readonly #outliers: OutlierDetection | null
  readonly #sticky: Sticky | null
  readonly #opened: OpenedUpstream | null
  readonly #env: Environment
  #ejections: Counter | null = null

  constructor(
    states: ServerStates,
    settings: UpstreamSettings,
    key: Buffer | null,
    opened: OpenedUpstream | null,
    env: Environment,
  ) {
    this.capacity = states.capacity
    this.#states = states
    this.#settings = settings
    this.#balancer = new Balancer(states, settings, env.clock)
    this.#outliers = settings.outliers === null ? null : new OutlierDetection(states, settings.outliers, env.clock)
    this.#sticky = settings.sticky === null ? null : new Sticky(settings.sticky, key ?? states.key, this.#balancer)
    this.#opened = opened
    this.#env = env
  }

  /** Metrics of a service; each unit reads the same states. */
  measure({ metrics, localName }: Environment): void {
    const labels = { name: localName }
    const of = (read: () => number) => ({ labels, read, merge: 'max' as const })
    const servers = of(() => this.#balancer.servers.length)
    const healthy = of(() => this.#balancer.healthy)
    const panic = of(() => Number(this.#balancer.isPanicking))
    metrics.reading('gw_upstream_servers', 'Servers of the service.', servers)
    metrics.reading('gw_upstream_servers_healthy', 'Healthy servers of the priority in use.', healthy)
    metrics.reading('gw_upstream_panic', 'Whether servers that are not healthy are used: 1, or 0.', panic)
    this.#ejections = metrics.counter('gw_upstream_ejections_total', 'Ejections of servers.', labels)
  }

  async checkWith(tls: ClientTls | null): Promise<void> {
    const opened = this.#opened
    if (opened === null || tls === null || this.#settings.healthCheck === null) return
    const renewed = async () => opened.checkWith(await tlsPlanOf(tls))
    await renewed()
    const sources = [tls.keys, tls.trust].filter((source) => source !== null)
    this.#env.onDispose(listenToAll(sources, () => void renewed().catch(() => {})))
  }

  through(send: Handler, { circuits, isFailure }: UpstreamUse): Send {
    const excluded = new Excluded(circuits)
    return async (exchange, tried) => {
      const key = await this.#keyOf(exchange)
      const server = this.#pinned(exchange, excluded, tried) ?? this.#choose(excluded, tried, key)
      if (server === null) throw new UpstreamError('GW_UPSTREAM_NO_SERVER')
      const { slot } = server
      tried?.add(slot)
      const epoch = circuits?.admit(slot) ?? null
      exchange.request.uri.rebase(server.uri)
      this.#states.begin(slot)
      try {
        const response = await send(exchange)
        this.#sticky?.remember(server, exchange, response)
        // Until the body has ended, not only the head.
        exchange.onComplete(() => this.#states.end(slot))
        const failed = this.#isFailing(response.status)
        this.#count(server, failed)
        if (epoch !== null && !exchange.aborted) circuits?.record(slot, epoch, failed)
        if (tried !== null) tried.hasOther = this.#hasOther(excluded, tried)
        return response
      } catch (error) {
        this.#states.end(slot)
        if (isFailure(error, exchange)) {
          if (isOfTheServer(error)) this.#count(server, true)
          if (epoch !== null) circuits?.record(slot, epoch, true)
        }
        if (error instanceof UpstreamError) error.origin = server.url
        if (tried !== null) tried.hasOther = this.#hasOther(excluded, tried)
        throw error
      }
    }
  }

  #isFailing(status: number): boolean {
    return this.#settings.outliers?.statuses.some(([from, to]) => status >= from && status <= to) ?? false
  }

  #keyOf(exchange: Exchange): string | null | Promise<string | null> {
    const { hashOn } = this.#settings
    return hashOn === null ? null : hashOn(exchange, null)
  }

  /** The server of the cookie, where it is usable and was not tried. */
  #pinned(exchange: Exchange, excluded: Excluded, tried: TriedServers | null): UpstreamServer | null {
    const server = this.#sticky?.serverOf(exchange) ?? null
    if (server === null || !this.#balancer.isUsable(server, excluded.of(tried, 'tried'))) return null
    return server
  }

  /** A server that was not tried; where all were, another than the last; else the last again. */
  #choose(excluded: Excluded, tried: TriedServers | null, key: string | null): UpstreamServer | null {
    if (tried === null && excluded.circuits === null) return this.#balancer.choose(ANY, key)
    for (const scope of SCOPES) {
      const server = this.#balancer.choose(excluded.of(tried, scope), key)
      if (server !== null) return server
    }
    return null
  }

  #hasOther(excluded: Excluded, tried: TriedServers): boolean {
    return this.#balancer.hasUsable(excluded.of(tried, 'tried'))
  }

  #count({ slot, url }: UpstreamServer, failed: boolean): void {
    if (this.#outliers === null) return
    if (!failed) this.#outliers.succeeded(slot)
    else if (this.#outliers.failed(slot, this.#balancer.servers.length)) {
      this.#ejections?.add()
      this.#env.logger.warn({ upstream: url, reason: this.#states.reason(slot) }, EVENTS.SERVER_EJECTED)
    }
  }
}

const SCOPES = ['tried', 'last', 'none'] as const

/** Servers that this attempt must not use. One object for all requests, whose parts are set before each choice. */
class Excluded {
  readonly circuits: ServerCircuits | null
  #tried: TriedServers | null = null
  #scope: (typeof SCOPES)[number] = 'none'

  constructor(circuits: ServerCircuits | null) {
    this.circuits = circuits
  }

  of(tried: TriedServers | null, scope: (typeof SCOPES)[number]): this {
    this.#tried = tried
    this.#scope = scope
    return this
  }

  excludes(slot: number): boolean {
    if (this.circuits?.isOpen(slot)) return true
    if (this.#tried === null || this.#scope === 'none') return false
    return this.#scope === 'tried' ? this.#tried.has(slot) : this.#tried.isLast(slot)
  }
}

function isOfTheServer(error: unknown): boolean {
  return error instanceof UpstreamError && !NOT_OF_THE_SERVER.has(error.code)
}
