import type { TlsPlan } from '#contracts'
import { DEFAULT_TLS_PLAN } from '#contracts'
import type { Logger } from '#logging'
import type { Clock, HealthCheckPlan } from '#schema'
import { HEALTH } from '#upstreams'
import { EVENTS } from '../log-events.ts'
import { grpcProbe } from './probes/grpc-probe.ts'
import { httpProbe } from './probes/http-probe.ts'
import type { Probe, ProbeFailure } from './probes/probe.ts'
import { tcpProbe } from './probes/tcp-probe.ts'
import type { ServerSet } from './server-set.ts'

const PROBES: Readonly<Record<HealthCheckPlan['type'], Probe>> = { http: httpProbe, tcp: tcpProbe, grpc: grpcProbe }
/** Part of the interval by which checks are spread. */
const JITTER = 0.1
/** Time in which the first checks of all servers begin, in milliseconds. */
const FIRST = 500
/** Checks of one service at a time. */
const MAX_RUNNING = 64

/** Consecutive results of one server. */
interface Checked {
  failures: number
  successes: number
  timer: NodeJS.Timeout | undefined
}

/** Checks the servers of one service, once for the whole gateway. Only changes are logged. */
export class HealthChecks {
  readonly #set: ServerSet
  readonly #plan: HealthCheckPlan
  readonly #clock: Clock
  readonly #logger: Logger
  readonly #checked = new Map<string, Checked>()
  /** Servers whose check waits for others to end. */
  readonly #waiting: string[] = []
  #running = 0
  #tls: TlsPlan = DEFAULT_TLS_PLAN

  constructor(set: ServerSet, plan: HealthCheckPlan, clock: Clock, logger: Logger) {
    this.#set = set
    this.#plan = plan
    this.#clock = clock
    this.#logger = logger
  }

  /** TLS options of the handler that uses the service. */
  set tls(tls: TlsPlan) {
    this.#tls = tls
  }

  /** Checks these servers from now on. */
  follow(urls: readonly string[]): void {
    const wanted = new Set(urls)
    for (const [url, { timer }] of this.#checked) {
      if (wanted.has(url)) continue
      clearTimeout(timer)
      this.#checked.delete(url)
    }
    const first = Math.min(FIRST, this.#plan.interval)
    for (const url of wanted) {
      if (this.#checked.has(url)) continue
      this.#checked.set(url, { failures: 0, successes: 0, timer: undefined })
      this.#schedule(url, wanted.size === 1 ? 0 : Math.random() * first)
    }
  }

  stop(): void {
    this.follow([])
    this.#waiting.length = 0
  }

  #schedule(url: string, delay: number): void {
    const checked = this.#checked.get(url)
    if (checked === undefined) return
    checked.timer = setTimeout(() => {
      if (this.#running < MAX_RUNNING) void this.#check(url)
      else this.#waiting.push(url)
    }, delay)
    checked.timer.unref()
  }

  async #check(url: string): Promise<void> {
    this.#running++
    const failure = await PROBES[this.#plan.type](new URL(url), this.#plan, this.#tls)
    this.#running--
    const next = this.#waiting.shift()
    if (next !== undefined) void this.#check(next)
    const checked = this.#checked.get(url)
    if (checked === undefined) return
    this.#record(url, checked, failure)
    const { interval } = this.#plan
    this.#schedule(url, interval * (1 - JITTER + 2 * JITTER * Math.random()))
  }

  /** The first result counts at once, further ones with the thresholds. */
  #record(url: string, checked: Checked, failure: ProbeFailure): void {
    const slot = this.#set.slotOf(url)
    if (slot === null) return
    const { states } = this.#set
    const { unhealthyThreshold, healthyThreshold } = this.#plan
    const health = states.health(slot)
    if (failure === null) {
      checked.failures = 0
      if (health === HEALTH.healthy) return
      if (++checked.successes < healthyThreshold && health !== HEALTH.unknown) return
      states.setHealth(slot, HEALTH.healthy, 'passed', 0, this.#clock.now(), this.#clock.monotonic())
      if (health === HEALTH.unhealthy) this.#logger.info({ upstream: url }, 'a server is healthy again')
      return
    }
    checked.successes = 0
    if (health === HEALTH.unhealthy) return
    if (++checked.failures < unhealthyThreshold && health !== HEALTH.unknown) return
    const { reason, detail } = failure
    states.setHealth(slot, HEALTH.unhealthy, reason, detail, this.#clock.now(), this.#clock.monotonic())
    this.#logger.warn({ upstream: url, reason: states.reason(slot) }, EVENTS.SERVER_UNHEALTHY)
  }
}
