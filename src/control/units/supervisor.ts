import type { UnitSettings } from '#contracts'
import { type Problem, systemClock } from '#schema'
import { EVENTS } from '../log-events.ts'
import { RecentEnds } from './recent-ends.ts'
import { UnitLink, UnitStartError, type UnitThread } from './unit-link.ts'
import { UnitSet, type UnitSetSettings } from './unit-set.ts'
import { type Trial, type TriedConfiguration, tryUnit } from './unit-trial.ts'

/** Input of a supervisor. */
interface Supervision extends Omit<UnitThread, 'ended'> {
  readonly settings: UnitSetSettings
  /** A unit has ended, intentionally or not. */
  ended(unit: UnitLink): void
  /** Units are ready to take the place of others; problems for which they must not. */
  ready(): Promise<readonly ReplacementProblem[]>
  /** They serve from now on; the others have only the requests that they have begun. */
  replaced(left: readonly UnitLink[], settings: UnitSetSettings): void
  /** They did not take over, and have ended. */
  withdrawn(): void
}

/** A problem of config.json, or of a route file. */
interface ReplacementProblem extends Problem {
  /** Name of the route file. */
  readonly file?: string
}

/** Settings that differ for units that take the place of others. */
export type UnitChange = Partial<Pick<UnitSettings, 'config' | 'folders'>>

/** Result of a replacement. */
export type Replacement =
  | {
      readonly state: 'replaced'
      /** Resolves when the replaced units have ended, with the number of aborted requests. */
      readonly drained: Promise<number>
    }
  /** The units go on as they were. */
  | { readonly state: 'refused'; readonly message: string; readonly problems: readonly ReplacementProblem[] }

const FIRST_DELAY = 100
const LONGEST_DELAY = 30_000

/** A unit that served this long resets the count of consecutive failures. */
const SOUND_AFTER = 60_000

/** Sets of units at a time: those that serve, and those that start or still drain. Each has numbers of its own. */
export const MAX_UNIT_SETS = 3

/** Milliseconds before a restart, by the number of consecutive failures. */
export function restartDelay(failures: number): number {
  return Math.min(LONGEST_DELAY, FIRST_DELAY * 2 ** (failures - 1))
}

/** Runs the units, restarts those that end or are terminated, and replaces all by others with a changed configuration. */
export class Supervisor {
  readonly #supervision: Supervision
  readonly #restarts = new Map<number, number>()
  /** The units that serve. */
  #serving: UnitSet
  /** Units that are started to take their place. */
  #starting: UnitSet | null = null
  /** Replaced units with requests; each set with the promise of its end. */
  readonly #draining = new Map<UnitSet, Promise<number>>()
  /** Ended units whose threads can not be terminated, or could not when they ended. */
  readonly #stuck = new Set<UnitLink>()
  #replacements: Promise<unknown> = Promise.resolve()
  #isStopping = false
  restartCount = 0
  /** Of units that served. */
  readonly recentEnds: RecentEnds

  constructor(supervision: Supervision) {
    this.#supervision = supervision
    this.recentEnds = new RecentEnds(supervision.logger, systemClock)
    this.#serving = new UnitSet(0, supervision.settings)
  }

  /** The units that serve. */
  get units(): readonly UnitLink[] {
    return this.#serving.all
  }

  /** Units that are about to take the place of those that serve. */
  get starting(): readonly UnitLink[] {
    return this.#starting?.all ?? []
  }

  /** Replaced units that still have requests. */
  get draining(): readonly UnitLink[] {
    return [...this.#draining.keys()].flatMap(({ all }) => all.filter(({ state }) => state !== 'ended'))
  }

  /** Ended units whose threads still exist. */
  get stuck(): readonly UnitLink[] {
    return [...this.#stuck].filter((unit) => unit.isStuck)
  }

  /** The ports in the order of the settings; the one for port 0 is known once the first unit listens. */
  get ports(): readonly number[] {
    return this.#serving.settings.connectors.flatMap(({ ports }) => ports)
  }

  /** Settings of the units that serve, or will. */
  get settings(): UnitSetSettings {
    return this.#serving.settings
  }

  /** The port of the management connector, where the settings leave it to the system; for units that start from now on. */
  managementOpened(port: number): void {
    const { settings } = this.#serving
    this.#serving.settings = { ...settings, management: { ...settings.management, ports: [port] } }
  }

  /** Starts all units with another configuration than the given one; also after a start that failed. */
  async startWith(change: UnitChange, options: { readonly standby: boolean }): Promise<void> {
    const before = this.#serving
    this.#serving = new UnitSet(0, { ...before.settings, ...change })
    await before.end()
    await this.start(options)
  }

  /**
   * Starts all units; resolves when all serve. With a port 0, the first unit starts before the others to get the real port.
   * `standby`: all are built before the first one listens, since another process serves.
   */
  start({ standby = false } = {}): Promise<void> {
    const started = standby ? this.#startBeside() : this.#start()
    this.#replacements = started.catch(() => {})
    return started
  }

  /**
   * Starts units with changed settings beside the others. When all serve, they take over and the others drain; where one can not,
   * nothing has changed. Resolves when new connections get to the new units alone.
   */
  replace(change: UnitChange): Promise<Replacement> {
    const result = this.#replacements.then(() => this.#replace(change))
    this.#replacements = result.catch(() => {})
    return result
  }

  /** Whether a unit could serve another configuration; `ended` is called when that of the trial has ended. */
  tryUnit(
    { config, folders }: TriedConfiguration,
    { routes, ended }: Pick<Trial, 'routes'> & Pick<UnitThread, 'ended'>,
  ): ReturnType<typeof tryUnit> {
    const { entry, env, heartbeat, handlers } = this.#supervision
    const unit = this.settings.units * MAX_UNIT_SETS
    return tryUnit({
      settings: { ...this.settings, config, folders, unit },
      thread: { entry, env, heartbeat, ended },
      handlers,
      routes,
    })
  }

  /** Another process has the ports: accepts nothing more, and restarts no unit. */
  async stopAccepting(): Promise<void> {
    this.#isStopping = true
    await this.#serving.stopAccepting()
  }

  /** Drains every unit; returns the number of aborted requests. `isHandover`: another process has the ports. */
  async drain(isHandover = false): Promise<number> {
    this.#isStopping = true
    const starting = this.#starting?.end()
    const aborted = await Promise.all([this.#serving.drain(isHandover), ...this.#draining.values()])
    await starting
    return aborted.reduce((sum, count) => sum + count, 0)
  }

  async terminate(): Promise<void> {
    this.#isStopping = true
    const sets = [this.#serving, ...(this.#starting === null ? [] : [this.#starting]), ...this.#draining.keys()]
    await Promise.all(sets.map((set) => set.end()))
  }

  async #startBeside(): Promise<void> {
    if (this.#isStopping) return
    for (const number of this.#serving.numbers) this.#spawn(this.#serving, number, true)
    await this.#serving.listen()
  }

  async #start(): Promise<void> {
    const set = this.#serving
    const { connectors } = set.settings
    if (this.#isStopping) return
    const [first, ...others] = set.numbers as [number, ...number[]]
    const unit = this.#spawn(set, first)
    if (connectors.some(({ ports }) => ports.includes(0))) {
      await unit.started
      if (this.#isStopping) return
      set.settings = { ...set.settings, connectors: withPorts(connectors, unit.ports) }
    }
    for (const number of others) this.#spawn(set, number)
    await Promise.all(set.all.map(({ started }) => started))
  }

  async #replace(change: UnitChange): Promise<Replacement> {
    if (!this.#serving.settings.reusePort) return refused(NO_SHARED_PORTS)
    while (this.#draining.size > MAX_UNIT_SETS - 2 && !this.#isStopping) await Promise.race(this.#draining.values())
    if (this.#isStopping) return refused(STOPPING)
    const before = this.#serving
    const set = new UnitSet(this.#freeBase(), { ...before.settings, ...change })
    this.#starting = set
    const problem = await this.#startStandby(set)
    this.#starting = null
    if (problem !== null) {
      // Those that listen may have requests.
      await set.stopAccepting()
      await set.drain(true)
      this.#supervision.withdrawn()
      return problem
    }
    this.#serving = set
    this.#restarts.clear()
    this.#supervision.replaced(before.all, set.settings)
    const accepting = before.stopAccepting()
    const drained = accepting
      .then(() => before.drain(true))
      .finally(() => {
        this.#draining.delete(before)
      })
    this.#draining.set(before, drained)
    await accepting
    return { state: 'replaced', drained }
  }

  /** Null when all units are ready; nothing of it may be awaited after the last check. */
  async #startStandby(set: UnitSet): Promise<Replacement | null> {
    try {
      for (const number of set.numbers) this.#spawn(set, number, true)
      await Promise.all(set.all.map(({ started }) => started))
      const problems = await this.#supervision.ready()
      if (problems.length > 0) return refused(ROUTES_LOST, problems)
      if (!this.#isStopping) await set.listen()
    } catch (error) {
      if (!this.#isStopping)
        return refused((error as Error).message, error instanceof UnitStartError ? error.problems : [])
    }
    if (this.#isStopping) return refused(STOPPING)
    const ended = set.all.find(({ state }) => state === 'ended')
    return ended === undefined ? null : refused(`${ended.name} ended before all units were ready`)
  }

  #freeBase(): number {
    const used = [this.#serving, ...this.#draining.keys()].map(({ base }) => base)
    let base = 0
    while (used.includes(base)) base += this.#serving.settings.units
    return base
  }

  #spawn(set: UnitSet, number: number, standby = false): UnitLink {
    const thread = {
      ...this.#supervision,
      ended: (unit: UnitLink, error: Error | null) => this.#ended(set, unit, error),
    }
    const unit = new UnitLink(thread, { ...set.settings, unit: number }, standby)
    set.put(unit)
    return unit
  }

  #ended(set: UnitSet, unit: UnitLink, error: Error | null): void {
    this.#supervision.ended(unit)
    if (unit.isStuck) this.#stuck.add(unit)
    if (this.#isStopping || set !== this.#serving || !set.has(unit)) {
      if (error !== null && this.#draining.has(set))
        this.#supervision.logger.error({ error, unit: unit.number }, EVENTS.REPLACED_UNIT_ENDED)
      return
    }
    // A unit that never served is a failed start, which start() reports.
    if (unit.ports.length === 0 && this.#restarts.get(unit.number) === undefined) return
    const failures = (unit.servedFor > SOUND_AFTER ? 0 : (this.#restarts.get(unit.number) ?? 0)) + 1
    this.#restarts.set(unit.number, failures)
    this.restartCount++
    const delay = restartDelay(failures)
    const { logger } = this.#supervision
    logger.error({ ...(error !== null && { error }), unit: unit.number, delay }, EVENTS.UNIT_ENDED)
    this.recentEnds.add()
    setTimeout(() => {
      // Others may have taken over meanwhile.
      if (!this.#isStopping && set === this.#serving) this.#spawn(set, unit.number)
    }, delay)
  }
}

const NO_SHARED_PORTS =
  'units can not be replaced on this system, since ports can not be shared between threads; restart the gateway to use the configuration'
const ROUTES_LOST = 'routes that are served can not be built with this configuration'
/** A replacement that ends with this has not failed. */
export const STOPPING = 'the gateway is stopping'

function refused(message: string, problems: readonly ReplacementProblem[] = []): Replacement {
  return { state: 'refused', message, problems }
}

function withPorts(connectors: UnitSettings['connectors'], ports: readonly number[]): UnitSettings['connectors'] {
  const actual = [...ports]
  return connectors.map((connector) => ({ ...connector, ports: connector.ports.map(() => actual.shift() as number) }))
}
