import type { UnitLink } from './unit-link.ts'

type Opening = ReturnType<typeof Promise.withResolvers<void>>

/** Routers that are building what they were handed, by their unit; a deploy waits for them. */
export class RouterOpenings {
  readonly #openings = new Map<UnitLink, Opening[]>()

  /** A router of the unit begins to build. */
  begin(unit: UnitLink): void {
    this.#openings.set(unit, [...(this.#openings.get(unit) ?? []), Promise.withResolvers<void>()])
  }

  /** A router of the unit has built what it could; false where none was known to be at it. */
  finish(unit: UnitLink): boolean {
    const opening = this.#openings.get(unit)?.shift()
    opening?.resolve()
    return opening !== undefined
  }

  /** A unit has ended, and with it what it was building. */
  end(unit: UnitLink): void {
    for (const opening of this.#openings.get(unit) ?? []) opening.resolve()
    this.#openings.delete(unit)
  }

  /** Resolves when all that have begun are done. */
  async settled(): Promise<void> {
    await Promise.all([...this.#openings.values()].flat().map(({ promise }) => promise))
  }
}
