import type { UnitSettings } from '#contracts'
import type { UnitLink } from './unit-link.ts'

/** Settings that all units of a set have. */
export type UnitSetSettings = Omit<UnitSettings, 'unit'>

/** Units that serve one configuration together. */
export class UnitSet {
  /** Number of the first unit. */
  readonly base: number
  settings: UnitSetSettings
  readonly #units = new Map<number, UnitLink>()

  constructor(base: number, settings: UnitSetSettings) {
    this.base = base
    this.settings = settings
  }

  get all(): readonly UnitLink[] {
    return [...this.#units.values()]
  }

  /** The numbers of its units. */
  get numbers(): readonly number[] {
    return Array.from({ length: this.settings.units }, (_, at) => this.base + at)
  }

  has(unit: UnitLink): boolean {
    return this.#units.get(unit.number) === unit
  }

  /** Takes the place of an ended unit with the same number. */
  put(unit: UnitLink): void {
    this.#units.set(unit.number, unit)
  }

  /** Opens the ports of all, when all are built. Rejects when all have tried, since those that listen have to drain. */
  async listen(): Promise<void> {
    await Promise.all(this.all.map(({ started }) => started))
    const opened = await Promise.allSettled(this.all.map((unit) => unit.listen()))
    const failed = opened.find((result) => result.status === 'rejected')
    if (failed !== undefined) throw failed.reason
  }

  /** Closes the listening sockets of all, when what they have queued is accepted. */
  async stopAccepting(): Promise<void> {
    await Promise.all(this.all.map((unit) => unit.stopAccepting()))
  }

  /** Drains every unit; returns the number of aborted requests. */
  async drain(isHandover: boolean): Promise<number> {
    const aborted = await Promise.all(this.all.map((unit) => unit.drain(isHandover)))
    return aborted.reduce((sum, count) => sum + count, 0)
  }

  async end(): Promise<void> {
    await Promise.all(this.all.map((unit) => unit.end()))
  }
}
