/** A record that outlives a request: JSON values by name. */
export type SharedRecord = Readonly<Record<string, unknown>>

/** Change of a record: emptied first if `clear`, then fields removed, then fields set. */
export interface RecordChange {
  readonly clear?: boolean
  readonly remove?: readonly string[]
  readonly set?: SharedRecord
}

/** A record with a change applied. */
export function changedRecord(
  record: SharedRecord,
  { clear = false, remove = [], set = {} }: RecordChange,
): SharedRecord {
  const changed: Record<string, unknown> = Object.assign(Object.create(null), clear ? {} : record)
  for (const name of remove) delete changed[name]
  return Object.assign(changed, set)
}

/**
 * The space of revoked logins. Its records are not evicted before they expire, which would make a revoked session valid
 * again: when the space is full, new records are refused.
 */
export const REVOCATION_SPACE = 'revocations'

/**
 * A key-value store in memory, shared by all units, for as long as the gateway runs. Its content
 * survives a new version of the route, unlike shared memory. Every call is one message to the control thread and back.
 */
export interface SharedStore {
  /** The record of a key; null where it is absent or expired. `lifetime` (milliseconds) restarts its TTL. */
  get(key: string, lifetime?: number): Promise<SharedRecord | null>
  /** Changes a record field by field, so that concurrent writers do not overwrite each other; creates it where absent. */
  update(key: string, change: RecordChange, lifetime: number): Promise<void>
  /** Changes a record that exists; one that is gone meanwhile stays gone. */
  updateIfPresent(key: string, change: RecordChange, lifetime: number): Promise<void>
  /** Gives a record and deletes it: of several callers one gets it. */
  getAndDelete(key: string): Promise<SharedRecord | null>
  /** The record of a key: the one that exists, whose time goes on, or else this one. */
  getOrCreate(key: string, initial: SharedRecord, lifetime: number): Promise<SharedRecord>
}

/** Stands in where there is no store: every call fails with the reason. */
export function unavailableStore(reason: string): SharedStore {
  const fail = () => Promise.reject(new Error(reason))
  return { get: fail, update: fail, updateIfPresent: fail, getAndDelete: fail, getOrCreate: fail }
}
