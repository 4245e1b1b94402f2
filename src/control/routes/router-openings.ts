import type { UnitLink } from '../units/unit-link.ts'

/** Milliseconds a router may take to open: it may build ten thousand routes. */
const OPENING_LIMIT = 15 * 60_000

type Opening = ReturnType<typeof Promise.withResolvers<void>>

/** Routers that are building their routes, by unit; a deploy waits for them. */
export class RouterOpenings {
  readonly #openings = new Map<UnitLink, Opening[]>()

  /** A router of the unit starts to build its routes. */
  begin(unit: UnitLink): void {
    this.#openings.set(unit, [...(this.#openings.get(unit) ?? []), Promise.withResolvers<void>()])
  }

  /** A router of the unit has built its routes; false where none was building. */
  finish(unit: UnitLink): boolean {
    const waiting = this.#openings.get(unit)
    const opening = waiting?.shift()
    if (waiting?.length === 0) this.#openings.delete(unit)
    opening?.resolve()
    return opening !== undefined
  }

  /** A unit has ended, and with it its unfinished builds. */
  end(unit: UnitLink): void {
    for (const opening of this.#openings.get(unit) ?? []) opening.resolve()
    this.#openings.delete(unit)
  }

  /** The units were replaced: no deploy waits for their builds. */
  endAll(): void {
    for (const unit of [...this.#openings.keys()]) this.end(unit)
  }

  /** Resolves when all started ones have finished. Units over the limit are terminated: their routes would be outdated. */
  async settled(): Promise<void> {
    const timer = setTimeout(() => {
      for (const unit of this.#openings.keys()) void unit.end('it did not open its routers in time')
    }, OPENING_LIMIT).unref()
    await Promise.all([...this.#openings.values()].flat().map(({ promise }) => promise))
    clearTimeout(timer)
  }
}
