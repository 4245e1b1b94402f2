import type { QueuedRecord } from '#durable-queue'
import { call, notice } from '#rpc'
import type { RecordChange, SharedRecord } from '#schema'
import type { KeptRecord } from '../../records/key-value-store.ts'

/** Changes with the calls below; gateways with another number do not take over from each other. */
export const HANDOVER_PROTOCOL = 2

/** A traffic connector. */
export interface SharedConnector {
  readonly host: string
  readonly ports: readonly number[]
  readonly secure: boolean
}

/** Passes audit events of files to the successor; false where that does not write them. */
export type RecordsPassed = (files: string, records: readonly QueuedRecord[]) => Promise<boolean>

/** A gateway that takes over, as it introduces itself. */
export interface TakingOver {
  readonly protocol: number
  readonly pid: number
  readonly version: string
}

/** The gateway that runs. */
export interface RunningGateway {
  readonly pid: number
  readonly version: string
  readonly connectors: readonly SharedConnector[]
  readonly adminHost: string
  readonly adminPort: number
  /** Secrets of TLS session tickets in base64; null where no connector uses TLS. */
  readonly tickets: string | null
  /** Variables of the service manager that runs it. */
  readonly service: Readonly<Record<string, string>>
}

interface StoreKey {
  readonly space: string
  readonly key: string
}

/** Arguments of the calls of units to the key-value store. A lifetime of null is unlimited, except in `storeGet`, where it stays. */
export interface StoreCalls {
  readonly storeGet: StoreKey & { readonly lifetime: number | null }
  readonly storeUpdate: StoreKey & {
    readonly change: RecordChange
    readonly lifetime: number | null
    readonly ifPresent: boolean
  }
  readonly storeGetAndDelete: StoreKey
  readonly storeGetOrCreate: StoreKey & { readonly initial: SharedRecord; readonly lifetime: number | null }
}

/** One of these calls. */
export type StoreCall = { [Name in keyof StoreCalls]: readonly [Name, StoreCalls[Name]] }[keyof StoreCalls]

/** Messages between the two copies of a key-value store, in both directions. */
export const STORE_NOTICES = {
  /** Records of the owner. */
  records: notice<readonly KeptRecord[]>(),
  /** A call for the owner, with the number of the caller. */
  asked: notice<{ readonly number: number; readonly call: StoreCall }>(),
  /** The owner executes a call: one that was asked for, or its own. */
  executed: notice<{ readonly number: number | null; readonly call: StoreCall }>(),
}

/** Messages of a gateway that takes over, to the one that runs. */
export const PREDECESSOR_CALLS = {
  begin: call<TakingOver, RunningGateway>(5_000),
  /** Sends a part of the records; true with the last one. */
  copy: call<void, boolean>(10_000),
  /** The successor serves. Answered when it has taken the place of the other, which accepts nothing more. */
  switch: call<void, void>(30_000),
  ...STORE_NOTICES,
}

/** Messages of the gateway that ends, to its successor. */
export const SUCCESSOR_CALLS = {
  /** The successor owns the key-value store and the files that one process alone writes, when it has removed the file. */
  take: call<{ readonly file: string }, void>(2_000),
  /** Events for files that the successor has open; false where it has not. */
  auditRecords: call<{ readonly file: string; readonly records: readonly QueuedRecord[] }, boolean>(5_000),
  ...STORE_NOTICES,
}
