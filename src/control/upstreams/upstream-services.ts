import { randomBytes } from 'node:crypto'
import type { TlsPlan } from '#contracts'
import type { JsonObject } from '#json'
import type { Logger } from '#logging'
import type { Clock, UpstreamPlan } from '#schema'
import { ADMIN, ServerStates } from '#upstreams'
import { Discovery, type NameLookups } from './discovery.ts'
import { HealthChecks } from './health-checks.ts'
import { ServerSet } from './server-set.ts'

/** A unit that uses services. */
interface ServiceUser {
  readonly number: number
}

/** One revision of a service, with the units that use it. */
interface Service {
  readonly id: number
  readonly name: string
  readonly plan: string
  readonly memory: SharedArrayBuffer
  readonly set: ServerSet
  readonly checks: HealthChecks | null
  readonly discovery: Discovery | null
  /** Resolves when the servers are known, or could not be found. */
  readonly ready: Promise<void>
  /** Reference count of each unit: the old and the new version of a route may overlap in it. */
  readonly users: Map<ServiceUser, number>
}

const ADMIN_STATES = { drain: ADMIN.draining, eject: ADMIN.ejected, enable: ADMIN.enabled } as const

interface ServicesInput {
  /** Numbers that units may have. */
  readonly units: number
  readonly clock: Clock
  readonly logger: Logger
  readonly lookups?: NameLookups
}

/**
 * The upstream services of all units: their servers are looked up and checked once for the gateway. A service whose
 * configuration is the same is shared, and one that changes keeps the states of its servers.
 */
export class UpstreamServices {
  readonly #input: ServicesInput
  readonly #services = new Map<number, Service>()
  #lastId = 0

  constructor(input: ServicesInput) {
    this.#input = input
  }

  async open(plan: UpstreamPlan, unit: ServiceUser): Promise<{ id: number; memory: SharedArrayBuffer; unit: number }> {
    const text = JSON.stringify(plan)
    const known = [...this.#services.values()].findLast(({ plan: other }) => other === text)
    const service = known ?? this.#create(plan, text)
    service.users.set(unit, (service.users.get(unit) ?? 0) + 1)
    await service.ready
    return { id: service.id, memory: service.memory, unit: unit.number }
  }

  checkWith(id: number, tls: TlsPlan): void {
    const checks = this.#services.get(id)?.checks ?? null
    if (checks !== null) checks.tls = tls
  }

  /** The servers of the newest revision with this qualified name, in any case; null without one. */
  serversOf(name: string): { servers: JsonObject[] } | null {
    return this.#named(name)?.set.report() ?? null
  }

  /** An administrator takes a server out, or back in; false without that server. */
  change(name: string, url: string, action: 'drain' | 'eject' | 'enable'): boolean {
    const service = this.#named(name)
    const slot = service?.set.slotOf(url) ?? null
    if (service === undefined || slot === null) return false
    const { clock } = this.#input
    service.set.states.setAdmin(slot, ADMIN_STATES[action], clock.now(), clock.monotonic())
    this.#input.logger
      .child({ logger: service.name })
      .info({ upstream: url, action }, 'an administrator changed a server')
    return true
  }

  #named(name: string): Service | undefined {
    const wanted = name.toLowerCase()
    return [...this.#services.values()].findLast((service) => service.name.toLowerCase() === wanted)
  }

  close(id: number, unit: ServiceUser): void {
    const service = this.#services.get(id)
    if (service === undefined) return
    const uses = (service.users.get(unit) ?? 0) - 1
    if (uses > 0) service.users.set(unit, uses)
    else service.users.delete(unit)
    this.#removeIfUnused(service)
  }

  /** The thread of a unit has ended, and with it its requests. */
  ended(unit: ServiceUser): void {
    for (const service of [...this.#services.values()]) {
      if (!service.users.delete(unit)) continue
      service.set.states.unitEnded(unit.number)
      this.#removeIfUnused(service)
    }
  }

  #create(plan: UpstreamPlan, text: string): Service {
    const { units, clock, lookups } = this.#input
    const logger = this.#input.logger.child({ logger: plan.service })
    const earlier = [...this.#services.values()].findLast(({ name }) => name === plan.service)
    const memory = ServerStates.memory(ServerSet.shape(plan, units))
    const states = new ServerStates(memory, null)
    states.key = earlier?.set.states.key ?? randomBytes(states.key.length)
    const set = new ServerSet(states, clock, earlier?.set ?? null)
    const checks = plan.healthCheck === null ? null : new HealthChecks(set, plan.healthCheck, clock, logger)
    const use = (servers: UpstreamPlan['servers']): void => {
      set.replace(servers)
      checks?.follow(servers.map(({ url }) => url))
    }
    use(plan.servers)
    const found = (servers: UpstreamPlan['servers']): void => use([...plan.servers, ...servers])
    const discovery = plan.discovery === null ? null : new Discovery(plan.discovery, found, logger, lookups)
    const ready = discovery?.start() ?? Promise.resolve()
    const id = ++this.#lastId
    const service = { id, name: plan.service, plan: text, memory, set, checks, discovery, ready, users: new Map() }
    this.#services.set(id, service)
    return service
  }

  #removeIfUnused(service: Service): void {
    if (service.users.size > 0 || !this.#services.delete(service.id)) return
    service.checks?.stop()
    service.discovery?.stop()
  }
}
