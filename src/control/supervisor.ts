import type { UnitSettings } from '#contracts'
import { EVENTS } from './log-events.ts'
import { UnitLink, type UnitThread } from './unit-link.ts'

/** Input of a supervisor. */
interface Supervision extends Omit<UnitThread, 'ended'> {
  readonly settings: Omit<UnitSettings, 'unit'>
  /** A unit has ended, intentionally or not. */
  ended(unit: UnitLink): void
}

const FIRST_DELAY = 100
const LONGEST_DELAY = 30_000

/** A unit that served this long resets the count of consecutive failures. */
const SOUND_AFTER = 60_000

/** Milliseconds before a restart, by the number of consecutive failures. */
export function restartDelay(failures: number): number {
  return Math.min(LONGEST_DELAY, FIRST_DELAY * 2 ** (failures - 1))
}

/** Runs the units, and restarts those that end or are terminated. */
export class Supervisor {
  readonly #supervision: Supervision
  readonly #units = new Map<number, UnitLink>()
  readonly #restarts = new Map<number, number>()
  #settings: Omit<UnitSettings, 'unit'>
  /** Abandoned units whose threads still exist. */
  readonly #abandoned = new Set<UnitLink>()
  #draining = false
  restartCount = 0

  constructor(supervision: Supervision) {
    this.#supervision = supervision
    this.#settings = supervision.settings
  }

  get units(): readonly UnitLink[] {
    return [...this.#units.values()]
  }

  /** Number of units whose threads can not be terminated and still have their listening sockets. */
  get abandoned(): readonly UnitLink[] {
    return [...this.#abandoned].filter((unit) => unit.isAbandoned)
  }

  /** The ports in the order of the settings; the one for port 0 is known once the first unit listens. */
  get ports(): readonly number[] {
    return this.#settings.connectors.flatMap(({ ports }) => ports)
  }

  /** Starts all units; resolves when all serve. With a port 0, the first unit starts before the others to get the real port. */
  async start(): Promise<void> {
    const { units, connectors } = this.#settings
    if (this.#draining) return
    const first = this.#spawn(0)
    if (connectors.some(({ ports }) => ports.includes(0))) {
      await first.started
      if (this.#draining) return
      this.#settings = { ...this.#settings, connectors: withPorts(connectors, first.ports) }
    }
    for (let number = 1; number < units; number++) this.#spawn(number)
    await Promise.all(this.units.map((unit) => unit.started))
  }

  /** Drains every unit; returns the number of aborted requests. */
  async drain(): Promise<number> {
    this.#draining = true
    const aborted = await Promise.all(this.units.map((unit) => unit.drain()))
    return aborted.reduce((sum, count) => sum + count, 0)
  }

  async terminate(): Promise<void> {
    this.#draining = true
    await Promise.all(this.units.map((unit) => unit.end()))
  }

  #spawn(number: number): UnitLink {
    const thread = { ...this.#supervision, ended: (unit: UnitLink, error: Error | null) => this.#ended(unit, error) }
    const unit = new UnitLink(thread, { ...this.#settings, unit: number })
    this.#units.set(number, unit)
    return unit
  }

  #ended(unit: UnitLink, error: Error | null): void {
    this.#supervision.ended(unit)
    if (unit.isAbandoned) this.#abandoned.add(unit)
    if (this.#draining || this.#units.get(unit.number) !== unit) return
    // A unit that never served is a failed start, which start() reports.
    if (unit.ports.length === 0 && this.#restarts.get(unit.number) === undefined) return
    const failures = (unit.servedFor > SOUND_AFTER ? 0 : (this.#restarts.get(unit.number) ?? 0)) + 1
    this.#restarts.set(unit.number, failures)
    this.restartCount++
    const delay = restartDelay(failures)
    const { logger } = this.#supervision
    logger.error({ ...(error !== null && { error }), unit: unit.number, delay }, EVENTS.UNIT_ENDED)
    setTimeout(() => {
      if (!this.#draining) this.#spawn(unit.number)
    }, delay)
  }
}

function withPorts(connectors: UnitSettings['connectors'], ports: readonly number[]): UnitSettings['connectors'] {
  const actual = [...ports]
  return connectors.map((connector) => ({ ...connector, ports: connector.ports.map(() => actual.shift() as number) }))
}
