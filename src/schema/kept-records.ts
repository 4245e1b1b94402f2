/** A record that outlives a request: JSON values by name. */
export type KeptRecord = Readonly<Record<string, unknown>>

/** What is to become of a record: emptied first if `clear`, then fields removed, then fields set. */
export interface RecordChange {
  readonly clear?: boolean
  readonly remove?: readonly string[]
  readonly set?: KeptRecord
}

/** A record with a change applied. */
export function changedRecord(record: KeptRecord, { clear = false, remove = [], set = {} }: RecordChange): KeptRecord {
  const changed: Record<string, unknown> = Object.assign(Object.create(null), clear ? {} : record)
  for (const name of remove) delete changed[name]
  return Object.assign(changed, set)
}

/**
 * Records that all units of a gateway see alike, in memory, for as long as the gateway runs. They survive a new version
 * of the route, unlike shared memory. Every step is one message to the control plane and back.
 */
export interface KeptRecords {
  /** The record of a key; null where there is none or its time is over. `lifetime` (milliseconds) starts it anew. */
  read(key: string, lifetime?: number): Promise<KeptRecord | null>
  /** Changes a record field by field, so that two writers lose nothing of each other; makes it where there is none. */
  change(key: string, change: RecordChange, lifetime: number): Promise<void>
  /** Changes a record that is there; one that is gone meanwhile stays gone. */
  amend(key: string, change: RecordChange, lifetime: number): Promise<void>
  /** Gives a record and removes it, to one taker only. */
  take(key: string): Promise<KeptRecord | null>
  /** The record of a key: the one that is there, whose time goes on, or else this one. */
  obtain(key: string, initial: KeptRecord, lifetime: number): Promise<KeptRecord>
}

/** One step on a record, as it is sent to the control plane. */
export type RecordStep =
  | { readonly step: 'read'; readonly lifetime: number | null }
  | { readonly step: 'change' | 'amend'; readonly change: RecordChange; readonly lifetime: number }
  | { readonly step: 'take' }
  | { readonly step: 'obtain'; readonly initial: KeptRecord; readonly lifetime: number }
