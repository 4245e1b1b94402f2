import { PermitTable } from '#contracts'
import { SharedMemory } from './shared-memory.ts'

/** A unit as the owner of permits. */
interface PermitOwner {
  readonly number: number
}

/** The permits for connections to servers, which units share; those of a unit that has ended are returned. */
export class ConnectionPermits {
  readonly #units: number
  readonly #memory = new SharedMemory()

  constructor(units: number) {
    this.#units = units
  }

  open(key: string, permits: number, unit: PermitOwner): { memory: SharedArrayBuffer; units: number; unit: number } {
    const bytes = PermitTable.bytes(this.#units, permits)
    const isNew = !this.#memory.isHeld(key, bytes, unit)
    const memory = this.#memory.acquire(key, bytes, unit)
    // A unit that was handing over a permit when another ended may have given it to the number of that one, after its end.
    if (isNew) this.#returnAll(memory, unit)
    return { memory, units: this.#units, unit: unit.number }
  }

  close(key: string, unit: PermitOwner): void {
    this.#memory.release(key, unit)
  }

  /** The thread of a unit has ended, and with it its connections. */
  ended(unit: PermitOwner): void {
    for (const memory of this.#memory.heldBy(unit)) this.#returnAll(memory, unit)
    this.#memory.releaseAll(unit)
  }

  #returnAll(memory: SharedArrayBuffer, { number }: PermitOwner): void {
    new PermitTable(memory, this.#units, number).releaseAll()
  }
}
