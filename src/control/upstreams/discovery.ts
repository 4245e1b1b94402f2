import { Resolver } from 'node:dns/promises'
import { BlockList, isIPv6 } from 'node:net'
import type { Logger } from '#logging'
import type { DiscoveryPlan, UpstreamServerPlan } from '#schema'
import { EVENTS } from '../log-events.ts'

/** The lookups of discovery; `node:dns` has them. */
export interface NameLookups {
  resolve4(name: string, options: { ttl: true }): Promise<{ address: string; ttl: number }[]>
  resolve6(name: string, options: { ttl: true }): Promise<{ address: string; ttl: number }[]>
  resolveSrv(name: string): Promise<{ name: string; port: number; priority: number; weight: number }[]>
}

/** Bounds of the time that answers are used, in milliseconds. */
const LEAST_TTL = 5_000
const MOST_TTL = 300_000
/** Time of the next lookup after a failed one, and after SRV records, whose TTL is not known. */
const AGAIN = 5_000
const SRV_TTL = 30_000
/** Servers of one service at most. */
export const MAX_DISCOVERED = 16_384

/** Addresses that only a wrong or hostile answer names: of this machine, and of metadata services. */
const LOCAL = new BlockList()
LOCAL.addSubnet('127.0.0.0', 8)
LOCAL.addSubnet('0.0.0.0', 8)
LOCAL.addSubnet('169.254.0.0', 16)
LOCAL.addAddress('::1', 'ipv6')
LOCAL.addAddress('::', 'ipv6')
LOCAL.addSubnet('fe80::', 10, 'ipv6')

interface Answer {
  readonly servers: readonly UpstreamServerPlan[]
  /** Milliseconds until the next lookup. */
  readonly ttl: number
}

/** Looks up the servers of one service. A lookup that fails, or finds none, leaves the last set. */
export class Discovery {
  readonly #plan: DiscoveryPlan
  readonly #found: (servers: readonly UpstreamServerPlan[]) => void
  readonly #logger: Logger
  readonly #lookups: NameLookups
  #timer: NodeJS.Timeout | undefined
  #last = ''
  #isFailing = false
  #isStopped = false

  constructor(
    plan: DiscoveryPlan,
    found: (servers: readonly UpstreamServerPlan[]) => void,
    logger: Logger,
    lookups: NameLookups = new Resolver(),
  ) {
    this.#plan = plan
    this.#found = found
    this.#logger = logger
    this.#lookups = lookups
  }

  /** Resolves after the first lookup. */
  async start(): Promise<void> {
    let next = AGAIN
    try {
      const { servers, ttl } = await this.#lookUp()
      next = this.#plan.refresh ?? ttl
      if (!this.#isStopped) this.#use(servers)
    } catch (error) {
      this.#failed((error as Error).message)
      next = Math.min(this.#plan.refresh ?? AGAIN, AGAIN)
    }
    if (this.#isStopped) return
    this.#timer = setTimeout(() => void this.start(), next)
    this.#timer.unref()
  }

  stop(): void {
    this.#isStopped = true
    clearTimeout(this.#timer)
  }

  #use(found: readonly UpstreamServerPlan[]): void {
    const servers = found.slice(0, MAX_DISCOVERED)
    if (servers.length === 0) {
      this.#failed('no address that may be used')
      return
    }
    if (this.#isFailing) this.#logger.info({ name: this.#plan.name }, 'the lookup of servers succeeds again')
    this.#isFailing = false
    const text = JSON.stringify(servers)
    if (text === this.#last) return
    this.#last = text
    this.#found(servers)
  }

  /** Logged once until a lookup succeeds. */
  #failed(problem: string): void {
    if (!this.#isFailing && !this.#isStopped)
      this.#logger.warn({ name: this.#plan.name, problem }, EVENTS.SERVERS_NOT_FOUND)
    this.#isFailing = true
  }

  #lookUp(): Promise<Answer> {
    return this.#plan.records === 'SRV'
      ? this.#lookUpServices()
      : this.#lookUpAddresses(this.#plan.name, this.#plan.port!)
  }

  async #lookUpAddresses(name: string, port: number): Promise<Answer> {
    const results = await Promise.allSettled([
      this.#lookups.resolve4(name, { ttl: true }),
      this.#lookups.resolve6(name, { ttl: true }),
    ])
    const records = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []))
    if (records.length === 0) throw (results[0] as PromiseRejectedResult).reason ?? new Error('no address')
    const usable = records.filter(({ address }) => this.#plan.allowLocal || !isLocal(address))
    if (usable.length < records.length) this.#logger.limited(name).warn({ name }, EVENTS.SERVERS_LOCAL)
    const seconds = Math.min(...records.map(({ ttl }) => ttl))
    return {
      servers: inOrder(usable.map(({ address }) => this.#server(address, port, 1, 0))),
      ttl: Math.min(Math.max(seconds * 1_000, LEAST_TTL), MOST_TTL),
    }
  }

  /** Priorities and weights are those of the records; a weight of 0 is the least one (RFC 2782). */
  async #lookUpServices(): Promise<Answer> {
    const records = await this.#lookups.resolveSrv(this.#plan.name)
    const answers = await Promise.allSettled(
      records.map(async ({ name, port, priority, weight }) => {
        const { servers } = await this.#lookUpAddresses(name, port)
        return servers.map((server) => ({ ...server, priority, weight: Math.max(1, weight) }))
      }),
    )
    return {
      servers: inOrder(answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))),
      ttl: SRV_TTL,
    }
  }

  #server(address: string, port: number, weight: number, priority: number): UpstreamServerPlan {
    const host = isIPv6(address) ? `[${address}]` : address
    return { url: `${this.#plan.scheme}://${host}:${port}`, weight, priority }
  }
}

function isLocal(address: string): boolean {
  return LOCAL.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
}

/** In one order, whatever that of the answers is, each server once. */
function inOrder(servers: readonly UpstreamServerPlan[]): UpstreamServerPlan[] {
  const byUrl = new Map(servers.map((server) => [server.url, server]))
  return [...byUrl.values()].sort((a, b) => (a.url < b.url ? -1 : 1))
}
