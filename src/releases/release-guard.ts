import { type Divergence, divergenceOf, type LocalState } from './divergence.ts'
import type { Pointer } from './pointer.ts'
import { ReleaseError } from './release-error.ts'
import type { ReleaseReader } from './release-reader.ts'
import type { ReleaseRecord } from './release-record.ts'

/** What a write is planned on. */
export interface Base {
  readonly pointer: Pointer | null
  /** Of the current release; an error where it can not be read. */
  readonly record: ReleaseRecord | ReleaseError | null
  readonly divergence: Divergence | null
}

/** The current record, and whether the store contradicts the state of the instance. */
export async function baseOf(reader: ReleaseReader, pointer: Pointer | null, local: LocalState | null): Promise<Base> {
  if (pointer === null) return { pointer, record: null, divergence: local && divergenceOf(local, null, null) }
  const numbers = local === null ? [pointer.release] : [pointer.release, local.release]
  const [current, own] = await reader.records([...new Set(numbers)])
  const record = current ?? missing(reader, pointer.release)
  const found = local?.release === pointer.release ? record : (own ?? null)
  const write = found === null || found instanceof ReleaseError ? null : found.write
  return { pointer, record, divergence: local && divergenceOf(local, pointer, write) }
}

/** Why nothing may be written before an operator decides; null if it may. */
export function refusal({ pointer, record, divergence }: Base): { state: 'blocked'; reason: string } | null {
  if (divergence !== null) return { state: 'blocked', reason: divergence.reason }
  if (pointer?.staged) {
    const only = Object.entries(pointer.staged.only).map(([name, value]) => `${name}=${value}`)
    const staged = `release ${pointer.staged.release} is staged for ${only.join(', ')}`
    return { state: 'blocked', reason: `${staged}; promote it or roll it back first` }
  }
  if (record instanceof ReleaseError && record.kind === 'newer-format')
    return { state: 'blocked', reason: record.message }
  return null
}

function missing(reader: ReleaseReader, number: number): ReleaseError {
  return new ReleaseError('missing', reader.keys.release(number), `the record of release ${number} does not exist`)
}
