/** A record that outlives a request: JSON values by name. */
export type SharedRecord = Readonly<Record<string, unknown>>

/** Change of a record: cleared first if `clear`, then fields removed, then fields set. */
export interface RecordChange {
  readonly clear?: boolean
  readonly remove?: readonly string[]
  readonly set?: SharedRecord
  /** Fields of `set` that replace a value: not set where another writer has removed them meanwhile. */
  readonly replaced?: readonly string[]
  /** Whether the record is that of a user from now on: a store that evicts records evicts others first. */
  readonly isOfUser?: boolean
}

/** A record with a change applied. */
export function changedRecord(
  record: SharedRecord,
  { clear = false, remove = [], set = {}, replaced = [] }: RecordChange,
): SharedRecord {
  const changed: Record<string, unknown> = Object.assign(Object.create(null), clear ? {} : record)
  for (const name of remove) delete changed[name]
  const missing = replaced.filter((name) => !Object.hasOwn(changed, name))
  Object.assign(changed, set)
  for (const name of missing) delete changed[name]
  return changed
}

/**
 * The space of revoked logins. Its records are not evicted before they expire, which would make a revoked session valid
 * again: when the space is full, new records are rejected.
 */
export const REVOCATION_SPACE = 'revocations'

/**
 * A key-value store in memory on the control thread, shared by all units. Unlike shared memory it outlives the route
 * revision. Every call is a message to the control thread and back.
 */
export interface SharedStore {
  /** The record of a key; null where it is absent or expired. `lifetime` (milliseconds) restarts its TTL. */
  get(key: string, lifetime?: number): Promise<SharedRecord | null>
  /** Changes a record field by field, so that concurrent writers do not overwrite each other; creates it where absent. */
  update(key: string, change: RecordChange, lifetime: number): Promise<void>
  /** Changes an existing record; does not recreate a deleted one. */
  updateIfPresent(key: string, change: RecordChange, lifetime: number): Promise<void>
  /** Returns a record and deletes it; only one of several concurrent callers gets it. */
  getAndDelete(key: string): Promise<SharedRecord | null>
  /** Returns the existing record without a change of its TTL, or stores this one. */
  getOrCreate(key: string, initial: SharedRecord, lifetime: number): Promise<SharedRecord>
}

/** For use where there is no store: every call fails with the reason. */
export function unavailableStore(reason: string): SharedStore {
  const fail = () => Promise.reject(new Error(reason))
  return { get: fail, update: fail, updateIfPresent: fail, getAndDelete: fail, getOrCreate: fail }
}
