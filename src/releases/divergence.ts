import type { Pointer } from './pointer.ts'

/** The release that an instance has on its disk. */
export interface LocalState {
  readonly store: string
  readonly release: number
  /** UUID of the write that made it. */
  readonly write: string
}

/** How the store contradicts what an instance got from it before. */
export interface Divergence {
  readonly kind: 'empty' | 'other-store' | 'older' | 'other-write'
  /** For operators: what was found, and what to do. */
  readonly reason: string
}

const REMEDY = 'this instance serves its copy; decide by "gateway push" or "gateway release adopt"'

/**
 * Compares the store with the state of an instance. `write` is the one of the record that the store has under the number of
 * the instance's release; null where it has no such record, for example because it keeps only newer ones.
 */
export function divergenceOf(local: LocalState, pointer: Pointer | null, write: string | null): Divergence | null {
  if (pointer === null) {
    return { kind: 'empty', reason: `the store has no release, expected at least ${local.release}; ${REMEDY}` }
  }
  if (pointer.store !== local.store) {
    const found = `the store has the id ${pointer.store}, expected ${local.store}`
    return { kind: 'other-store', reason: `${found}: another store or prefix; ${REMEDY}` }
  }
  if (pointer.last < local.release) {
    const found = `the last release of the store is ${pointer.last}, expected at least ${local.release}`
    return { kind: 'older', reason: `${found}: restored from an older backup; ${REMEDY}` }
  }
  if (write === null || write === local.write) return null
  const found = `release ${local.release} of the store was made by another write than that of this instance`
  return { kind: 'other-write', reason: `${found}: restored from an older backup and changed since; ${REMEDY}` }
}
