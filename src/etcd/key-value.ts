/** A key with its value at a revision. */
export interface KeyValue {
  readonly key: string
  /** Empty for keys only, and for deletions. */
  readonly value: Buffer
  /** Of the last change; for a deletion that of the deletion. */
  readonly modRevision: bigint
  readonly createRevision: bigint
  /** The id of the lease that the key is bound to; null for none. */
  readonly lease: string | null
}

/** Part of the key space: one key, all keys with a prefix, or all keys from a first to a last one, both included. */
export type KeyRange =
  | { readonly key: string }
  | { readonly prefix: string }
  | { readonly first: string; readonly last: string }

/** Condition of a transaction; revision 0 holds where the key does not exist. */
export type Compare =
  | { readonly key: string; readonly modRevision: bigint }
  | { readonly key: string; readonly createRevision: bigint }

/** A step of a transaction. */
export type Operation =
  | { readonly put: { readonly key: string; readonly value: string | Uint8Array; readonly lease?: string | null } }
  | { readonly delete: KeyRange }
  /** With `keysOnly` the value is empty: for the question whether the key exists. */
  | { readonly get: { readonly key: string; readonly keysOnly?: boolean } }

/** The result of each operation that was executed, in their order. */
export type OperationResult =
  | { readonly type: 'put' }
  | { readonly type: 'delete'; readonly deleted: number }
  | { readonly type: 'get'; readonly item: KeyValue | null }

/** A transaction: the operations of `success` where all conditions hold, else those of `failure`. */
export interface Transaction {
  readonly compare: readonly Compare[]
  readonly success: readonly Operation[]
  readonly failure?: readonly Operation[]
  /** Whether a second execution does no harm: it is also sent to another endpoint where one fails or is silent. */
  readonly isRepeatable?: boolean
}

/** A change of a watched key. */
export interface WatchEvent {
  readonly type: 'put' | 'delete'
  readonly item: KeyValue
}
